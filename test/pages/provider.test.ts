/** Questions to a rail about a payer who comes back again and again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Attempt } from '../../src/checkout/session.ts';
import type { Rail, RailAnswer } from '../../src/methods/method.ts';
import type { PageDependencies } from '../../src/pages/dependencies.ts';
import { createProviderSteps } from '../../src/pages/provider.ts';
import type { Visit } from '../../src/pages/visit.ts';
import { attempt, checkout, NOW } from '../checkout/build.ts';

/** A rail whose answers wait until the test lets them go. */
function slowRail() {
  const answers: Array<() => void> = [];
  const sync = (_checkout: unknown, { status }: Attempt) =>
    new Promise<RailAnswer>((resolve) => {
      answers.push(() => resolve({ status, reason: '', syncAt: null, payment: null }));
    });
  const rail = { name: 'cards', start: sync, sync } as unknown as Rail;
  return { rail, answers };
}

test('a rail is asked again only after its last answer', async () => {
  const { rail, answers } = slowRail();
  const session = checkout({ attempts: [attempt('requires_action', { rail: 'cards' })] });
  const dependencies = {
    rails: [rail],
    store: { checkouts: { fetch: async () => session } },
    execute: async () => ({ result: { kind: 'unchanged' } }),
  } as unknown as PageDependencies;
  const { comeBack } = createProviderSteps(dependencies, 0);
  const visit = { checkout: session, now: NOW } as Visit;
  const returned = [comeBack(visit), comeBack(visit), comeBack(visit)];
  for (let asked = 1; asked <= 3; asked++) {
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    assert.equal(answers.length, asked);
    answers[asked - 1]?.();
  }
  await Promise.all(returned);
});
