/** Validation of requests by their schemas. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify';
import type { Problem } from '../checkout/refusals.ts';
import * as schemaProblems from '../lib/schema-problems.ts';
import { MAX_ITEMS } from './errors.ts';
import { formats } from './schemas/fields.ts';

// Bodies tell 5 from "5"; a query has only text.
const bodies = schemaProblems.createAjv(formats, false);
const texts = schemaProblems.createAjv(formats, true);

/**
 * Compiles a schema for the first request that it is for: a few milliseconds, and 40 for the largest. All of them would
 * take 130 at each start, and 24 MB.
 */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  let compiled: ValidateFunction | undefined;
  const validate: ReturnType<FastifySchemaCompiler<object>> = (value) => {
    compiled ??= (httpPart === 'body' ? bodies : texts).compile(schema);
    const isValid = compiled(value);
    validate.errors = compiled.errors ?? null;
    return isValid;
  };
  return validate;
};

/** Fastify would load a validator and a serializer of its own. No route has a schema of its answers. */
export const schemaController: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: notOurs, buildSerializer: notOurs },
};

function notOurs(): never {
  throw new Error('a route has a schema for which nothing is loaded');
}

/** The errors of Ajv in the words of this service, as many as an answer has room for. */
export function problemsOf(errors: readonly ErrorObject[]): Problem[] {
  return schemaProblems.problemsOf(errors, formats, MAX_ITEMS);
}
