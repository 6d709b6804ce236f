/** Validation by schema: every mistake of a request, each with a JSON pointer and a sentence. */
import { Ajv, type ErrorObject } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import type { Problem } from '../checkout/refusals.ts';
import { formats } from './schemas/fields.ts';

const common = { allErrors: true, strict: false, removeAdditional: false, useDefaults: false } as const;
// In a body, 5 and "5" are different values; a query has only text.
const bodies = new Ajv({ ...common, coerceTypes: false });
const texts = new Ajv({ ...common, coerceTypes: true });
for (const [name, { check }] of Object.entries(formats)) {
  bodies.addFormat(name, check);
  texts.addFormat(name, check);
}

export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? bodies : texts).compile(schema);

/** Errors of Ajv as problems with a sentence each. */
export function problemsOf(errors: readonly ErrorObject[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const error of errors) {
    const problem = problemOf(error);
    // Several branches of a schema may report the same field; the first report is enough.
    if (problem && !problems.has(problem.pointer)) problems.set(problem.pointer, problem);
  }
  return [...problems.values()];
}

function problemOf({ instancePath, keyword, params, schema }: ErrorObject): Problem | null {
  const at = (detail: string): Problem => ({ pointer: instancePath, detail });
  switch (keyword) {
    case 'additionalProperties':
      return {
        pointer: `${instancePath}/${escaped(params.additionalProperty)}`,
        detail: 'is not a known field',
      };
    case 'required':
      return { pointer: `${instancePath}/${escaped(params.missingProperty)}`, detail: 'is required' };
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
    case 'uniqueItems':
      return at('must not have duplicates');
    case 'enum':
      return at(`must be one of ${params.allowedValues.join(', ')}`);
    case 'format':
      return at(formats[params.format]?.detail ?? `must be of the form ${params.format}`);
    case 'pattern':
      return at('has characters that are not allowed here');
    case 'anyOf':
      return at(alternatives(schema));
    default:
      return at('is invalid');
  }
}

function alternatives(schema: unknown): string {
  const types = Array.isArray(schema)
    ? schema.map((each) => articled((each as { type?: string }).type ?? ''))
    : [];
  return types.length > 0 ? `must be ${types.join(' or ')}` : 'is invalid';
}

function articled(type: string | string[]): string {
  const words: Record<string, string> = {
    integer: 'an integer',
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

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
