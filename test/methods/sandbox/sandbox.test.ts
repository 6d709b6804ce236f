/** The rail of test mode: what each outcome comes to. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { RailAnswer, RefundAnswer } from '../../../src/methods/method.ts';
import {
  SANDBOX_REFUND_OUTCOME,
  type SandboxOutcome,
  sandbox,
  sandboxAnswer,
  sandboxPlan,
} from '../../../src/methods/sandbox/sandbox.ts';
import { attempt, checkout, NOW } from '../../checkout/build.ts';
import { refund } from '../../checkout/build-refunds.ts';

const SLOW_MS = 10_000;
const asked = attempt('processing', { amount: 1001, reference: 'sbx_1' });
const nothing = { reason: '', syncAt: null, payment: null };
const received = (amount: number): RailAnswer => ({
  ...nothing,
  status: 'succeeded',
  payment: { reference: 'sbx_1', amount },
});

suite('an attempt of test mode', () => {
  const outcomes: Readonly<Record<SandboxOutcome, RailAnswer>> = {
    succeeds: received(1001),
    pays_part: received(501),
    pays_too_much: received(1102),
    fails: { ...nothing, status: 'failed', reason: 'The payment was declined.' },
    further_step: { ...nothing, status: 'requires_action' },
    takes_a_while: { ...nothing, status: 'processing', syncAt: NOW + SLOW_MS },
  };
  for (const [outcome, answer] of Object.entries(outcomes) as [SandboxOutcome, RailAnswer][]) {
    test(`that ${outcome}`, () => {
      assert.deepEqual(sandboxAnswer(outcome, asked, NOW), answer);
      const { reference, ...plan } = sandboxPlan(outcome, NOW);
      assert.match(reference, /^sbx_[0-9a-z]{26}$/);
      const waits = outcome === 'further_step';
      assert.deepEqual(plan, {
        status: waits ? 'requires_action' : 'processing',
        syncAt: waits ? null : NOW + SLOW_MS,
        details: {},
      });
    });
  }

  test('that was slow has succeeded when it is asked about', async () => {
    assert.deepEqual(await sandbox.sync(checkout(), asked, NOW), received(1001));
  });
});

suite('a refund of test mode', () => {
  const rows: readonly [outcome: unknown, answer: RefundAnswer][] = [
    [undefined, { status: 'succeeded', reference: 'sbx_rfd_a', failure: '', syncAt: null }],
    ['pending', { status: 'pending', reference: '', failure: '', syncAt: null }],
    [
      'failed',
      { status: 'failed', reference: 'sbx_rfd_a', failure: 'The refund was refused.', syncAt: null },
    ],
  ];
  for (const [outcome, answer] of rows) {
    test(`with the outcome ${outcome}`, async () => {
      const metadata = outcome === undefined ? {} : { [SANDBOX_REFUND_OUTCOME]: String(outcome) };
      assert.deepEqual(await sandbox.refund(checkout(), refund(500, { metadata }), NOW), answer);
    });
  }
});
