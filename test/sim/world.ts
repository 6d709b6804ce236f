/**
 * Time and chance of a simulation: everything in the process that asks for the time, sets a timer or draws lots gets it
 * from here, so the code under test needs no seam for that and cannot forget one. Timers fire when `pass` says so, in
 * the order in which they are due. `setImmediate` stays real: turns of the event loop are in order by themselves.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { restartIds } from '../../src/lib/id.ts';
import { type Random, randomFrom } from '../crash/random.ts';

type Timer = { readonly at: number; readonly fire: () => void };

/** The first moment of every simulation. */
const START_MS = Date.UTC(2027, 0, 4);
/** Turns of the event loop without any activity after which nothing will happen any more until time passes. */
const IDLE_TURNS = 4;

export type World = {
  /** Milliseconds since the beginning, by a clock that cannot be set. */
  elapsed(): number;
  /** The clock of the machine, which can. */
  wall(): number;
  setWall(byMs: number): void;
  /** Notes that something has happened, so that what follows from it is waited for. */
  stir(): void;
  /** Resolves when nothing happens any more at this moment. */
  settled(): Promise<void>;
  /** Lets time pass, and fires what is due by then. */
  pass(ms: number): Promise<void>;
  /** Forgets the timers of a process that has ended. */
  forgetTimers(): void;
};

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  dateNow: Date.now,
  random: Math.random,
  randomBytes: crypto.randomBytes,
  pause: timersPromises.setTimeout,
};

/** Takes time and chance over for this process; `create` begins anew from a seed, and `restore` gives them back. */
export function takeOver() {
  let timers: Timer[] = [];
  let elapsedMs = 0;
  let wallMs = START_MS;
  let activity = 0;
  let random: Random = randomFrom(0);

  const setTimer = <Args extends unknown[]>(
    call: (...args: Args) => void,
    ms = 0,
    ...args: Args
  ): Timer & { unref(): void } => {
    const timer = { at: elapsedMs + ms, fire: () => call(...args), unref() {} };
    timers.push(timer);
    return timer;
  };
  Object.assign(globalThis, {
    setTimeout: setTimer,
    // Other code in this process may end a timer from before.
    clearTimeout: (timer: Timer | NodeJS.Timeout | undefined) => {
      if (timer !== undefined && 'fire' in timer) timers = timers.filter((each) => each !== timer);
      else real.clearTimeout(timer);
    },
  });
  Date.now = () => wallMs;
  Math.random = () => random.next();
  Object.defineProperty(performance, 'now', { configurable: true, value: () => elapsedMs });
  Object.assign(crypto, {
    randomBytes: (length: number) =>
      Buffer.from(Uint8Array.from({ length }, () => Math.floor(random.next() * 256))),
  });
  Object.assign(timersPromises, {
    setTimeout: (ms: number) => new Promise<void>((resolve) => setTimer(() => resolve(), ms)),
  });
  syncBuiltinESMExports();

  async function settled(): Promise<void> {
    for (let idle = 0, seen = activity; idle < IDLE_TURNS; idle++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (activity !== seen) idle = 0;
      seen = activity;
    }
  }

  return {
    create(seed: number): World {
      timers = [];
      elapsedMs = 0;
      wallMs = START_MS;
      random = randomFrom(seed);
      restartIds();
      return {
        elapsed: () => elapsedMs,
        wall: () => wallMs,
        setWall: (byMs) => {
          wallMs += byMs;
        },
        stir: () => {
          activity++;
        },
        settled,
        async pass(ms) {
          elapsedMs += ms;
          wallMs += ms;
          const due = timers.filter(({ at }) => at <= elapsedMs).sort((one, other) => one.at - other.at);
          timers = timers.filter(({ at }) => at > elapsedMs);
          for (const { fire } of due) fire();
          await settled();
        },
        forgetTimers: () => {
          timers = [];
        },
      };
    },

    restore(): void {
      Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
      Date.now = real.dateNow;
      Math.random = real.random;
      Reflect.deleteProperty(performance, 'now');
      Object.assign(crypto, { randomBytes: real.randomBytes });
      Object.assign(timersPromises, { setTimeout: real.pause });
      syncBuiltinESMExports();
    },
  };
}
