/**
 * Kills a service behind each step of each kind of change, and asks again with the same idempotency key. What comes of it
 * is compared with what came of the same change when nobody was killed: less is lost, more is doubled, and what a killed
 * process leaves that is neither nothing nor all of a commit was applied by half.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { addApiKey, allPermissions } from '../../../src/accounts/api-key.ts';
import { configure } from '../../api/bank.ts';
import type { Server } from '../../support/process.ts';
import type { Findings } from '../findings.ts';
import type { Random } from '../random.ts';
import { until } from '../refusals.ts';
import type { Change, Request } from './changes.ts';
import { type Answer, asService, isSuccess, keys, send } from './client.ts';
import { COMMIT, type Place } from './order.ts';
import { isEqual, isNothing, isPart, type Rows, shown, since } from './rows.ts';
import type { Stepped } from './stepped.ts';

/** Tries per step: the service's own commits may come between, or not. */
const MOST_TRIES = 5;
/** Longer than a step that had begun before the service became idle. */
const LAST_STEP_MS = 20;
/** Longer than the end of a process or a connection, whose request has no answer either. */
const REFUSED_MS = 2_000;
/** A kill that comes behind the answer. */
const ANSWERED = '(the answer was sent)';

/** An answer as it is kept for repetitions: secrets of a new key or account are shown once, and so are links. */
const kept = (answer: Answer | null) =>
  answer && {
    ...answer,
    text: answer.text
      .replace(/"secret":"sk_test_\w+"/, '"secret":null')
      .replace(/"(url|owner_url)":"[^"]+\/dashboard\/link\/[^"]+"/, '"$1":null')
      .replace(
        /"webhook_secrets":\{"test":"[^"]+","live":"[^"]+"\}/,
        '"webhook_secrets":{"test":null,"live":null}',
      ),
  };

/** The undisturbed result of a change. */
type Usual = { readonly answer: Answer; readonly steps: readonly string[]; readonly effect: Rows };

/** The count of what campaigns side by side have tried, and what came of it. */
export function createTally() {
  const figures = {
    changes: 0,
    places: 0,
    places_not_met_again: 0,
    one_effect: 0,
    equal_answers: 0,
    other_answers: 0,
    stuck_keys: 0,
  };
  const ends = { kills: 0, cuts: 0 };
  const names = new Set<string>();
  return {
    figures,
    ends,
    /** The steps at which something has ended. */
    names,
    rows: [] as Array<readonly [change: string, database: string, steps: number, tried: number]>,
    all: () => ({
      ...figures,
      ...Object.fromEntries(Object.entries(ends).filter(([, count]) => count > 0)),
      statements: [...names].filter((name) => !name.startsWith('(')).length,
    }),
  };
}
export type Tally = ReturnType<typeof createTally>;

