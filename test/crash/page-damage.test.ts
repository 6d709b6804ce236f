/**
 * A page of the database file is damaged, as by a disk that fails. Whoever asks may be refused, but gets no other answer
 * than before, and the check and the backup name what is wrong.
 *
 * OPENTILL_SEED repeats the damages of a run.
 */
import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { evidence } from '../support/evidence.ts';
import { freshDirectory, run, type Server, serve } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { damagePage, differences } from './page-damage.ts';
import { randomFrom } from './random.ts';
import { answersOf, CHECKOUT_URL, fillShop } from './told.ts';

const damages = scaled(2);
/** Tables without money that merchants are told of: a number in them may change unnoticed. */
const OF_DELIVERIES = new Set(['delivery', 'delivery_attempt', 'webhook_receiver']);
const COMMAND_LIMIT_MS = 60_000;

test(`a damaged page is never taken for what was written, ${damages} times`, {
  timeout: 60_000 + damages * 60_000,
}, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const directory = freshDirectory(t);
  const healthy = join(directory, 'healthy.db');
  const path = join(directory, 'damaged.db');
  const settings = { DATABASE_URL: `sqlite:${path}`, CHECKOUT_URL };
  const authorization = await fillShop(t, healthy);
  const server = await serve(t, { ...settings, DATABASE_URL: `sqlite:${healthy}` });
  const { told: known } = await answersOf(server.url, authorization, null);
  await server.kill('SIGTERM');

  const counts = { named: 0, without_effect: 0, unnoticed_in_deliveries: 0, refused_starts: 0, refusals: 0 };
  let answers = 0;
  for (let n = 0; n < damages; n++) {
    for (const each of ['', '-wal', '-shm', '.backup']) rmSync(path + each, { force: true });
    copyFileSync(healthy, path);
    const what = `damage ${n} of seed ${seed}, ${damagePage(path, random)}`;
    const changed = differences(healthy, path);

    const named = await areNamed(t, what, path);
    if (named) counts.named++;
    else if (changed.length === 0) counts.without_effect++;
    else {
      const others = changed.filter((table) => !OF_DELIVERIES.has(table));
      assert.deepEqual(others, [], `${what}: nobody names it`);
      counts.unnoticed_in_deliveries++;
    }

    const server = await started(t, settings);
    if (server === null) {
      counts.refused_starts++;
      continue;
    }
    const { told, failures } = await answersOf(server.url, authorization, known);
    for (const [question, answer] of told) {
      if (answer === null) counts.refusals++;
      else assert.equal(answer, known.get(question), `${what}: another answer to ${question}`);
    }
    answers += told.size;
    if (failures > 0) assert.match(server.output.stderr, /request failed/, `${what}: no line says why`);
    assert.deepEqual(await server.kill('SIGTERM'), { code: 0, signal: null }, what);
  }
  evidence(t, 'page-damage', { damages, ...counts, answers });
});

/** True if both commands name the damage; false if neither does. Both have to end. */
async function areNamed(t: TestContext, what: string, path: string): Promise<boolean> {
  const settings = { DATABASE_URL: `sqlite:${path}` };
  const isNamed = async (args: readonly string[]): Promise<boolean> => {
    const command = run(t, args, settings);
    const timer = setTimeout(() => command.child.kill('SIGKILL'), COMMAND_LIMIT_MS);
    const { code, signal } = await command.ended;
    clearTimeout(timer);
    const { stdout, stderr } = command.output;
    assert.equal(signal, null, `${what}: opentill ${args.join(' ')} does not end`);
    if (code === 0) return false;
    assert.match(stderr, /^opentill: [^\n]+$/m, `${what}: ${stderr}`);
    assert.doesNotMatch(stdout + stderr, /^ {4}at /m, what);
    return true;
  };
  const named = await Promise.all([isNamed(['db', 'check']), isNamed(['db', 'backup', `${path}.backup`])]);
  assert.equal(named[0], named[1], `${what}: the check and the backup are not of one mind`);
  return named[0] === true;
}

/** Null if it refuses to start, and says why. */
async function started(t: TestContext, settings: Readonly<Record<string, string>>): Promise<Server | null> {
  try {
    return await serve(t, settings);
  } catch (error) {
    assert.match((error as Error).message, /before it was ready: (\{.+\}\n)*opentill: [^\n]+\n$/);
    return null;
  }
}
