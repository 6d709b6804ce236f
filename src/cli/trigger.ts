/** `trigger`: makes an event of a type by doing in test mode what it comes of. */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { EventType } from '../checkout/events.ts';
import { SANDBOX_REFUND_OUTCOME } from '../methods/sandbox/sandbox.ts';
import { type Client, clientOptions, createClient } from './client.ts';
import { parsed, UsageError } from './usage-error.ts';

const MAX_LOOKS = 20;
const LOOK_AGAIN_MS = 250;

type Session = { readonly id: string; readonly url: string };
type Step = (client: Client, session: Session) => Promise<unknown>;
type TimelineEntry = { readonly event: string; readonly type: string; readonly sequence: number };

/** What a payer does; the same payment each time, so that a second call says more of the first. */
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

/** What no test can make: money that a bank or a card holder takes back. */
type OnlyOfRails = Extract<EventType, `reversal.${string}`>;

/** What has to happen to a new session. */
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

export async function trigger(args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...clientOptions, 'webhook-url': { type: 'string' } },
    }),
  );
  const [type, ...rest] = positionals;
  if (type === undefined) {
    console.log(Object.keys(recipes).join('\n'));
    return;
  }
  if (rest.length > 0) throw new UsageError('trigger takes one type at a time');
  if (!Object.hasOwn(recipes, type))
    throw new UsageError(`no event of the type "${type}" can be made; opentill trigger lists those that can`);
  const client = createClient(values);
  if (client.mode === 'live')
    throw new UsageError('trigger takes a key of test mode: it makes sessions and pays them');

  const session = await client.send<Session>('POST', '/checkout', {
    invoice_currency: 'EUR',
    items: [{ name: 'Widget', quantity: 2, unit_price: 1250 }],
    ...(values['webhook-url'] === undefined ? {} : { webhook_url: values['webhook-url'] }),
  });
  console.log(`${session.id}  ${session.url}`);
  for (const step of recipes[type as keyof typeof recipes]) await step(client, session);

  const timeline = async () =>
    (await client.page<TimelineEntry>(`/checkout/${session.id}/timeline`, { limit: '100' })).data;
  let data = await timeline();
  // What the worker has to do, such as a refund, comes a moment later.
  for (let looks = 1; looks < MAX_LOOKS && !data.some((entry) => entry.type === type); looks++) {
    await pause(LOOK_AGAIN_MS);
    data = await timeline();
  }
  for (const { sequence, type, event } of data.toReversed()) console.log([sequence, event, type].join('  '));
  if (!data.some((entry) => entry.type === type)) throw new UsageError(`no ${type} came of it`);
}
