/** Request bodies: JSON, nothing at all, either, or a file, as the operation declares. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fieldsError, RequestError } from './errors.ts';
import { pointerOf, readJson } from './json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came: a file, or JSON for the hash of a request that may be repeated. */
    bodyBytes: Buffer | null;
  }
}

export const BODY_LIMIT_BYTES = 262_144;

export function parseBodies(api: FastifyInstance): void {
  api.decorateRequest('bodyBytes', null);
  api.removeAllContentTypeParsers();
  // Fastify refuses a malformed type before anybody looks at the body.
  api.addHook('onRequest', (request, _reply, done) => {
    const { noBody, upload } = request.routeOptions.config;
    if (noBody || upload === true) request.raw.headers['content-type'] = 'application/octet-stream';
    done();
  });
  api.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, readBody(request, bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

function readBody(request: FastifyRequest, bytes: Buffer): unknown {
  const { noBody, optionalBody, upload } = request.routeOptions.config;
  if (noBody) return refuseContent(request, bytes);
  if (optionalBody && bytes.length === 0) return undefined;
  if (Array.isArray(upload)) {
    demandType(request, upload);
    // A file is no value that anything further looks into: the handler takes the bytes.
    request.bodyBytes = bytes;
    return undefined;
  }
  demandType(request, ['application/json']);
  const value = readJson(bytes);
  // `{}` and no body are the same request when it is repeated.
  if (!(optionalBody && isObject(value) && Object.keys(value).length === 0)) request.bodyBytes = bytes;
  return value;
}

/** Type of the body as the request declares it, without parameters. */
export function mediaTypeOf({ headers }: FastifyRequest): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

/** Refuses a body of another type than these. */
function demandType(request: FastifyRequest, types: readonly string[]): void {
  const type = mediaTypeOf(request);
  if (type !== undefined && types.includes(type)) return;
  const reason = 'unsupported_media_type';
  const message = `The request body must be ${types.join(' or ')}.`;
  throw new RequestError(reason, [{ reason, message, remarks: '' }]);
}

/** Accepts an empty body, `{}` and `null`, whatever the content type says. */
function refuseContent(request: FastifyRequest, bytes: Buffer): undefined {
  if (bytes.toString('utf8').trim() === '') return undefined;
  const value = readJson(bytes);
  if (value === null) return undefined;
  if (!isObject(value)) throw fieldsError([{ pointer: '', detail: 'must be empty or {}' }]);
  const names = Object.keys(value);
  request.loose?.ignored.push(...names.map((name) => pointerOf([name])));
  if (names.length === 0 || request.loose) return undefined;
  throw fieldsError(names.map((name) => ({ pointer: pointerOf([name]), detail: 'is not a known field' })));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
