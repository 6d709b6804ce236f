/** Due provider events: whom each leads to, when it is looked at again, and when a person has to look. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { Rail, RailAnswer } from '../../src/methods/method.ts';
import type { ProviderEvent, WaitReason } from '../../src/methods/provider-event.ts';
import { sandbox } from '../../src/methods/sandbox/sandbox.ts';
import { railKey } from '../../src/store/resources/rail-reference.ts';
import type { Store } from '../../src/store/store.ts';
import { dueProviderEvents } from '../../src/worker/provider-events.ts';
import type { Command } from '../../src/writer/command.ts';
import { decideOnProviderEvent } from '../../src/writer/handlers/provider-event.ts';
import type { Execute } from '../../src/writer/writer.ts';
import { attempt, checkout, payment } from '../checkout/build.ts';
import { providerEvent, T } from '../store/build.ts';

const tenant: Tenant = { account: 1, mode: 'live' };
const MINUTE = 60_000;
const answers: RailAnswer = { status: 'processing', reason: '', syncAt: T + 1, payment: null };

const stripe = { rail: 'stripe', status: 'succeeded' } as const;
const charge = payment(1000, { rail: 'stripe', reference: 'py_1', attempt: 'pat_paid' });
const session = checkout({
  tenant,
  attempts: [
    attempt('succeeded', { name: 'paid', ...stripe, reference: 'cs_paid' }),
    attempt('processing', { name: 'other', rail: 'sandbox', reference: 'cs_1' }),
    attempt('processing', { name: 'open', rail: 'stripe', reference: 'cs_1' }),
  ],
  payments: [charge],
});

/** The attempts that the rail is asked about for a provider event, and the event afterwards. */
async function lookAt(
  event: ProviderEvent,
  sync: () => Promise<RailAnswer> = async () => answers,
  stored: ProviderEvent = event,
) {
  const asked: string[] = [];
  const alerts: unknown[] = [];
  let kept = stored;
  const railNamed = (name: string): Rail => ({
    ...sandbox,
    name,
    sync(_checkout, { id }) {
      asked.push(id);
      return sync();
    },
  });
  const owners: Readonly<Record<string, Checkout>> = { cs_1: session, py_1: session };
  const store = {
    providerEvents: { listDue: async () => [event] },
    checkouts: {
      idByReference: async (_tenant: Tenant, rail: string, reference: string) =>
        rail === 'stripe' ? (owners[reference]?.id ?? null) : null,
      fetch: async () => session,
    },
  } as unknown as Pick<Store, 'providerEvents' | 'checkouts'>;
  const execute = (async (command: Command<'provider_event'> | Command<'checkout'>) => {
    if (command.subject !== 'provider_event') return;
    const decided = decideOnProviderEvent(command, { providerEvents: new Map([[railKey(kept), kept]]) });
    assert.ok('value' in decided);
    kept = decided.value;
    return { result: { kind: decided.writes.length > 0 ? 'change' : 'unchanged', value: kept } };
  }) as unknown as Execute;
  const rows = dueProviderEvents({
    store,
    execute,
    rails: [railNamed('sandbox'), railNamed('stripe')],
    onAlert: (...alert) => alerts.push(alert),
    onSilence: () => {},
    onError: (error) => assert.fail(String(error)),
  });
  await rows.attend({ tenant, now: T }, 2);
  return { asked, alerts, kept, standing: [kept.state, kept.dueAt, kept.tries, kept.reason] };
}

suite('a provider event', () => {
  const rows: readonly [
    name: string,
    attemptRef: string | null,
    paymentRef: string | null,
    asked: string[],
  ][] = [
    ['that names an attempt', 'cs_1', null, ['pat_open']],
    ['that names only a payment', null, 'py_1', ['pat_paid']],
    ['that names an attempt that nobody knows, and a payment', 'cs_unknown', 'py_1', ['pat_paid']],
    ['that names nothing', null, null, []],
  ];
  for (const [name, attemptReference, paymentReference, asked] of rows) {
    test(`${name} is done once the rail was asked: ${asked}`, async () => {
      const event = providerEvent('evt_1', { attemptReference, paymentReference });
      const looked = await lookAt(event);
      assert.deepEqual(looked.asked, asked);
      assert.deepEqual(looked.standing, ['done', null, 1, null]);
      assert.deepEqual(looked.alerts, []);
    });
  }

  const silent = () => Promise.reject(new Error('silent'));
  const refuses = async (): Promise<RailAnswer> => ({ ...answers, status: 'unknown', untold: 'key_refused' });
  const untold = 'the rail has not told of the payment of a provider event';
  const unanswered: readonly [
    name: string,
    event: ProviderEvent,
    sync: () => Promise<RailAnswer>,
    alert: string,
    reason: WaitReason,
  ][] = [
    [
      'about no known payment',
      providerEvent('evt_1', { attemptReference: 'cs_unknown' }),
      silent,
      'a provider event matches no known payment',
      'no_session',
    ],
    ['about which no rail answers', providerEvent('evt_1'), silent, untold, 'no_answer'],
    ['about which the rail refuses the key', providerEvent('evt_1'), refuses, untold, 'key_refused'],
    [
      'about a booked payment that the answer of the rail does not fit',
      providerEvent('evt_1', { attemptReference: null, paymentReference: 'py_1' }),
      async () => ({ ...answers, status: 'succeeded', untold: 'answer_unclear' }),
      untold,
      'answer_unclear',
    ],
  ];
  for (const [name, first, sync, alert, reason] of unanswered) {
    test(`${name} is looked at for three days, and then left to a person`, async () => {
      const minutes: (number | null)[] = [];
      let event = first;
      let alerts: unknown[] = [];
      while (event.state === 'waiting' && minutes.length < 20) {
        ({ kept: event, alerts } = await lookAt(event, sync));
        assert.equal(event.reason, reason);
        minutes.push(event.dueAt === null ? null : (event.dueAt - T) / MINUTE);
        if (event.state === 'waiting') assert.deepEqual(alerts, []);
      }
      assert.deepEqual(minutes, [5 / 60, 0.5, 2, 10, 60, 360, 1440, 2880, null]);
      assert.deepEqual([event.state, event.tries], ['open', 9]);
      const about = { account: String(tenant.account), mode: tenant.mode, event: event.id, reason };
      assert.deepEqual(alerts, [['stripe', alert, about]]);
    });
  }

  test('that another process has looked at meanwhile stays as that has left it, unless it is settled', async () => {
    const event = providerEvent('evt_1');
    const open: ProviderEvent = { ...event, state: 'open', dueAt: null, tries: 9, reason: 'key_refused' };
    const later: ProviderEvent = { ...event, dueAt: T + 60 * MINUTE, tries: 4, reason: 'no_session' };
    for (const stored of [open, later]) {
      const { kept, alerts } = await lookAt(event, silent, stored);
      assert.deepEqual([kept, alerts], [stored, []]);
      const { standing } = await lookAt(event, async () => answers, stored);
      assert.deepEqual(standing, ['done', null, stored.tries + 1, null]);
    }
  });

  test('of another rail leads nowhere by the same reference', async () => {
    const { asked, standing } = await lookAt(providerEvent('evt_1', { rail: 'sandbox' }));
    assert.deepEqual(asked, []);
    assert.deepEqual(standing, ['waiting', T + 5_000, 1, 'no_session']);
  });
});
