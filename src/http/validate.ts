/** Validation of requests by their schemas. */
import type { ErrorObject } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import type { Problem } from '../checkout/refusals.ts';
import * as schemaProblems from '../lib/schema-problems.ts';
import { formats } from './schemas/fields.ts';

// Bodies tell 5 from "5"; a query has only text.
const bodies = schemaProblems.createAjv(formats, false);
const texts = schemaProblems.createAjv(formats, true);

export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? bodies : texts).compile(schema);

/** The errors of Ajv in the words of this service. */
export function problemsOf(errors: readonly ErrorObject[]): Problem[] {
  return schemaProblems.problemsOf(errors, formats);
}
