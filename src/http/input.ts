/** Reading bodies beyond what a schema can say. */

import type { ErrorObject } from 'ajv';
import type { FastifyRequest } from 'fastify';
import type { Problem } from '../checkout/refusal.ts';
import type { Mode } from '../checkout/session.ts';
import { fieldsError } from './errors.ts';
import { problemsOf } from './validate.ts';

/** In a request an empty string is the same as an absent field, except inside of metadata, which is the client's own. */
export function dropEmptyStrings(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (child === '' && !Array.isArray(value)) delete (value as Record<string, unknown>)[key];
    else if (key !== 'metadata') dropEmptyStrings(child);
  }
}

/** What the schema found wrong in the body; the route was declared with `attachValidation`. */
export function schemaProblems(request: FastifyRequest): Problem[] {
  const error = request.validationError;
  if (!error) return [];
  const problems = problemsOf(error.validation as unknown as ErrorObject[]);
  if (error.validationContext === 'body') return problems;
  throw fieldsError(problems, error.validationContext === 'params' ? 'bad_id' : 'bad_query');
}

/** The top-level fields with which the schema found nothing wrong, so that the others can be reported along with them. */
export function usableFields<T extends object>(body: T, problems: readonly Problem[]): Partial<T> {
  if (problems.some(({ pointer }) => pointer === '')) return {};
  const bad = new Set(
    problems.map(({ pointer }) => pointer.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
  return Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => !bad.has(name))) as Partial<T>;
}

/** Live sessions send payers and events over https only. */
export function addressProblems(
  fields: Record<string, unknown>,
  names: readonly string[],
  mode: Mode,
): Problem[] {
  if (mode === 'test') return [];
  return names
    .filter((name) => typeof fields[name] === 'string' && !/^https:/i.test(fields[name]))
    .map((name) => ({ pointer: `/${name}`, detail: 'must be an https address in live mode' }));
}
