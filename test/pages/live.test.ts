/** Open pages follow their session, and the streams that tell them are bounded and end with the service. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { createLiveUpdates } from '../../src/events/live-updates.ts';
import { createEventStreams } from '../../src/pages/event-streams.ts';
import type { Store } from '../../src/store/store.ts';
import { checkout } from '../checkout/build.ts';
import { mockTimers } from '../support/timers.ts';
import { openTill, type Till } from './till.ts';

let till: Till;
before(async () => {
  till = await openTill();
});
after(() => till.close());

test('an open page shows that its session was paid, and says so', async () => {
  const session = await till.session();
  const page = await till.page();
  await page.goto(session.url);
  await page.getByLabel('Bancontact').focus();
  await till.pay(session.id);
  await page.locator('main[data-state=paid]').waitFor();
  assert.equal(await page.locator('#announcer').textContent(), 'Payment received');
  assert.match(await page.title(), /^Payment received/);
  // The focused element is gone; the title has the focus now, so that a keyboard starts where the news is.
  assert.equal(await page.evaluate('document.activeElement.id'), 'title');
});

test('an open page follows every change, and keeps what was chosen', async () => {
  const session = await till.session({ items: undefined });
  const page = await till.page();
  await page.goto(session.url);
  assert.equal(await page.locator('main').getAttribute('data-state'), 'draft');
  await till.api('PUT', `/checkout/${session.id}`, {
    items: [{ name: 'Tea', quantity: 1, unit_price: 700 }],
  });
  await page.locator('main[data-state=payable]').waitFor();
  await page.getByLabel('iDEAL').check();
  await page.getByLabel('Only a part is paid').check();
  await page.getByRole('button', { name: 'Pay €7.00' }).focus();
  await till.api('PUT', `/checkout/${session.id}`, {
    items: [{ name: 'Tea', quantity: 2, unit_price: 700 }],
  });
  await page.getByRole('button', { name: 'Pay €14.00' }).waitFor();
  assert.ok(await page.getByLabel('iDEAL').isChecked());
  assert.ok(await page.getByLabel('Only a part is paid').isChecked());
  await till.pay(session.id, { outcome: 'processing', payment_id: 'bank-7' });
  await page.locator('main[data-state=in_progress]').waitFor();
  await till.pay(session.id, { payment_id: 'bank-7' });
  await page.locator('main[data-state=paid]').waitFor();
});

test('an open page shows that its time is over', async () => {
  const session = await till.session({ expires_at: new Date(Date.now() + 3_600_000).toISOString() });
  const page = await till.page();
  await page.goto(session.url);
  await till.advance(3_600);
  await page.locator('main[data-state=expired]').waitFor();
});

test('a page whose stream is refused looks for itself', async () => {
  const session = await till.session();
  const page = await till.page();
  await page.clock.install();
  await page.route('**/events', (route) => route.fulfill({ status: 503 }));
  const refused = page.waitForResponse('**/events');
  await page.goto(session.url);
  await refused;
  await till.pay(session.id);
  await page.clock.runFor(16_000);
  await page.locator('main[data-state=paid]').waitFor();
});

test('a button pays once however often it is pressed', async () => {
  const session = await till.session();
  const page = await till.page();
  await page.goto(session.url);
  let posts = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST') posts++;
  });
  await page.evaluate('for (let i = 0; i < 3; i++) document.querySelector(".primary").click()');
  await page.locator('main[data-state=paid]').waitFor();
  assert.equal(posts, 1);
});

test('a stream tells the version at once and at each change', async () => {
  const session = await till.session();
  const response = await fetch(`${session.url}/events`);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const chunks = response.body?.pipeThrough(new TextDecoderStream()) ?? assert.fail();
  let text = '';
  for await (const chunk of chunks) {
    const seen = text.split('data: ').length;
    text += chunk;
    const now = text.split('data: ').length;
    if (now > seen && now === 2) await till.pay(session.id);
    if (now === 3) break;
  }
  assert.match(text, /^retry: 3000\n\ndata: 1\n\ndata: 2\n\n$/);
});

test('streams end when the service stops, and hold it up no longer', async () => {
  const other = await openTill({ browser: false });
  const session = await other.session();
  const responses = await Promise.all(Array.from({ length: 20 }, () => fetch(`${session.url}/events`)));
  const oneTooMany = await fetch(`${session.url}/events`);
  assert.equal(oneTooMany.status, 503);
  assert.equal(oneTooMany.headers.get('retry-after'), '15');
  const ends = Promise.all(responses.map((response) => response.text()));
  const started = performance.now();
  await other.close();
  await ends;
  assert.ok(performance.now() - started < 5_000);
});

