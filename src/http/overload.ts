/**
 * Overload: changes that would wait for too long are refused with 503 before anything is done for them, not even a look
 * at their route. The answer is held back for a moment: clients that ask again at once, each on its connection, would
 * otherwise take with their questions the time that the accepted changes need.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Backlog } from '../writer/backlog.ts';
import type { Authenticator } from './auth.ts';
import { RequestError } from './errors.ts';
import { errorBody } from './failure.ts';

const failure = new RequestError('unavailable', [], { 'retry-after': '1' });
const readOnly = new Set(['GET', 'HEAD', 'OPTIONS']);

const defaults = { tickMs: 50, heldTicks: 8 };

type Dependencies = {
  readonly auth: Authenticator;
  readonly backlog: Backlog;
  readonly requestId: (request: IncomingMessage) => string;
  readonly publicUrl: string;
  readonly onRefused: () => void;
};

type Refused = { readonly request: IncomingMessage; readonly response: ServerResponse };

export function createOverload(
  { auth, backlog, requestId, publicUrl, onRefused }: Dependencies,
  options: Partial<typeof defaults> = {},
) {
  const { tickMs, heldTicks } = { ...defaults, ...options };
  /** Those that were refused, by the tick at which they get to know: the first ones next. */
  const held: Refused[][] = Array.from({ length: heldTicks }, () => []);
  const ticking = setInterval(tick, tickMs).unref();
  let isClosed = false;

  function tick(): void {
    for (const refused of held.shift() ?? []) answer(refused);
    held.push([]);
  }

  function answer({ request, response }: Refused): void {
    const id = requestId(request);
    const { type, body } = errorBody(failure, 'API.REQUEST', { id, headers: request.headers }, publicUrl);
    response
      .writeHead(503, {
        ...failure.headers,
        'content-type': type,
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': id,
      })
      .end(body);
  }

  return {
    /** True for a change by a known key that would wait for too long; then it is answered here. */
    refuses(request: IncomingMessage, response: ServerResponse): boolean {
      const { method = '', url = '', headers } = request;
      if (isClosed || !backlog.isLong() || readOnly.has(method) || !url.startsWith('/v3/')) return false;
      const caller = auth.recall(headers.authorization);
      if (caller === undefined || !backlog.isTooLongFor(caller.tenant)) return false;
      held.at(-1)?.push({ request, response });
      onRefused();
      return true;
    },

    /** Answers all at once, and refuses nothing any more. */
    close(): void {
      isClosed = true;
      clearInterval(ticking);
      for (let left = heldTicks; left > 0; left--) tick();
    },
  };
}
