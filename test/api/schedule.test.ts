/**
 * The whole schedule of a delivery that fails again and again, as a merchant sees it, and what becomes of everything
 * else that waits for its receiver. Real time stands still in these tests; only the test clock moves.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MAX_ATTEMPTS, MAX_RETRY_AFTER_MS, nextAttemptDelayMs } from '../../src/webhooks/backoff.ts';
import { startService, type TestService } from '../support/service.ts';
import { createEndpoint, deliveries, fetchEndpoint, settled } from './endpoint.ts';
import { startReceiver } from './receiver.ts';
import { advance, createSession, type Data, feed, order, succeeded, until } from './shop.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A service whose clock shows the same until the test moves it. */
async function startedNow(t: TestContext) {
  const start = Date.now();
  const service = await startService(t, { realNow: () => start });
  let now = start;
  return {
    service,
    start,
    now: () => now,
    /** Moves the clock on by so many whole seconds. */
    async pass(seconds: number): Promise<void> {
      if (seconds > 0) now = Date.parse(await advance(service, seconds));
    },
  };
}

type Clock = Awaited<ReturnType<typeof startedNow>>;

async function deliveryOf({ service }: Pick<Clock, 'service'>, id: string): Promise<Data> {
  return succeeded(await service.call('GET', `/v3/webhook_delivery/${id}`));
}

/** The only delivery so far, after its first attempt. */
async function firstDelivery(service: TestService): Promise<Data> {
  return until(async () => (await deliveries(service)).find(({ attempts }) => attempts === 1));
}

/** Moves the clock to the next attempt: there is none before its time, and one at it. */
async function nextAttempt(clock: Clock, before: Data): Promise<Data> {
  const seconds = Math.ceil((Date.parse(before.next_attempt_at) - clock.now()) / SECOND);
  await clock.pass(seconds - 1);
  const early = await deliveryOf(clock, before.id);
  assert.deepEqual([early.attempts, early.next_attempt_at], [before.attempts, before.next_attempt_at]);
  await clock.pass(1);
  const after = await deliveryOf(clock, before.id);
  assert.equal(after.attempts, before.attempts + 1);
  return after;
}

type Wait = { readonly number: number; readonly waitMs: number; readonly sinceFirstMs: number };

/** The waits before each attempt but the first. */
function waitsOf({ attempt_log: log }: Data): Wait[] {
  const times: number[] = log.map(({ created_at }: Data) => Date.parse(created_at));
  return times.slice(1).map((at, index) => ({
    number: index + 2,
    waitMs: at - (times[index] as number),
    sinceFirstMs: at - (times[0] as number),
  }));
}

function readable(ms: number): string {
  if (ms < 2 * MINUTE) return `${(ms / SECOND).toFixed(1)} s`;
  return ms < 2 * HOUR ? `${(ms / MINUTE).toFixed(1)} min` : `${(ms / HOUR).toFixed(1)} h`;
}

const ofEndpoint = (events: readonly Data[], id: string): string[] =>
  events
    .filter(({ type, data }) => type.startsWith('webhook_endpoint.') && data.id === id)
    .map(({ type }) => type);

