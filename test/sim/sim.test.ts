/**
 * Seeded simulations of the whole service but for HTTP: rules, writer, store, worker and delivery, with time, ids, network,
 * provider, disk and crashes in the hands of a seed, and an oracle beside it. `OPENTILL_SEED=7 COUNT=1` repeats one.
 */
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, suite, test } from 'node:test';
import { evidence } from '../support/evidence.ts';
import { scaled } from '../support/scale.ts';
import { seed as freshSeed } from '../support/seed.ts';
import { shrunk } from './shrink.ts';
import { makePlace, type Place, type Run, simulate } from './simulation.ts';
import { type Step, stepsOf } from './steps.ts';
import { takeOver } from './world.ts';

const USUAL = 150;
const COUNT = Number(process.env.COUNT ?? scaled(USUAL));
/** The same histories each time, so that a change is judged by what it changes; further ones where that is asked for. */
const seed = process.env.OPENTILL_SEED === undefined && COUNT === USUAL ? 1 : freshSeed;
/** Nothing here waits for a disk. */
const MEMORY = '/dev/shm';
/** Lines of a history that are shown in front of its fault. */
const SHOWN = 60;

suite('simulation', () => {
  let place: Place | undefined;
  after(() => {
    if (place !== undefined) rmSync(place.directory, { recursive: true });
  });

  /** Runs in a world that is given back behind it. */
  async function inWorlds<T>(
    work: (run: (seed: number, steps?: readonly Step[]) => Promise<Run>) => Promise<T>,
  ): Promise<T> {
    place ??= await makePlace(existsSync(MEMORY) ? MEMORY : tmpdir());
    const { directory, template } = place;
    const worlds = takeOver();
    try {
      return await work((one, steps = stepsOf(one)) =>
        simulate({ directory, template }, worlds.create(one), steps),
      );
    } finally {
      worlds.restore();
    }
  }

  test(`${COUNT} histories, whatever fails meanwhile`, async (t) => {
    t.diagnostic(`OPENTILL_SEED=${seed} COUNT=${COUNT}`);
    const failure = await inWorlds(async (run) => {
      for (let one = seed; one < seed + COUNT; one++) {
        const { fault } = await run(one);
        if (fault === null) continue;
        const steps = await shrunk(stepsOf(one), async (some) => (await run(one, some)).fault !== null);
        return { one, fault, steps, shorter: await run(one, steps) };
      }
      return null;
    });
    if (failure === null) return evidence(t, 'simulation', { histories: COUNT });
    const { one, fault, steps, shorter } = failure;
    const history = shorter.trace.slice(-SHOWN).join('\n');
    assert.fail(
      `OPENTILL_SEED=${one} COUNT=1: ${fault}\n\n${steps.length} steps are enough for: ${shorter.fault}\n${history}`,
    );
  });

  test('the same seed is the same run', async () => {
    await inWorlds(async (run) => {
      for (const one of [seed, seed + 1, seed + 2]) {
        const first = await run(one);
        // Each of its steps, of which there are forty at least.
        assert.ok(first.trace.length >= 40);
        assert.deepEqual((await run(one)).trace, first.trace);
      }
    });
  });
});