export function createCampaign(
  stepped: Stepped,
  findings: Findings,
  { figures, ends, names, rows }: Pick<Tally, 'figures' | 'ends' | 'names' | 'rows'>,
) {
  let requests = 0;
  let server: Server;

  const idle = () => until(stepped.isIdle, 'something is left to do for ever');

  /** Makes what a change is about, and waits until nothing is left to do. */
  async function prepare(change: Change): Promise<Request> {
    const store = await stepped.openStore();
    try {
      return await change.prepare(asService(server, store), `${change.name} ${++requests}`, idle);
    } finally {
      await store.close();
      await idle();
    }
  }

  async function undisturbed(change: Change): Promise<Usual> {
    const request = await prepare(change);
    const before = await stepped.rows();
    const armed = stepped.arm(server, null);
    const answer = await send(server.url, request);
    await idle();
    stepped.disarm();
    assert.ok(isSuccess(answer), `${change.name}: ${answer?.text}`);
    const steps = armed.steps();
    assert.ok(steps.includes(COMMIT), `${change.name} commits nothing`);
    return { answer, steps, effect: since(await stepped.rows(), before) };
  }

  /** The first one may make what all others find. */
  async function usually(change: Change): Promise<Usual> {
    let before = await undisturbed(change);
    for (let tries = 1; ; tries++) {
      const usual = await undisturbed(change);
      if (isDeepStrictEqual(usual.effect, before.effect)) return usual;
      assert.ok(tries < MOST_TRIES, `${change.name} has another effect each time`);
      before = usual;
    }
  }

  /** Kills at a place, or behind the answer; false if the place was not met. */
  async function killAt(change: Change, usual: Usual, end: Place): Promise<boolean> {
    const what = `${change.name}, ${end.step} ${end.time}`;
    const request = await prepare(change);
    const before = await stepped.rows();
    const armed = stepped.arm(server, end);
    const answering = send(server.url, request);
    const isEnded = await Promise.race([
      armed.reached.then(() => true),
      answering.then(async (answer) => {
        // A busy service may refuse for a time, and then comes to no step.
        if (!isSuccess(answer)) await pause(REFUSED_MS);
        else if (end.step !== ANSWERED) await idle();
        else await server.kill('SIGKILL');
        return isSuccess(answer) && end.step === ANSWERED;
      }),
    ]);
    stepped.disarm();
    // The end may be reached in this moment.
    await pause(LAST_STEP_MS);
    if (armed.steps().filter((step) => step === end.step).length >= end.time)
      await soon(armed.reached, `${what}: the step was passed, and nothing ends`);
    else if (!isEnded) return false;
    ends[stepped.kills ? 'kills' : 'cuts']++;
    names.add(end.step);
    const first = await soon(answering, `${what}: the request has no end`);
    const left = since(await stepped.rowsLeft(), before);
    // The service's own commits come in between; the check tells whether those are whole.
    const isWhole = change.goesOn
      ? isPart(left, usual.effect)
      : isNothing(left) || isEqual(left, usual.effect);
    if (!isWhole) findings.report('half_applied', `${what}: ${shown(left)} is left`);
    await findings.during('half_applied', what, stepped.checkLeft);
    if (stepped.kills) server = await stepped.start();
    await judgeRepetition(usual, request, first, what);
    await idle();
    judgeEffect(usual, since(await stepped.rows(), before), what);
    await findings.during('half_applied', what, stepped.check);
    return true;
  }

  async function judgeRepetition(
    usual: Usual,
    request: Request,
    first: Answer | null,
    what: string,
  ): Promise<void> {
    const answer = await insist(request);
    const again = await insist(request);
    // Requests without a key are refused once they have taken effect.
    const isKeyed = request.method !== 'DELETE';
    if (answer?.status !== usual.answer.status) {
      if (!isKeyed && answer?.status === 404) return;
      figures.stuck_keys++;
      findings.note(`${what}: a repetition is answered with ${answer?.status} ${answer?.text}`);
    } else if (isKeyed) {
      const isSame = (other: Answer | null) =>
        isDeepStrictEqual({ ...kept(other), replayed: true }, kept(again));
      if (again?.replayed && isSame(answer) && (!isSuccess(first) || isSame(first))) figures.equal_answers++;
      else {
        figures.other_answers++;
        findings.note(`${what}: ${[first, answer, again].map((each) => each?.text).join(' and then ')}`);
      }
    }
  }

  /** Asks until there is an answer that is no refusal for a time; null if there is none in all that time. */
  async function insist(request: Request): Promise<Answer | null> {
    const answers: Answer[] = [];
    const asking = until(async () => {
      const answer = await send(server.url, request);
      if (answer === null || answer.status === 503) return false;
      answers.push(answer);
      return true;
    }, 'no answer');
    await asking.catch(() => {});
    return answers[0] ?? null;
  }

  function judgeEffect(usual: Usual, effect: Rows, what: string): void {
    const difference = since(effect, usual.effect);
    if (isNothing(difference)) {
      figures.one_effect++;
      return;
    }
    const isLess = [...difference.values()].some((count) => count < 0);
    findings.report(isLess ? 'lost' : 'doubled', `${what}: ${shown(difference)} beside the usual effect`);
  }

  return {
    /** The account takes transfers: what others configure later is known at once only on SQLite. */
    async start(): Promise<void> {
      server = await stepped.start();
      const store = await stepped.openStore();
      for (const mode of ['test', 'live'] as const) {
        await addApiKey(store, {
          ...keys[mode],
          tenant: { account: 1, mode },
          permissions: allPermissions,
          name: 'steps',
          nowMs: Date.now(),
        });
      }
      await configure(asService(server, store));
      await store.close();
      await pause(stepped.directoryLagMs);
    },

    /** Tries a change with a kill at so many of its steps, or at each. */
    async tryChange(change: Change, { most, random }: { most: number; random: Random }): Promise<void> {
      const usual = await usually(change);
      const places = placesOf([...usual.steps, ...(stepped.kills ? [ANSWERED] : [])]);
      const chosen = places.length <= most ? places : [random.pick(places)];
      for (const place of chosen) {
        let tries = 1;
        while (tries <= MOST_TRIES && !(await killAt(change, usual, place))) tries++;
        if (tries > MOST_TRIES) figures.places_not_met_again++;
      }
      figures.changes++;
      figures.places += chosen.length;
      rows.push([change.name, stepped.name, places.length, chosen.length]);
    },
  };
}

/** A result that must come: what waits for ever says what it waits for. */
async function soon<Value>(result: Promise<Value>, otherwise: string): Promise<Value> {
  let isThere = false;
  void result.then(() => {
    isThere = true;
  });
  await until(() => isThere, otherwise);
  return result;
}

/** Each step with the number of times that it has come until then. */
function placesOf(steps: readonly string[]): Place[] {
  const times = new Map<string, number>();
  return steps.map((step) => {
    const time = (times.get(step) ?? 0) + 1;
    times.set(step, time);
    return { step, time };
  });
}
