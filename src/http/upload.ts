/** Uploads that may be large: kept in a temporary file while they are processed. */
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type Copy, withCopy } from '../banking/ingest/copy.ts';
import { RequestError } from './errors.ts';

/** Limits of all uploads of a process at the same time: bytes in the temporary folder, and their number. */
const MAX_BYTES_AT_ONCE = 256 * 2 ** 20;
const MAX_UPLOADS = 100;
/** Most uploads end within seconds. */
const RETRY_AFTER_SECONDS = '5';

const underWay = { uploads: 0, bytes: 0 };

/** Writes the body of the request to a file, works on it, and removes it in any case. */
export async function withUpload<T>(
  request: FastifyRequest,
  limitBytes: number,
  work: (upload: Copy) => Promise<T>,
): Promise<T> {
  const error = () => new RequestError('too_large');
  // An upload without a length counts as the longest.
  const bytes = Number(request.headers['content-length'] ?? limitBytes);
  if (bytes > limitBytes) throw error();
  if (underWay.uploads >= MAX_UPLOADS || underWay.bytes + bytes > MAX_BYTES_AT_ONCE) {
    throw new RequestError('unavailable', [], { 'retry-after': RETRY_AFTER_SECONDS });
  }
  underWay.uploads += 1;
  underWay.bytes += bytes;
  try {
    return await withCopy(bodyOf(request), { bytes: limitBytes, error }, work);
  } finally {
    underWay.uploads -= 1;
    underWay.bytes -= bytes;
  }
}

/**
 * The body as a stream. Destroying it leaves the connection open: the answer goes out over it, and the rest of the body
 * is read and dropped.
 */
function bodyOf({ raw }: FastifyRequest): Readable {
  const body = new PassThrough();
  // The client has gone, so this error reaches nobody.
  const end = () => body.destroy(new RequestError('bad_statement'));
  // The client may go before anybody reads; a later reader gets the error, and until then it is no failure.
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
