/** Finding of an examination: whether a thing is as it should be, and what to do about it. */
export type Finding = {
  /** `advice`: it works, and there is something to know or to do. */
  readonly status: 'ok' | 'advice' | 'wrong';
  readonly text: string;
  /** Advice for the operator; empty where there is nothing to do. */
  readonly advice: string;
};

/** The message of an error as a sentence. */
export const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;

export const good = (text: string): Finding => ({ status: 'ok', text, advice: '' });
export const advised = (text: string, advice: string): Finding => ({ status: 'advice', text, advice });
export const wrong = (text: string, advice: string): Finding => ({ status: 'wrong', text, advice });
