/** Checks of bodies beyond what a schema can express. */

import type { ErrorObject } from 'ajv';
import type { FastifyRequest } from 'fastify';
import type { Problem } from '../checkout/refusals.ts';
import type { Mode } from '../checkout/tenant.ts';
import { addressProblem, type NetworkRules } from '../webhooks/guard.ts';
import { fieldsError } from './errors.ts';
import { pointerOf } from './json.ts';
import { problemsOf } from './validate.ts';

/** Removes empty strings, which count as absent fields, except inside metadata, which belongs to the client. */
export function dropEmptyStrings(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const child = fields[key];
    if (child === '' && !Array.isArray(value)) delete fields[key];
    else if (key !== 'metadata') dropEmptyStrings(child);
  }
}

/** Maximum length of every list in a request; the size of metadata limits those inside it. */
const MAX_ELEMENTS = 100;

/**
 * The first list of a body that is too long. The schemas have the same limit, but a validator visits each element before
 * it reports the length: 87,000 elements would block all other requests for a third of a second.
 */
export function longListProblem(body: unknown): Problem | null {
  // No schema looks into a body that is a list itself.
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const { metadata: _, ...fields } = body as Record<string, unknown>;
  const path = pathOfLongList(fields);
  return path && { pointer: pointerOf(path), detail: `must have at most ${MAX_ELEMENTS} elements` };
}

function pathOfLongList(value: unknown): string[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value) && value.length > MAX_ELEMENTS) return [];
  for (const name of Object.keys(value)) {
    const path = pathOfLongList((value as Record<string, unknown>)[name]);
    if (path) return [name, ...path];
  }
  return null;
}

/** Problems that the schema found in the body; the route is declared with `attachValidation`. */
export function schemaProblems(request: FastifyRequest): Problem[] {
  const error = request.validationError;
  if (!error) return [];
  const problems = problemsOf(error.validation as unknown as ErrorObject[]);
  if (error.validationContext === 'body') return problems;
  throw fieldsError(problems, error.validationContext === 'params' ? 'bad_id' : 'bad_query');
}

/** The valid top-level fields, so that further checks can report their problems in the same answer. */
export function usableFields<T extends object>(body: T, problems: readonly Problem[]): Partial<T> {
  if (problems.length === 0) return body ?? {};
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
    .map((name) => ({ pointer: `/${name}`, detail: 'must be an https URL in live mode' }));
}

/** Refuses a receiver to which the network rules would never let a webhook go. */
export function receiverProblems(
  fields: Record<string, unknown>,
  name: string,
  rules: NetworkRules,
): Problem[] {
  const address = fields[name];
  const detail = typeof address === 'string' ? addressProblem(address, rules) : null;
  return detail === null ? [] : [{ pointer: `/${name}`, detail }];
}
