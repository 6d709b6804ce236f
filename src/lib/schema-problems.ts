/** Validation by schema: every mistake of a value at once, each with a JSON pointer and a sentence. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from './json-schema.ts';

/** One mistake: its place (RFC 6901 JSON pointer), and the rest of the sentence "<field> …". */
export type SchemaProblem = { readonly pointer: string; readonly detail: string };

/** A named check of texts, and the rest of the sentence "<field> …" for a text that fails it. */
export type Format = {
  readonly check: (value: string) => boolean;
  readonly detail: string | ((value: string) => string);
};
export type Formats = Readonly<Record<string, Format>>;

/** Words of a schema that replace the general ones. */
export type Words = {
  /**
   * Replaces the sentence for a value that the schema refuses; mistakes within its fields or elements keep their own.
   */
  readonly mistake?: string;
  /** Replaces the sentence for an unknown field. */
  readonly unknownField?: string;
};

/** The words as options of a schema. */
export function worded(words: Words): Readonly<Record<string, unknown>> {
  return { ...words };
}

export function createAjv(formats: Formats, coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    // Errors carry the value and its schema, which the words may depend on.
    verbose: true,
    strict: false,
    removeAdditional: false,
    useDefaults: false,
    coerceTypes,
    // Tests hold the schemas to their own schema. To do so here, and to shorten the code, would take half of the time.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  for (const [name, { check }] of Object.entries(formats)) ajv.addFormat(name, check);
  return ajv;
}

export type Validated<T> = { readonly valid: T } | { readonly problems: readonly SchemaProblem[] };

/** Checks values against a schema, which is compiled when it is needed first. */
export function validator<T extends TSchema>(
  schema: T,
  formats: Formats,
): (value: unknown) => Validated<Static<T>> {
  let validate: ValidateFunction<Static<T>> | undefined;
  return (value) => {
    validate ??= createAjv(formats, false).compile<Static<T>>(schema);
    return validate(value) ? { valid: value } : { problems: problemsOf(validate.errors ?? [], formats) };
  };
}

/** The errors of Ajv in the words of this service, at most one for each place, and no more than are asked for. */
export function problemsOf(
  errors: readonly ErrorObject[],
  formats: Formats,
  most = Number.POSITIVE_INFINITY,
): SchemaProblem[] {
  const problems = new Map<string, SchemaProblem>();
  const left = leftToOthers(errors);
  for (const error of errors) {
    if (problems.size >= most) break;
    if (left.has(error)) continue;
    const problem = problemOf(error, formats);
    // Several branches of a schema may report the same field; the first report is enough.
    if (problem && !problems.has(problem.pointer)) problems.set(problem.pointer, problem);
  }
  return [...problems.values()];
}

/**
 * Errors of each `anyOf` that others say better: a branch for another type has nothing to say about the value, and where
 * it is meant for one of the branches, that one tells what is wrong.
 */
function leftToOthers(errors: readonly ErrorObject[]): ReadonlySet<ErrorObject> {
  const place = ({ instancePath, schemaPath }: ErrorObject) => `${instancePath} ${schemaPath}`;
  // There may be thousands of errors, of which few are within a choice.
  const ofTypes = Map.groupBy(
    errors.filter(({ keyword, schemaPath }) => keyword === 'type' && schemaPath.includes('/anyOf/')),
    (error) => place(error).replace(/\/\d+\/type$/, ''),
  );
  const left = new Set<ErrorObject>();
  for (const choice of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const ofOtherTypes = ofTypes.get(place(choice)) ?? [];
    for (const error of ofOtherTypes) left.add(error);
    if (ofOtherTypes.length < [choice.schema].flat().length) left.add(choice);
  }
  return left;
}

function problemOf(error: ErrorObject, formats: Formats): SchemaProblem | null {
  const { instancePath, keyword, params, schema, data } = error;
  const words = (error.parentSchema ?? {}) as Words;
  const at = (detail: string): SchemaProblem => ({ pointer: instancePath, detail: words.mistake ?? detail });
  const within = (name: string, detail: string): SchemaProblem => ({
    pointer: `${instancePath}/${escapedName(name)}`,
    detail,
  });
  // The schema for names of fields: the error of `propertyNames` follows, and says which name it is.
  if (error.propertyName !== undefined && keyword !== 'propertyNames') return null;
  switch (keyword) {
    case 'additionalProperties':
      return within(params.additionalProperty, words.unknownField ?? 'is not a known field');
    case 'required':
      return within(params.missingProperty, 'is required');
    case 'propertyNames':
      return within(params.propertyName, (schema as Words).mistake ?? 'is not a name that can be used');
    case 'if':
      // The branch that applies has told its own mistakes.
      return null;
    case 'type':
      return at(`must be ${articled(params.type)}`);
    case 'minimum':
      return at(`must be at least ${params.limit}`);
    case 'maximum':
      return at(`must be at most ${params.limit}`);
    case 'minLength':
      return at(params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`);
    case 'maxLength':
      return at(`must have at most ${params.limit} characters`);
    case 'minItems':
      return at(`must have at least ${params.limit} ${params.limit === 1 ? 'element' : 'elements'}`);
    case 'maxItems':
      return at(`must have at most ${params.limit} elements`);
    case 'maxProperties':
      return at(`must have at most ${params.limit} fields`);
    case 'uniqueItems':
      return at('must not have duplicates');
    case 'enum':
      return at(`must be one of ${params.allowedValues.map(String).join(', ')}`);
    case 'format':
      return at(detailOf(formats[params.format], data) ?? `must be of the form ${params.format}`);
    case 'pattern':
      return at('has characters that are not allowed here');
    case 'anyOf':
      return at(alternatives(schema));
    default:
      return at('is invalid');
  }
}

function detailOf(format: Format | undefined, value: unknown): string | undefined {
  return typeof format?.detail === 'function' ? format.detail(String(value)) : format?.detail;
}

function alternatives(schema: unknown): string {
  const types = Array.isArray(schema)
    ? schema.map((each) => articled((each as { type?: string }).type ?? ''))
    : [];
  return types.length > 0 ? `must be ${types.join(' or ')}` : 'is invalid';
}

function articled(type: string | string[]): string {
  const words: Record<string, string> = {
    integer: 'a whole number',
    number: 'a number',
    string: 'a string',
    boolean: 'true or false',
    object: 'an object',
    array: 'a list',
    null: 'null',
  };
  return [type]
    .flat()
    .map((each) => words[each] ?? each)
    .join(' or ');
}

/** Characters of a name in a JSON pointer: no name that is known is as long, and whoever sends one knows what it is. */
const SHOWN_CHARACTERS = 100;

/** A name within a JSON pointer (RFC 6901, section 3); a long one is shortened, so that it does not come back a hundred times. */
export function escapedName(name: string): string {
  const shown = name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : name;
  return shown.replaceAll('~', '~0').replaceAll('/', '~1');
}