/** The part of a reply that a stream uses. */
function fakeReply() {
  const stream = Object.assign(new EventEmitter(), {
    text: '',
    writableEnded: false,
    writableLength: 0,
    status: 0,
    destroyed: false,
    write: (text: string) => {
      stream.text += text;
    },
    writeHead: (status: number) => {
      stream.status = status;
    },
    destroy: () => {
      stream.destroyed = true;
      stream.emit('close');
    },
    end: () => {
      stream.writableEnded = true;
      stream.emit('close');
    },
  });
  const reply = {
    raw: stream,
    hijack: () => {},
    getHeaders: () => ({}),
    code: (status: number) => {
      stream.status = status;
      return reply;
    },
    header: () => reply,
    type: () => reply,
    send: () => reply,
  };
  return { stream, reply: reply as unknown as FastifyReply };
}

test('streams are bounded in all and for each session, and a closed one makes room', () => {
  const streams = createEventStreams({
    live: createLiveUpdates(),
    store: { checkouts: { fetch: async () => null } } as unknown as Store,
  });
  const open = (id: CheckoutId) => {
    const { stream, reply } = fakeReply();
    streams.answer(reply, checkout({ id }));
    return stream;
  };
  const first = Array.from({ length: 20 }, () => open('chk_a'));
  assert.deepEqual(new Set(first.map(({ status }) => status)), new Set([200]));
  assert.equal(open('chk_a').status, 503);
  first[0]?.end();
  assert.equal(open('chk_a').status, 200);
  for (let i = 20; i < 1_000; i++) assert.equal(open(`chk_${i}`).status, 200);
  assert.equal(open('chk_b').status, 503);
  streams.close();
  assert.ok(first.every(({ writableEnded }) => writableEnded));
  assert.equal(open('chk_c').status, 503);
});

test('a stream says each version once, and goes on when the store does not answer for once', async () => {
  const live = createLiveUpdates();
  const session: Checkout = checkout({ version: 7 });
  let answer: () => Promise<Checkout> = async () => session;
  const store = { checkouts: { fetch: () => answer() } } as unknown as Store;
  const streams = createEventStreams({ live, store });
  const { stream, reply } = fakeReply();
  streams.answer(reply, session);
  live.publish(session.id);
  await nextTurn();
  assert.equal(stream.text, 'retry: 3000\n\ndata: 7\n\n');
  answer = async () => Promise.reject(new Error('gone'));
  live.publish(session.id);
  await nextTurn();
  answer = async () => checkout({ version: 8 });
  live.publish(session.id);
  await nextTurn();
  assert.equal(stream.text, 'retry: 3000\n\ndata: 7\n\ndata: 8\n\n');
  streams.close();
});

test('every stream is kept alive, and one that nobody reads is given up', (t) => {
  const timers = mockTimers(t, ['setInterval']);
  const streams = createEventStreams({
    live: createLiveUpdates(),
    store: { checkouts: { fetch: async () => null } } as unknown as Store,
  });
  const [slow, stuck] = [16_384, 16_385].map((unread) => {
    const { stream, reply } = fakeReply();
    streams.answer(reply, checkout());
    stream.writableLength = unread;
    return stream;
  });
  timers.tick(24_999);
  assert.ok(!slow?.text.includes(':\n\n'));
  timers.tick(1);
  assert.match(slow?.text ?? '', /:\n\n$/);
  assert.deepEqual([slow?.destroyed, stuck?.destroyed], [false, true]);
  streams.close();
});

test('every stream finds what nobody has told it of, as long as it is open', async (t) => {
  const timers = mockTimers(t, ['setInterval']);
  let version = 1;
  let reads = 0;
  const store = {
    checkouts: {
      async fetch() {
        reads++;
        return checkout({ version });
      },
    },
  } as unknown as Store;
  const streams = createEventStreams({ live: createLiveUpdates(), store });
  const open = () => {
    const { stream, reply } = fakeReply();
    streams.answer(reply, checkout({}));
    return stream;
  };
  const look = async () => {
    timers.tick(5_000);
    await nextTurn();
  };
  const [first, second] = [open(), open()];
  await nextTurn();
  version = 2;
  await look();
  for (const { text } of [first, second]) assert.equal(text, 'retry: 3000\n\ndata: 1\n\ndata: 2\n\n');
  first.end();
  version = 3;
  await look();
  assert.match(second.text, /data: 3\n\n$/);
  assert.doesNotMatch(first.text, /data: 3/);
  second.end();
  const before = reads;
  await look();
  assert.equal(reads, before);
  const third = open();
  await nextTurn();
  version = 4;
  await look();
  assert.match(third.text, /data: 3\n\ndata: 4\n\n$/);
  streams.close();
});
