/**
 * A command, declared once: parsing, help, the reference page, completion and JSON output all follow from it. A file in
 * `commands/` declares one command with its handler.
 */
import type { Permission } from '../../accounts/api-key.ts';
import { BadSetting, variableText } from '../../config/read.ts';
import { messageOf } from '../../lib/error-message.ts';
import { createOutput, type Output } from '../output.ts';
import type { Json, RecordOf } from './json.ts';
import { argumentName, optionName, type Parameter, type Parameters, type ValuesOf } from './parameter.ts';

/** A command line that works as it stands, and what it does. */
export type Example = readonly [line: string, meaning: string];

/** Words typed for each parameter, by its key, and the mistakes in their form. */
export type Typed = {
  readonly texts: Readonly<Record<string, readonly string[]>>;
  readonly problems: readonly string[];
  /** Keys of the parameters that these problems are about. */
  readonly faulty: ReadonlySet<string>;
};

export type Read =
  | { readonly problems: readonly string[] }
  | { readonly problems: null; readonly run: () => Promise<void> };

export type Command = {
  /** One sentence. */
  readonly purpose: string;
  /** Paragraphs. */
  readonly details: readonly string[];
  readonly arguments: Parameters;
  readonly options: Parameters;
  readonly access: AccessKind;
  /** Permissions of the API key that the command needs. */
  readonly permissions: readonly Permission[];
  /** Environment variables that it reads. */
  readonly variables: readonly string[];
  readonly json: Json | null;
  readonly examples: readonly Example[];
  /** Reads all that was typed, and tells every mistake at once. */
  readonly read: (typed: Typed, env: NodeJS.ProcessEnv) => Read;
};

/** Through what a command reaches the data. */
export type AccessKind = 'none' | 'database' | 'api' | 'either';

/** A way to what a command works with: a store, a client, or nothing. */
export type Access<P, C> = {
  readonly kind: AccessKind;
  readonly options: P;
  readonly permissions: readonly Permission[];
  readonly variables: readonly string[];
  readonly use: (
    values: ValuesOf<P>,
    env: NodeJS.ProcessEnv,
    work: (context: C) => Promise<void>,
  ) => Promise<void>;
};

export type Declaration<A, O, P, J, C> = {
  readonly purpose: string;
  readonly details?: readonly string[];
  readonly arguments?: A;
  readonly options?: O;
  readonly variables?: readonly string[];
  readonly json?: J;
  readonly examples: readonly [Example, ...Example[]];
  /** Mistakes that take several parameters to see. */
  readonly check?: (input: ValuesOf<A> & ValuesOf<O> & ValuesOf<P>) => readonly string[];
  readonly run: (
    input: ValuesOf<A> & ValuesOf<O>,
    context: C & { readonly output: Output<RecordOf<J>> },
  ) => Promise<void>;
};

type None = Readonly<Record<never, Parameter>>;

/** Declares a command with a way to its data. */
export function define<P extends Parameters, C extends object>(access: Access<P, C>) {
  return <A extends Parameters = None, O extends Parameters = None, J extends Json | undefined = undefined>(
    declaration: Declaration<A, O, P, J, C>,
  ): Command => {
    const { purpose, details = [], json, examples, check = () => [], run } = declaration;
    const args: Parameters = declaration.arguments ?? {};
    const options: Parameters = { ...declaration.options, ...access.options };
    const all = [
      ...Object.entries(args).map(([key, parameter]) => ({ key, parameter, name: argumentName(key) })),
      ...Object.entries(options).map(([key, parameter]) => ({ key, parameter, name: optionName(key) })),
    ];

    function read({ texts, faulty, ...typed }: Typed, env: NodeJS.ProcessEnv): Read {
      const problems = [...typed.problems];
      const values: Record<string, unknown> = {};
      for (const { key, parameter, name } of all.filter((each) => !faulty.has(each.key))) {
        let asked = name;
        try {
          const given = givenFor(parameter, texts[key] ?? [], env);
          asked = given.variable ?? name;
          if (parameter.isRequired && given.texts.length === 0) problems.push(missing(name, parameter));
          else values[key] = parameter.read(given.texts, env);
        } catch (error) {
          const message = messageOf(error);
          problems.push(error instanceof BadSetting ? message : `${asked} ${message}`);
        }
      }
      // Every parameter has been read by its own declaration: the one place where their types meet.
      const input = values as ValuesOf<A> & ValuesOf<O> & ValuesOf<P>;
      if (problems.length === 0) problems.push(...check(input));
      if (problems.length > 0) return { problems };
      const output = createOutput<RecordOf<J>>((texts.json?.length ?? 0) > 0 && json ? json.form : null);
      return {
        problems: null,
        run: async () => {
          await access.use(input, env, (context) => run(input, { ...context, output }));
          output.end();
        },
      };
    }

    const ofOptions = Object.values(options).flatMap(({ variables }) => variables);
    return {
      purpose,
      details,
      arguments: args,
      options,
      access: access.kind,
      permissions: access.permissions,
      variables: [...new Set([...ofOptions, ...access.variables, ...(declaration.variables ?? [])])],
      json: json ?? null,
      examples,
      read,
    };
  };
}

/** The typed words, or else the text of a variable; an empty variable says nothing. */
function givenFor({ variables }: Parameter, texts: readonly string[], env: NodeJS.ProcessEnv) {
  if (texts.length > 0) return { texts, variable: null };
  for (const variable of variables) {
    const text = variableText(variable, env);
    if (text !== '') return { texts: [text], variable };
  }
  return { texts: [], variable: null };
}

function missing(name: string, { value, meaning, variables }: Parameter): string {
  const { choices, placeholder = '' } = value ?? {};
  const [variable] = variables;
  const form = name.startsWith('--') ? `${name} <${placeholder}>` : name;
  const which = choices
    ? `one of ${choices.join(', ')}`
    : `${meaning.charAt(0).toLowerCase()}${meaning.slice(1)}`;
  return `${form} is missing: ${which.replaceAll('`', '').replace(/\.$/, '')}${variable ? `; ${variable} can give it too` : ''}`;
}