test('a delivery is tried for days; others wait, and all arrive when the receiver is there again', async (t) => {
  const clock = await startedNow(t);
  const { service, pass } = clock;
  let status = 503;
  const receiver = await startReceiver(t, () => status);
  const watching = await startReceiver(t);
  const { id: endpoint } = await createEndpoint(service, { url: receiver.url, events: ['checkout.*'] });
  await createEndpoint(service, { url: watching.url, events: ['webhook_endpoint.*'] });
  const health = async () => (await fetchEndpoint(service, endpoint)).health;

  await createSession(service);
  let delivery = await deliveryOf(clock, (await firstDelivery(service)).id);
  while (delivery.status === 'pending') delivery = await nextAttempt(clock, delivery);
  assert.deepEqual(
    [delivery.status, delivery.attempts, delivery.last_error, delivery.next_attempt_at],
    ['failed', MAX_ATTEMPTS, 'status 503', null],
  );
  const waits = waitsOf(delivery);
  assert.equal(waits.length, MAX_ATTEMPTS - 1);
  for (const { number, waitMs, sinceFirstMs } of waits) {
    t.diagnostic(
      `attempt ${number} after ${readable(waitMs)}, ${readable(sinceFirstMs)} since the first one`,
    );
    const nominalMs = nextAttemptDelayMs(number - 1, 0, null) ?? assert.fail();
    const durationMs = delivery.attempt_log[number - 2].duration_ms;
    assert.ok(waitMs >= nominalMs, `attempt ${number} came after ${waitMs} ms`);
    assert.ok(waitMs <= 1.25 * nominalMs + durationMs, `attempt ${number} came after ${waitMs} ms`);
  }
  assert.ok((waits.at(-1)?.sinceFirstMs ?? 0) >= 72 * HOUR);
  assert.equal(receiver.deliveries.length, MAX_ATTEMPTS);
  for (const { text } of receiver.deliveries) assert.equal(text, receiver.deliveries[0]?.text);

  const suspended = await health();
  assert.deepEqual(
    [suspended.status, suspended.consecutive_failures, suspended.last_error],
    ['suspended', MAX_ATTEMPTS, 'status 503'],
  );
  assert.equal(Date.parse(suspended.failing_since), clock.start);
  assert.deepEqual(ofEndpoint(await feed(service), endpoint), ['webhook_endpoint.suspended']);

  const SESSIONS = 40;
  const EACH = 3;
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      const { id } = await createSession(service);
      succeeded(await service.call('PUT', `/v3/checkout/${id}`, { body: { items: order.items } }));
      succeeded(await service.call('POST', `/v3/checkout/${id}/expire`));
      return id as string;
    }),
  );
  for (let minute = 0; minute < 30; minute++) await pass(60);
  const probes = receiver.deliveries.length - MAX_ATTEMPTS;
  assert.ok(probes >= 5 && probes <= 7, `${probes} probes in half an hour`);
  const waiting: Data[] = [];
  for (const id of sessions) waiting.push(...(await deliveries(service, `&checkout=${id}`)));
  assert.equal(waiting.length, SESSIONS * EACH);
  assert.ok(waiting.every((each) => each.status === 'pending'));
  const tried = waiting.reduce((sum, { attempts }) => sum + attempts, 0);
  assert.equal(tried, probes, 'only probes are attempts');
  // Only the first delivery of each session has a due time.
  assert.equal(waiting.filter((each) => each.next_attempt_at !== null).length, SESSIONS);
  assert.equal((await health()).status, 'suspended');

  status = 200;
  const seconds = Math.ceil((Date.parse((await health()).next_probe_at) - clock.now()) / SECOND);
  assert.ok(seconds <= 300);
  const before = receiver.deliveries.length;
  await pass(seconds - 1);
  assert.equal(receiver.deliveries.length, before, 'nothing goes out before the next probe');
  await pass(1);
  await settled(service);
  const arrived = receiver.deliveries.slice(before).map(({ event }) => event);
  assert.equal(arrived.length, SESSIONS * EACH);
  assert.equal(new Set(arrived.map(({ id }) => id)).size, SESSIONS * EACH, 'each of them once');
  for (const id of sessions) {
    const sequences = arrived.filter(({ data }) => data.id === id).map(({ sequence }) => sequence);
    assert.deepEqual(sequences, [1, 2, 3]);
  }
  t.diagnostic(
    `${arrived.length} events of ${SESSIONS} sessions waited through ${probes} probes and arrived once, in order`,
  );
  assert.equal((await health()).status, 'healthy');
  const told = ['webhook_endpoint.suspended', 'webhook_endpoint.resumed'];
  assert.deepEqual(ofEndpoint(await feed(service), endpoint), told);
  assert.deepEqual(
    watching.deliveries.map(({ event }) => event.type),
    told,
  );
});

test('Retry-After puts an attempt off, by a day at most, and never brings it forward', async (t) => {
  const clock = await startedNow(t);
  const { service, start } = clock;
  // Dates in real time, which is the time that receivers know.
  const dateMs = Math.ceil((start + 3 * HOUR) / SECOND) * SECOND;
  const asked: ReadonlyArray<readonly [header: string, leastMs: number, mostMs: number]> = [
    ['7200', 2 * HOUR, 2 * HOUR],
    [new Date(dateMs).toUTCString(), dateMs - start, dateMs - start],
    ['172800', MAX_RETRY_AFTER_MS, MAX_RETRY_AFTER_MS],
    [new Date(start + 48 * HOUR).toUTCString(), MAX_RETRY_AFTER_MS, MAX_RETRY_AFTER_MS],
    // Both values lead to the fifth and sixth wait of the schedule.
    ['1', 1_280 * SECOND, 1_600 * SECOND],
    [new Date(start - HOUR).toUTCString(), 5_120 * SECOND, 6_400 * SECOND],
  ];
  const receiver = await startReceiver(t, (_, count) => {
    const [header] = asked[count - 1] ?? [];
    return header === undefined ? 200 : { status: 503, headers: { 'retry-after': header } };
  });
  await createSession(service, { webhook_url: receiver.url });
  let delivery = await deliveryOf(clock, (await firstDelivery(service)).id);
  while (delivery.status === 'pending') delivery = await nextAttempt(clock, delivery);
  assert.deepEqual([delivery.status, delivery.attempts], ['delivered', asked.length + 1]);
  for (const { number, waitMs } of waitsOf(delivery)) {
    const [header, leastMs, mostMs] = asked[number - 2] ?? assert.fail();
    const durationMs = delivery.attempt_log[number - 2].duration_ms;
    t.diagnostic(`Retry-After: ${header}: attempt ${number} after ${readable(waitMs)}`);
    assert.ok(waitMs >= leastMs && waitMs <= mostMs + durationMs, `${header}: ${waitMs} ms`);
  }
});
