/** Query parameters, beyond what the schema of an operation says. */
import type { FastifyRequest } from 'fastify';
import { fieldsError, type RequestError } from './errors.ts';
import { pointerOf } from './json.ts';

export function parameterError(request: FastifyRequest): RequestError | undefined {
  return unknownParameters(request) ?? parametersWithNul(request);
}

/** An operation that declares no parameters has none. */
function unknownParameters(request: FastifyRequest): RequestError | undefined {
  if (request.routeOptions.schema?.querystring) return undefined;
  return errorOf(Object.keys(request.query as object), 'is not a known field');
}

/** As in bodies, no text has a NUL character: PostgreSQL refuses a query with one. */
function parametersWithNul(request: FastifyRequest): RequestError | undefined {
  const names = Object.entries(request.query as object)
    .filter(([name, value]) => `${name}${value}`.includes('\0'))
    .map(([name]) => name);
  return errorOf(names, 'has a NUL character');
}

function errorOf(names: readonly string[], detail: string): RequestError | undefined {
  if (names.length === 0) return undefined;
  return fieldsError(
    names.map((name) => ({ pointer: pointerOf([name]), detail })),
    'bad_query',
  );
}
