/** Uploads that may be large: kept in a file of their own for as long as they are worked on. */
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type Copy, withCopy } from '../banking/copy.ts';
import { RequestError } from './errors.ts';

/** Writes the body of the request to a file, works on it, and removes it, whatever comes of it. */
export function withUpload<T>(
  request: FastifyRequest,
  limitBytes: number,
  work: (upload: Copy) => Promise<T>,
): Promise<T> {
  const error = () => new RequestError('too_large');
  if (Number(request.headers['content-length']) > limitBytes) throw error();
  return withCopy(bodyOf(request), { bytes: limitBytes, error }, work);
}

/**
 * The body. Whoever stops reading leaves the connection as it is: the answer goes out over it, and the rest is read for
 * nobody.
 */
function bodyOf({ raw }: FastifyRequest): Readable {
  const body = new PassThrough();
  raw.pipe(body);
  // Nobody hears this any more: the client has gone.
  raw.on('error', () => body.destroy(new RequestError('bad_statement')));
  body.on('close', () => {
    raw.unpipe(body);
    raw.resume();
  });
  return body;
}
