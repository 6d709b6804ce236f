/** Hints that something has changed, by topic. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLiveUpdates, feedTopic } from '../../src/events/live-updates.ts';

test('a listener hears of its topic until it has heard enough, and of no other', () => {
  const { publish, subscribe } = createLiveUpdates();
  const heard: string[] = [];
  const stop = subscribe('one', () => heard.push('first of one'));
  subscribe('one', () => heard.push('second of one'));
  subscribe('other', () => heard.push('other'));
  publish('one');
  stop();
  publish('one');
  publish('nobody');
  assert.deepEqual(heard, ['first of one', 'second of one', 'second of one']);
});

test('each account and mode has a feed of its own', () => {
  const topics = [1, 2].flatMap((account) =>
    (['test', 'live'] as const).map((mode) => feedTopic({ account, mode })),
  );
  assert.equal(new Set(topics).size, 4);
});

test('however many listen to a topic, nobody is warned of a leak', async (t) => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  process.on('warning', warned);
  t.after(() => process.off('warning', warned));
  const { subscribe } = createLiveUpdates();
  for (let n = 0; n < 100; n++) subscribe('one', () => {});
  await nextTurn();
  assert.deepEqual(warnings, []);
});
