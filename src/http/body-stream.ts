/** Request bodies that are taken piece by piece. */
import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';

/** A body that ended before it was whole. */
export class BodyCut extends Error {
  override readonly name = 'BodyCut';
}

/**
 * The body as a stream of its own, whose pieces pass when `take` calls back; an error ends it. That leaves the connection
 * open: the answer goes out over it.
 */
export function bodyStream(
  raw: IncomingMessage,
  take: (piece: Buffer, done: (error?: Error) => void) => void,
): Readable {
  const body = new Transform({
    transform(piece: Buffer, _encoding, done) {
      take(piece, (error) => (error ? done(error) : done(null, piece)));
    },
  });
  // One inside of the process may have been destroyed without an error.
  const end = () => body.destroy(raw.errored ?? new BodyCut('the body has ended before it was whole'));
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
