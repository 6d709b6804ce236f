/** What an examination has found: whether a thing is as it should be, and what to do about it. */
export type Finding = {
  /** `advice`: it works, and there is something to know or to do. */
  readonly status: 'ok' | 'advice' | 'wrong';
  readonly text: string;
  /** What to do; empty where there is nothing. */
  readonly advice: string;
};

export const good = (text: string): Finding => ({ status: 'ok', text, advice: '' });
export const advised = (text: string, advice: string): Finding => ({ status: 'advice', text, advice });
export const wrong = (text: string, advice: string): Finding => ({ status: 'wrong', text, advice });
