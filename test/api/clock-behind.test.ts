/** A start with a clock that is behind the times that were stored: it is told, and nothing else comes of it. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { freshTestDatabase } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { advance, createSession } from './shop.ts';

const START = Date.parse('2030-01-15T12:00:00Z');
const MINUTE = 60_000;
const DAY = 86_400_000;

/** The lines of a start at another time, behind a service in which this was done. */
async function toldAfter(
  t: TestContext,
  work: (service: TestService) => Promise<unknown>,
  restartAt: number,
): Promise<Array<{ level: number; seconds: number; newest: string }>> {
  const database = await freshTestDatabase();
  t.after(() => database.remove());
  const first = await startService(t, { database, realNow: () => START });
  await work(first);
  await first.stop();
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  const { call } = await startService(t, { database, realNow: () => restartAt, logger });
  assert.equal((await call('GET', '/readyz')).status, 200);
  return lines.map((line) => JSON.parse(line)).filter(({ newest }) => newest !== undefined);
}

suite('a start', () => {
  test('tells of a clock that was set back a day', async (t) => {
    const told = await toldAfter(t, createSession, START - DAY);
    assert.equal(told.length, 1);
    const [{ level, seconds, newest } = { level: 0, seconds: 0, newest: '' }] = told;
    assert.deepEqual([level, seconds, newest], [50, 86_400, '2030-01-15T12:00:00.000Z']);
  });

  test('tells nothing of a clock that is a little behind, or ahead', async (t) => {
    assert.deepEqual(await toldAfter(t, createSession, START - MINUTE), []);
    assert.deepEqual(await toldAfter(t, createSession, START + DAY), []);
  });

  test('takes no time of a test clock for one that has been', async (t) => {
    const work = async (service: TestService) => {
      await createSession(service);
      await advance(service, 40 * 86_400);
      await createSession(service);
    };
    assert.deepEqual(await toldAfter(t, work, START), []);
    assert.equal((await toldAfter(t, work, START - DAY)).length, 1);
  });

  test('tells nothing of a new database', async (t) => {
    assert.deepEqual(await toldAfter(t, async () => {}, START - DAY), []);
  });
});
