import assert from 'node:assert/strict';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const program = `
  const { parentPort } = require('node:worker_threads');
  const { getPriority } = require('node:os');
  import(${JSON.stringify(import.meta.resolve('../../src/lib/thread-priority.ts'))}).then(({ yieldToServing }) => {
    yieldToServing();
    parentPort.postMessage(getPriority());
  });`;

test('a thread in the background goes behind the one that serves, which stays as it is', async () => {
  const before = getPriority();
  const [ofThread] = await once(new Worker(program, { eval: true }), 'message');
  if (process.platform === 'linux') assert.equal(ofThread, Math.min(before + 10, 19));
  assert.equal(getPriority(), before);
});
