/** Parameters of a command: its arguments and options, with their meaning and how their text is read. */

/** A kind of value, such as a number or the id of a payin. */
export type Value<T> = {
  /** Name in usage lines: `number` is shown as `<number>`. */
  readonly placeholder: string;
  /** Throws an Error with the rest of the sentence "--limit …". */
  readonly parse: (text: string, env: NodeJS.ProcessEnv) => T;
  /** The values there are, where they can be listed. */
  readonly choices?: readonly string[];
  /** Several of them, with commas between. */
  readonly isList?: boolean;
  readonly isFile?: boolean;
};

export type Parameter<T = unknown> = {
  /** Null for a flag, which has no value. */
  readonly value: Value<unknown> | null;
  readonly meaning: string;
  readonly isRequired: boolean;
  /** Takes one value after the other. */
  readonly isRepeated: boolean;
  /** The default as help shows it; null where there is none. */
  readonly defaultText: string | null;
  /** Environment variables that stand in for it, first come first served. */
  readonly variables: readonly string[];
  /** `texts` are what was typed or what the environment says; without any, the default applies. */
  readonly read: (texts: readonly string[], env: NodeJS.ProcessEnv) => T;
};

export type Parameters = Readonly<Record<string, Parameter>>;
export type ValuesOf<P> = { readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };

type Default = string | { readonly text: string; readonly from: (env: NodeJS.ProcessEnv) => string };
type More = { readonly variables?: readonly string[] };

const basic = { isRequired: false, isRepeated: false, defaultText: null, variables: [] } as const;

export function flag(meaning: string): Parameter<boolean> {
  return { ...basic, value: null, meaning, read: (texts) => texts.length > 0 };
}

export function required<T>(value: Value<T>, meaning: string, more: More = {}): Parameter<T> {
  return {
    ...basic,
    ...more,
    value,
    meaning,
    isRequired: true,
    read: ([text = ''], env) => value.parse(text, env),
  };
}

export function optional<T>(value: Value<T>, meaning: string): Parameter<T | undefined> {
  const read = ([text]: readonly string[], env: NodeJS.ProcessEnv) =>
    text === undefined ? undefined : value.parse(text, env);
  return { ...basic, value, meaning, read };
}

export function withDefault<T>(
  value: Value<T>,
  fallback: Default,
  meaning: string,
  more: More = {},
): Parameter<T> {
  const { text: defaultText, from } =
    typeof fallback === 'string' ? { text: fallback, from: () => fallback } : fallback;
  return {
    ...basic,
    ...more,
    value,
    meaning,
    defaultText,
    read: ([text], env) => value.parse(text ?? from(env), env),
  };
}

/** One value or more. */
export function several<T>(value: Value<T>, meaning: string): Parameter<readonly T[]> {
  const read = (texts: readonly string[], env: NodeJS.ProcessEnv) =>
    texts.map((text) => value.parse(text, env));
  return { ...basic, value, meaning, isRequired: true, isRepeated: true, read };
}

/** `executeOn` is typed as `--execute-on`. */
export function optionName(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `receivingAccount` is shown as `<receiving-account>`. */
export function argumentName(key: string): string {
  return `<${optionName(key).slice(2)}>`;
}
