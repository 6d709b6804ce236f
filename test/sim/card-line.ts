/**
 * The line to Stripe in a simulation: an HTTP client in the place of that over the network, with the stand-in's API at its other
 * end. Calls go wrong as steps say; what is late or slow arrives when time has passed.
 */
import type { StripeAnswer, StripeHttp } from '../../src/methods/stripe/http.ts';
import { type Answer, type Call, refusal, type StripeApi } from '../support/stripe-stand-in-api.ts';
import type { World } from './world.ts';

/** Failures of a call. */
export type Mishap =
  /** The call does not reach Stripe. */
  | 'down'
  /** The call takes effect, and the connection breaks. */
  | 'lost'
  /** The call gets no answer, with its effect or without. */
  | 'unheard'
  | 'unanswered'
  /** The answer comes behind those to later calls. */
  | 'late'
  /** The call arrives when its caller has long given up. */
  | 'slow'
  | 'too many'
  /** 500, without its effect or behind it; either stays the answer to the same key. */
  | 'error'
  | 'error behind'
  /** Another call with its key is said to be under way. */
  | 'conflict';

/** The calls that a mishap hits. */
export type Aim = 'any' | 'asking' | 'page' | 'refund';

/** Longer than two tries take, and shorter than the rail waits. */
const LATE_MS = 4_000;
const SLOW_MS = 40_000;

const aims: Readonly<Record<Aim, RegExp>> = {
  any: /^/,
  asking: /^GET /,
  page: /^POST \/v1\/checkout/,
  refund: /\/refunds/,
};

const failing: Answer = {
  status: 500,
  body: { error: { type: 'api_error', message: 'An error occurred.' } },
};

export type CardLine = ReturnType<typeof createCardLine>;

export function createCardLine(api: StripeApi, world: World, told: (call: Call, how: string) => void) {
  let planned: { readonly mishap: Mishap; readonly aim: RegExp; left: number }[] = [];
  let onTheWay: { readonly at: number; readonly arrive: () => void }[] = [];

  function mishapOf({ method, path }: Call): Mishap | null {
    const hit = planned.find(({ aim, left }) => left > 0 && aim.test(`${method} ${path}`));
    if (hit === undefined) return null;
    hit.left--;
    return hit.mishap;
  }

  const later = (ms: number, arrive: () => void): void => {
    onTheWay.push({ at: world.elapsed() + ms, arrive });
  };

  /** Does what is asked or not, and answers, or breaks off, in some way. */
  function carryOut(
    call: Call,
    answer: (said: Answer) => void,
    breakOff: (code: string) => void,
    ms: number,
  ) {
    const mishap = mishapOf(call);
    told(call, mishap ?? 'ok');
    const act = () => api.answerOnce(call);
    const timeOut = () => void setTimeout(() => breakOff('ETIMEDOUT'), ms);
    switch (mishap) {
      case null:
        return answer(act());
      case 'down':
        return breakOff('ECONNREFUSED');
      case 'lost':
        act();
        return breakOff('ECONNRESET');
      case 'unheard':
        return timeOut();
      case 'unanswered':
        act();
        return timeOut();
      case 'late': {
        const said = act();
        return later(LATE_MS, () => answer(said));
      }
      case 'slow':
        later(SLOW_MS, act);
        return timeOut();
      case 'too many':
        return answer(refusal(429, 'Request rate limit exceeded.'));
      case 'error':
        return answer(api.answerOnce(call, () => failing));
      case 'error behind':
        return answer(
          api.answerOnce(call, (work) => {
            work();
            return failing;
          }),
        );
      case 'conflict':
        return answer(refusal(409, 'Another request with this key is in progress.'));
    }
  }

  return {
    /** The client of one process, which hears of nothing any more when it has ended. */
    httpFor:
      (isAlive: () => boolean): StripeHttp =>
      ({ method, url, headers, body, timeoutMs }) =>
        new Promise((resolve, reject) => {
          if (!isAlive()) return;
          const ifAlive = (end: () => void) => {
            world.stir();
            if (isAlive()) end();
          };
          const { pathname, search } = new URL(url);
          const call = api.readCall({ method, url: `${pathname}${search}`, headers, body });
          if ('status' in call) throw new Error('the simulation has given another key to the rail');
          carryOut(
            call,
            (said) => ifAlive(() => resolve(responseOf(said))),
            (code) => ifAlive(() => reject(Object.assign(new Error(code), { code }))),
            timeoutMs,
          );
        }),

    /** The next calls of this kind go wrong. */
    plan(mishap: Mishap, aim: Aim, calls: number): void {
      planned.push({ mishap, aim: aims[aim], left: calls });
    },
    heal(): void {
      planned = [];
    },

    /** The time of the next late arrival, or null. */
    nextArrival: (): number | null =>
      onTheWay.length === 0 ? null : Math.min(...onTheWay.map(({ at }) => at)),
    arrive(): void {
      const due = onTheWay.filter(({ at }) => at <= world.elapsed());
      onTheWay = onTheWay.filter(({ at }) => at > world.elapsed());
      for (const { arrive } of due) arrive();
    },
  };
}

/** Answers are copies, like bytes: their readers cannot change the books. */
function responseOf({ status, body }: Answer): StripeAnswer {
  return { status, shouldRetry: null, text: JSON.stringify(body) };
}
