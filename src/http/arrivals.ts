/**
 * Requests that arrive together. Somebody can send thousands in one moment, over as many connections or one behind the
 * other, and each would begin before what others have sent is looked at: for a quarter of a second nobody else was answered.
 * So a few begin in a turn of the event loop, and where more wait, one of each caller after the other. Every second one is of
 * a tenant whose key is known, if there is one: of addresses somebody can have any number.
 */
import type { IncomingMessage } from 'node:http';
import { tenantName, tenantNamed } from '../checkout/tenant.ts';
import { createBeside } from '../lib/beside.ts';
import { clientOf } from '../lib/client-address.ts';
import { MAX_BATCH } from '../writer/backlog.ts';
import type { Authenticator } from './auth.ts';
import { createTurns, unlimited } from './turns.ts';

/** As many changes as a commit takes together, by and large; of what takes longer, such as payment pages, only a few. */
const A_TURN = { atOnce: 32, forMs: 2 };

/** Time between two looks at the clock that counts as a wait, at most. */
const LONGEST_STEP_MS = 50;

export type Arrivals = ReturnType<typeof createArrivals>;

/** Moment, or what lies between two of them: time, the time that counts, and requests that have begun. */
type Moment = { readonly ms: number; readonly countedMs: number; readonly begun: number };

export function createArrivals(auth: Pick<Authenticator, 'recall'>) {
  const turns = createTurns(unlimited, A_TURN, (caller) => (tenantNamed(caller) === null ? 1 : 0));
  const waits = createBeside<IncomingMessage, Moment>('wait');
  let steppedAt = performance.now();
  let countedMs = 0;
  let begun = 0;

  function look(): Moment {
    const now = performance.now();
    countedMs += Math.min(now - steppedAt, LONGEST_STEP_MS);
    steppedAt = now;
    return { ms: now, countedMs, begun };
  }

  /** A tenant whose key is known; of all others nothing is known but where they come from. */
  function callerOf(request: IncomingMessage): string {
    const principal = auth.recall(request);
    return principal === undefined ? clientOf(request.socket.remoteAddress) : tenantName(principal.tenant);
  }

  return {
    /** Begins a request now or in one of the next turns. A connection has one that waits here at most. */
    arrive(request: IncomingMessage, begin: () => void): void {
      let arrived: Moment | undefined;
      function queued(): string {
        arrived = look();
        return callerOf(request);
      }
      turns(queued, () => {
        if (arrived !== undefined) {
          const turn = look();
          waits.set(request, {
            ms: turn.ms - arrived.ms,
            countedMs: turn.countedMs - arrived.countedMs,
            begun: turn.begun - arrived.begun,
          });
        }
        begun++;
        // Who has left meanwhile needs no answer.
        if (!request.socket.destroyed) begin();
      });
    },

    /** Time for which a request has waited for its turn, in milliseconds. */
    waitedMs: (request: IncomingMessage): number => waits.get(request)?.ms ?? 0,

    /**
     * The same without times in which the thread stood still, and 0 if fewer than one commit takes have begun meanwhile: on
     * a machine with too much to do that takes long as well, and nobody is late for it.
     */
    lateMs(request: IncomingMessage): number {
      const wait = waits.get(request);
      return wait === undefined || wait.begun < MAX_BATCH ? 0 : wait.countedMs;
    },
  };
}
