/** Output of a command: text for people or JSON for scripts on standard output, remarks on standard error. */

export type Output<R> = {
  readonly isJson: boolean;
  /** A record of what the command was asked for, as JSON or in these lines. */
  record(value: R, text: string | readonly string[]): void;
  /** A line for people, which JSON leaves out. */
  line(text: string): void;
  /** A remark that is no data: scripts that read the output do not see it. */
  remark(text: string): void;
};

export type Form = 'object' | 'list' | 'lines';

/** `form` is null for text. To be ended once the command is done: a list is one document. */
export function createOutput<R>(form: Form | null): Output<R> & { end(): void } {
  const records: R[] = [];
  const document = (value: unknown) => console.log(JSON.stringify(value, null, 2));

  return {
    isJson: form !== null,

    record(value, text) {
      if (form === 'list') records.push(value);
      else if (form === 'object') document(value);
      else if (form === 'lines') console.log(JSON.stringify(value));
      else for (const line of typeof text === 'string' ? [text] : text) console.log(line);
    },

    line(text) {
      if (form === null) console.log(text);
    },

    remark(text) {
      console.error(`opentill: ${text}`);
    },

    end() {
      if (form === 'list') document(records);
    },
  };
}
