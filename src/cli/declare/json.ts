/** Declares what a command prints with `--json`: a document with an object or a list, or a line for each record. */

type Keys = Readonly<Record<string, string>>;

/** One JSON document. `of` names the object of the API where it is one, with all of its fields. */
export type JsonDocument = {
  readonly form: 'object' | 'list';
  readonly of: string | null;
  readonly keys: Keys;
};

/** JSON lines: each is an object with its kind in `record`. */
export type JsonLines = { readonly form: 'lines'; readonly records: Readonly<Record<string, Keys>> };

export type Json = JsonDocument | JsonLines;

/** Records that a command hands to its output, given its declaration. */
export type RecordOf<J> = J extends { readonly keys: infer K }
  ? { readonly [name in keyof K]: unknown }
  : J extends { readonly records: infer R }
    ? {
        readonly [name in keyof R]: { readonly record: name } & { readonly [key in keyof R[name]]: unknown };
      }[keyof R]
    : never;

export function objectOf<const K extends Keys>(keys: K, of: string | null = null) {
  return { form: 'object', of, keys } as const;
}

export function listOf<const K extends Keys>(keys: K, of: string | null = null) {
  return { form: 'list', of, keys } as const;
}

export function linesOf<const R extends Readonly<Record<string, Keys>>>(records: R) {
  return { form: 'lines', records } as const;
}
