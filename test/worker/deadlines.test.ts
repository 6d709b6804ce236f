/** A session whose time has come: its rails are asked before time passes for it, one after the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Rail } from '../../src/methods/method.ts';
import { sandbox } from '../../src/methods/sandbox/sandbox.ts';
import type { Store } from '../../src/store/store.ts';
import { attendTo, type TimerDependencies } from '../../src/worker/deadlines.ts';
import type { Execute } from '../../src/writer/writer.ts';
import { attempt, checkout, NOW } from '../checkout/build.ts';
import { refund } from '../checkout/build-refunds.ts';

/** Calls about this session, in order; rails and the writer take their time. */
async function attended(session: Checkout | null): Promise<string[]> {
  const happened: string[] = [];
  const rail: Rail = {
    ...sandbox,
    async sync(of, asked, now) {
      happened.push(`ask about ${asked.id}`);
      await nextTurn();
      return sandbox.sync(of, asked, now);
    },
    async refund(of, asked, now) {
      happened.push(`make ${asked.id}`);
      await nextTurn();
      return sandbox.refund(of, asked, now);
    },
  };
  const execute = (async ({ command }: { readonly command: { readonly type: string } }) => {
    await nextTurn();
    happened.push(command.type);
  }) as unknown as Execute;
  const fail = (problem: unknown) => assert.fail(String(problem));
  const dependencies: TimerDependencies = {
    store: { checkouts: { fetch: async () => session } } as unknown as Store,
    execute,
    rails: [rail],
    leaseNow: () => NOW,
    onAlert: fail,
    onSilence: fail,
    onError: fail,
  };
  await attendTo(dependencies, { account: 1, mode: 'test' }, 'chk_1', NOW);
  return happened;
}

test('due work of a session is done step by step, and the rest is left alone', async () => {
  const session = checkout({
    attempts: [
      attempt('processing', { name: 'due', syncAt: NOW }),
      attempt('processing', { name: 'later', syncAt: NOW + 1 }),
      attempt('succeeded', { name: 'done' }),
    ],
    refunds: [
      refund(1, { id: 'rfd_late', syncAt: NOW - 1 }),
      refund(1, { id: 'rfd_due', syncAt: NOW }),
      refund(1, { id: 'rfd_later', syncAt: NOW + 1 }),
    ],
  });
  assert.deepEqual(await attended(session), [
    ...['ask about pat_due', 'report'],
    ...['make rfd_late', 'report_refund'],
    ...['make rfd_due', 'report_refund'],
    'tick',
  ]);
});

test('a session that is gone is left alone', async () => assert.deepEqual(await attended(null), []));
