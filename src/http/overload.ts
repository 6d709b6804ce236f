/**
 * Overload: changes that would wait for too long are refused with 503 before anything is done for them, not even a look
 * at their route. So many are told a second, and the others have to wait for it: clients that ask again at once, each on
 * its connection, would otherwise take with their questions the time that the accepted changes need. Clients that do not
 * are hardly held back, for what is held takes memory, and connections of the client.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Backlog } from '../writer/backlog.ts';
import type { Authenticator, Principal } from './auth.ts';
import { RequestError } from './errors.ts';
import { answerEarly } from './failure.ts';

const failure = new RequestError('unavailable', [], { 'retry-after': '1' });
const readOnly = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Each that is told takes some 50 µs: 12,000 a second are six tenths of the thread, more would leave no commits. */
const defaults = { tickMs: 10, mostPerMs: 12, mostMs: 400 };

type Dependencies = {
  readonly auth: Authenticator;
  readonly backlog: Pick<Backlog, 'isLong' | 'isTooLongFor'>;
  readonly requestId: (request: IncomingMessage) => string;
  readonly publicUrl: string;
  readonly onRefused: (request: RefusedChange, caller: Principal, failure: RequestError) => void;
};

/** A change that was refused, and how long it had waited by then. */
type RefusedChange = { readonly requestId: string; readonly method: string; readonly durationMs: number };

type Refused = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** Monotonic, in milliseconds. */
  readonly at: number;
};

export function createOverload(
  { auth, backlog, requestId, publicUrl, onRefused }: Dependencies,
  options: Partial<typeof defaults> = {},
) {
  const { tickMs, mostPerMs, mostMs } = { ...defaults, ...options };
  /** Those that were refused and do not know it yet, the first one first. */
  const held: Refused[] = [];
  let ticking: NodeJS.Timeout | undefined;
  let toldAt = 0;
  let isClosed = false;

  /** A busy thread has few ticks, so what counts is the time between them. */
  function tick(): void {
    const now = performance.now();
    const most = Math.ceil(mostPerMs * (now - toldAt));
    const inTime = held.findIndex(({ at }) => now - at < mostMs);
    toldAt = now;
    tell(Math.max(most, inTime < 0 ? held.length : inTime));
  }

  function tell(count: number): void {
    for (const refused of held.splice(0, count)) answer(refused);
    if (held.length > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  }

  function answer({ request, response, id }: Refused): void {
    answerEarly(failure, request, response, id, publicUrl);
  }

  return {
    /**
     * True for a change by a known key that waits for too long, of which it has waited so many milliseconds to begin; then
     * it is answered here.
     */
    refuses(request: IncomingMessage, response: ServerResponse, waitedMs: number): boolean {
      const { method = '', url = '' } = request;
      if (isClosed || !backlog.isLong(waitedMs) || readOnly.has(method) || !url.startsWith('/v3/'))
        return false;
      const caller = auth.recall(request);
      if (caller === undefined || !backlog.isTooLongFor(caller.tenant, waitedMs)) return false;
      const at = performance.now();
      const id = requestId(request);
      held.push({ request, response, id, at });
      if (ticking === undefined) {
        toldAt = at;
        ticking = setInterval(tick, tickMs).unref();
      }
      onRefused({ requestId: id, method, durationMs: waitedMs }, caller, failure);
      return true;
    },

    /** Answers all at once, and refuses nothing any more. */
    close(): void {
      isClosed = true;
      tell(held.length);
    },
  };
}
