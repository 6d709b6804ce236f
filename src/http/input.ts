/** Checks of bodies beyond what a schema can express. */

import type { FastifyRequest } from 'fastify';
import { isJsonObject, mergePatch, metadataProblem } from '../checkout/metadata.ts';
import type { Problem } from '../checkout/refusals.ts';
import type { JsonObject } from '../checkout/session.ts';
import type { Mode } from '../checkout/tenant.ts';
import { addressProblem, type NetworkRules } from '../webhooks/guard.ts';
import { fieldsError, MAX_ITEMS } from './errors.ts';
import { pointerOf, readJson } from './json.ts';
import type { GivenMetadata } from './schemas/fields.ts';
import { problemsOf } from './validate.ts';

/**
 * Removes empty strings and `null`, which count as absent fields, except inside metadata, which belongs to the client, and
 * but for conditions: whoever sends an empty one believes in it.
 */
export function dropAbsent(value: unknown, conditions: readonly string[] = []): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const child = fields[key];
    if (isEmpty(child) && !Array.isArray(value)) {
      if (!conditions.includes(key)) delete fields[key];
    } else if (key !== 'metadata') dropAbsent(child);
  }
}

const isEmpty = (value: unknown): boolean => value === '' || value === null;

/** Ids of API keys and of receiving accounts can have been chosen by people, in a form of their own. */
const idForm = /^(?:[a-z]{3}_[0-9a-z]{20,40}|ak_(?:test|live)_[\w-]{1,100}|[a-z0-9-]{1,100})$/;

/**
 * Puts an id that nothing has, and that nothing can be given, in the place of one of another form: that may have any
 * character, and means the same.
 */
export function nameNobody(params: unknown): void {
  const named = params as { id?: string };
  if (named.id !== undefined && !idForm.test(named.id)) named.id = 'no_body';
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

/**
 * Problems that the schema found in the body, and amounts that nobody can pay; throws those of a query. The route is
 * declared with `attachValidation`.
 */
export function schemaProblems(request: FastifyRequest): Problem[] {
  const { validationError: error, body } = request;
  const isQuery = error ? error.validationContext !== 'body' : body === undefined;
  if (!isQuery) return foundBySchema(request);
  refuseQuery(queryProblems(request));
  return [];
}

function foundBySchema(request: FastifyRequest): Problem[] {
  const { validationError: error, loose } = request;
  const own = [...emptyConditions(request), ...(loose?.problems ?? [])];
  if (!error && own.length === 0) return [];
  const found = error ? problemsOf(error.validation) : [];
  const told = new Set(own.map(({ pointer }) => pointer));
  return [...own, ...found.filter(({ pointer }) => !told.has(pointer))];
}

/** Conditions that were sent empty, in the body or in the query: what they were to ask for is not known. */
function emptyConditions({ routeOptions, body, query }: FastifyRequest): Problem[] {
  const { conditions = [] } = routeOptions.config;
  return conditions
    .filter((name) => isEmpty(Object(body)[name]) || isEmpty(Object(query)[name]))
    .map((name) => ({
      pointer: `/${name}`,
      detail: 'is a condition, and must be what you have seen: omit it to make none',
    }));
}

/** Problems of a query, to be told with what else its operation finds. */
export function queryProblems(request: FastifyRequest): Problem[] {
  const { after, before } = request.query as { after?: string; before?: string };
  const both = { pointer: '/before', detail: 'cannot be given together with after' };
  return withFurther(foundBySchema(request), after !== undefined && before !== undefined ? [both] : []);
}

export function refuseQuery(problems: readonly Problem[]): void {
  if (problems.length > 0) throw fieldsError(problems, 'bad_query');
}

/** The problems and what else is wrong with the body: one problem for each place, and none within a place. */
export function withFurther(problems: readonly Problem[], further: readonly Problem[]): Problem[] {
  // Other values than objects have no fields.
  if (problems.some(({ pointer }) => pointer === '')) return [...problems];
  const told = new Set(problems.map(({ pointer }) => pointer));
  return [...problems, ...further.filter(({ pointer }) => !isIn(told, pointer))];
}

/** True for one of these places, and for all within them. */
function isIn(places: ReadonlySet<string>, pointer: string): boolean {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1))
    if (places.has(pointer.slice(0, end))) return true;
  return false;
}

/** The valid top-level fields, so that further checks can report their problems in the same answer, if it has room. */
export function usableFields<T extends object>(body: T, problems: readonly Problem[]): Partial<T> {
  if (problems.length === 0) return body ?? {};
  // Where there are as many as an answer has, further fields may be wrong too.
  if (problems.length >= MAX_ITEMS || problems.some(({ pointer }) => pointer === '')) return {};
  const bad = new Set(
    problems.map(({ pointer }) => pointer.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
  return Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => !bad.has(name))) as Partial<T>;
}

/** Metadata of a body, which may come as text with the object in it; notes what is wrong with it. */
export function readMetadata(given: GivenMetadata | undefined, problems: Problem[]): JsonObject | null {
  return readObject(given, problems, metadataProblem);
}

/** A merge patch of metadata: keys that it removes do not count, and whatever it meets, it leads to no less than this. */
export function readPatch(given: GivenMetadata | undefined, problems: Problem[]): JsonObject | null {
  return readObject(given, problems, (patch) => metadataProblem(mergePatch({}, patch)));
}

function readObject(
  given: GivenMetadata | undefined,
  problems: Problem[],
  problemOf: (object: JsonObject) => string | null,
): JsonObject | null {
  if (given === undefined) return null;
  let value: unknown = given;
  if (typeof given === 'string') {
    try {
      value = readJson(Buffer.from(given));
    } catch {
      value = null;
    }
  }
  const object = isJsonObject(value) ? value : null;
  const detail = object ? problemOf(object) : 'must be a JSON object, or a string with one';
  if (detail !== null) problems.push({ pointer: '/metadata', detail });
  return object;
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
