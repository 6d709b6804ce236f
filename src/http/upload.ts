/** Uploads that may be large: kept in a file of their own for as long as they are worked on. */
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type Copy, withCopy } from '../banking/copy.ts';
import { RequestError } from './errors.ts';

/** At once, in a process: each may fill as much of the temporary folder as it may be large. */
const MAX_UPLOADS = 4;
/** One of them ends within seconds, or is large. */
const RETRY_AFTER_SECONDS = '5';

let uploads = 0;

/** Writes the body of the request to a file, works on it, and removes it, whatever comes of it. */
export async function withUpload<T>(
  request: FastifyRequest,
  limitBytes: number,
  work: (upload: Copy) => Promise<T>,
): Promise<T> {
  const error = () => new RequestError('too_large');
  if (Number(request.headers['content-length']) > limitBytes) throw error();
  if (uploads >= MAX_UPLOADS)
    throw new RequestError('unavailable', [], { 'retry-after': RETRY_AFTER_SECONDS });
  uploads += 1;
  try {
    return await withCopy(bodyOf(request), { bytes: limitBytes, error }, work);
  } finally {
    uploads -= 1;
  }
}

/**
 * The body. Whoever stops reading leaves the connection as it is: the answer goes out over it, and the rest is read for
 * nobody.
 */
function bodyOf({ raw }: FastifyRequest): Readable {
  const body = new PassThrough();
  // Nobody hears this any more: the client has gone.
  const end = () => body.destroy(new RequestError('bad_statement'));
  // It may go before anybody reads: whoever reads then is told, and until then nobody has to be.
  body.on('error', () => {});
  raw.on('error', end);
  if (raw.destroyed) end();
  else raw.pipe(body);
  body.on('close', () => {
    raw.unpipe(body);
    raw.resume();
  });
  return body;
}
