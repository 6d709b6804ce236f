/** Uploads that may be large: kept in a file of their own for as long as they are worked on. */
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type Copy, withCopy } from '../banking/ingest/copy.ts';
import { RequestError } from './errors.ts';

/** At once, in a process: what they may take in the temporary folder together, and how many there may be. */
const MAX_BYTES_AT_ONCE = 256 * 2 ** 20;
const MAX_UPLOADS = 100;
/** One of them ends within seconds, or is large. */
const RETRY_AFTER_SECONDS = '5';

const underWay = { uploads: 0, bytes: 0 };

/** Writes the body of the request to a file, works on it, and removes it, whatever comes of it. */
export async function withUpload<T>(
  request: FastifyRequest,
  limitBytes: number,
  work: (upload: Copy) => Promise<T>,
): Promise<T> {
  const error = () => new RequestError('too_large');
  // What does not say how long it is may be as long as any.
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
