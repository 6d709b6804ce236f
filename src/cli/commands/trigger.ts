import { setTimeout as pause } from 'node:timers/promises';
import type { EventType } from '../../checkout/events.ts';
import { keysOf } from '../../lib/keys.ts';
import { SANDBOX_REFUND_OUTCOME } from '../../methods/sandbox/sandbox.ts';
import type { Client } from '../client.ts';
import { apiCommand } from '../declare/access.ts';
import { objectOf } from '../declare/json.ts';
import { optional, required } from '../declare/parameter.ts';
import { choice, nonEmpty } from '../declare/values.ts';
import { Failure } from '../failure.ts';

const MAX_LOOKS = 20;
const LOOK_AGAIN_MS = 250;

type Session = { readonly id: string; readonly url: string };
type Step = (client: Client, session: Session) => Promise<unknown>;
type TimelineEntry = { readonly event: string; readonly type: string; readonly sequence: number };

/** A payer's action; the same payment each time, so that a second call says more of the first. */
const pay =
  (outcome: 'succeeded' | 'failed' | 'requires_action' | 'processing'): Step =>
  (client, { id }) =>
    client.send('POST', `/test_helpers/checkout/${id}/pay`, { outcome, payment_id: `trigger_${id}` });
const expire: Step = (client, { id }) => client.send('POST', `/checkout/${id}/expire`);
const update: Step = (client, { id }) =>
  client.send('PUT', `/checkout/${id}`, { items: [{ name: 'Widget', quantity: 3, unit_price: 1250 }] });

/** Gives back a part; how that ends is up to the metadata in test mode. */
const refund =
  (outcome: 'pending' | 'succeeded' | 'failed'): Step =>
  (client, { id }) =>
    client.send('POST', '/refund', {
      payin: id,
      amount: 1250,
      reason: 'Made by trigger.',
      metadata: { [SANDBOX_REFUND_OUTCOME]: outcome },
    });

/** Events that no test can make: a bank or a card holder takes money back. */
type OnlyOfRails = Extract<EventType, `reversal.${string}`>;

/** Steps that a new session has to go through. */
const recipes: Readonly<Record<Exclude<EventType, OnlyOfRails>, readonly Step[]>> = {
  'checkout.created': [],
  'checkout.updated': [update],
  'checkout.paid': [pay('succeeded')],
  'checkout.expired': [expire],
  'payment_attempt.created': [pay('requires_action')],
  'payment_attempt.requires_action': [pay('requires_action')],
  'payment_attempt.processing': [pay('processing')],
  'payment_attempt.succeeded': [pay('succeeded')],
  'payment_attempt.failed': [pay('failed')],
  'payment_attempt.cancelled': [pay('requires_action'), expire],
  'refund.pending': [pay('succeeded'), refund('pending')],
  'refund.succeeded': [pay('succeeded'), refund('succeeded')],
  'refund.failed': [pay('succeeded'), refund('failed')],
  'payin.requires_payment_method': [pay('requires_action'), pay('failed')],
  'payin.requires_action': [pay('requires_action')],
  'payin.processing': [pay('processing')],
  'payin.succeeded': [pay('succeeded')],
  'payin.cancelled': [expire],
};

const types = keysOf(recipes);

export const command = apiCommand(
  'read',
  'write',
)({
  purpose: 'Trigger an event of a type in test mode.',
  details: [
    'The command creates a session and takes it through the steps that cause the event. It needs a key of test mode.',
  ],
  arguments: { type: required(choice('type', ...types), 'Type of the event.') },
  options: { webhookUrl: optional(nonEmpty('address', 'an address'), 'Receiver of the session’s events.') },
  json: objectOf({
    checkout: 'Id of the session, `chk_…`.',
    url: 'Its payment page.',
    events: 'All of its events, oldest first, each with `sequence`, `event` and `type`.',
  }),
  examples: [
    ['opentill trigger checkout.paid', 'A session that is paid'],
    [
      'opentill trigger refund.failed --webhook-url http://localhost:4000/hooks',
      'With webhooks to this machine',
    ],
  ],
  async run({ type, webhookUrl }, { client, output }) {
    if (client.mode === 'live')
      throw new Failure('trigger takes a key of test mode: it creates sessions and pays them');
    const session = await client.send<Session>('POST', '/checkout', {
      invoice_currency: 'EUR',
      items: [{ name: 'Widget', quantity: 2, unit_price: 1250 }],
      ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
    });
    output.line(`${session.id}  ${session.url}`);
    for (const step of recipes[type]) await step(client, session);

    const timeline = async () =>
      (await client.page<TimelineEntry>(`/checkout/${session.id}/timeline`, { limit: '100' })).data;
    let data = await timeline();
    // The worker's part, such as a refund, comes a moment later.
    for (let looks = 1; looks < MAX_LOOKS && !data.some((entry) => entry.type === type); looks++) {
      await pause(LOOK_AGAIN_MS);
      data = await timeline();
    }
    const events = data.toReversed().map(({ sequence, event, type }) => ({ sequence, event, type }));
    output.record(
      { checkout: session.id, url: session.url, events },
      events.map(({ sequence, event, type }) => [sequence, event, type].join('  ')),
    );
    if (!events.some((event) => event.type === type)) throw new Failure(`no ${type} followed`);
  },
});
