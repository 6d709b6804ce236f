/**
 * Seeded simulations of the whole service but for HTTP: rules, writer, store, worker and delivery, with time, ids, network,
 * provider, disk and crashes in the hands of a seed, and an oracle beside it. `OPENTILL_SEED=7 COUNT=1` repeats one.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { evidence } from '../support/evidence.ts';
import { scaled } from '../support/scale.ts';
import { seed as freshSeed } from '../support/seed.ts';
import { inWorlds } from './histories.ts';
import { stepsOf } from './lots.ts';
import { shrunk } from './shrink.ts';
import { failuresAmong } from './threads.ts';

const USUAL = 60;
const COUNT = Number(process.env.COUNT ?? scaled(90, USUAL));
/** The same histories each time, so that a change is judged by what it changes; further ones where that is asked for. */
const seed = process.env.OPENTILL_SEED === undefined && COUNT === USUAL ? 1 : freshSeed;
/** Lines of a history that are shown in front of its fault. */
const SHOWN = 60;

suite('simulation', () => {
  test(`${COUNT} histories, whatever fails meanwhile`, async (t) => {
    const began = performance.now();
    const failures = await failuresAmong(seed, COUNT);
    const minutes = (performance.now() - began) / 60_000;
    t.diagnostic(`OPENTILL_SEED=${seed} COUNT=${COUNT}: ${Math.round(COUNT / minutes)} histories a minute`);
    const [first] = failures;
    if (first === undefined)
      return evidence(t, 'simulation', { histories: COUNT, minutes: Math.round(10 * minutes) / 10 });
    const told = failures.map((each) => `OPENTILL_SEED=${each.seed} COUNT=1: ${each.fault}`).join('\n');
    const { steps, fault, trace } = await inWorlds(async (run) => {
      const steps = await shrunk(
        stepsOf(first.seed),
        async (some) => (await run(first.seed, some)).fault !== null,
      );
      return { steps, ...(await run(first.seed, steps)) };
    });
    const history = trace.slice(-SHOWN).join('\n');
    assert.fail(`${told}\n\n${steps.length} steps of the first are enough for: ${fault}\n${history}`);
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
