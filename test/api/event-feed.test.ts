/** Readers at the end of the feed: they share reads, and a stream that nobody reads is ended. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { suite, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { FeedEvent } from '../../src/events/event.ts';
import { createLiveUpdates, feedTopic } from '../../src/events/live-updates.ts';
import { createConnectionLimit } from '../../src/http/connection-limit.ts';
import { createEventFeed } from '../../src/http/event-feed.ts';
import { createEventStreams } from '../../src/http/event-stream.ts';
import { createPieces, PIECE_BYTES } from '../../src/http/pieces.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { mockTimers } from '../support/timers.ts';

const tenant: Tenant = { account: 1, mode: 'test' };
const never = new AbortController().signal;

/** A feed in memory, with as much of a store as is needed to read it, that counts how often it is read, and how much. */
function memoryFeed() {
  const live = createLiveUpdates();
  const events: FeedEvent[] = [];
  const feed = {
    reads: 0,
    rows: 0,
    trouble: null as Error | null,
    revokedAt: null as number | null,
    body: '{}',
    /** The number of events that one filtered read scans at most. */
    stretch: 10_000,
  };
  const store = {
    events: {
      async end() {
        return events.length;
      },
      async listSerialized(_tenant: Tenant, { types }: { types?: string[] }, after: number, limit: number) {
        feed.reads++;
        if (feed.trouble) throw feed.trouble;
        const lookedTo = Math.min(types ? after + feed.stretch : events.length, events.length);
        const wanted = events.slice(after, lookedTo).filter(({ type }) => types?.includes(type) ?? true);
        const rows = wanted
          .slice(0, limit)
          .map(({ position, type, body }) => ({ position, type, json: Buffer.from(body) }));
        feed.rows += rows.length;
        if (wanted.length > limit) return { rows, hasMore: true, position: rows.at(-1)?.position ?? after };
        return { rows, hasMore: lookedTo < events.length, position: lookedTo };
      },
    },
    apiKeys: { fetch: async () => ({ revokedAt: feed.revokedAt }) },
  } as unknown as Store;
  return Object.assign(feed, {
    live,
    store,
    reader: createEventFeed({ store, live }),
    /** Adds an event of this type; `tell` is false for one that nobody is told of. */
    add(type = 'checkout.created', { tell = true } = {}): void {
      const position = events.length + 1;
      const event = { position, id: `evt_${position}`, type, sequence: 1, createdAt: 0, body: feed.body };
      events.push(event as unknown as FeedEvent);
      if (tell) live.publish(feedTopic(tenant));
    },
  });
}

/** Time that the test moves; whoever waits has its turns before and after. */
function movedTime(t: TestContext) {
  const timers = mockTimers(t, ['setTimeout', 'setInterval']);
  const turns = async () => {
    for (let i = 0; i < 10; i++) await nextTurn();
  };
  return async (ms: number) => {
    await turns();
    timers.tick(ms);
    await turns();
  };
}

const query = (after: number, types?: readonly string[]) => ({
  tenant,
  types,
  after,
  limit: 100,
  hundredths: false,
});

suite('a page of the feed', () => {
  test('is read in a turn of the event loop of its own, however many ask for one', async () => {
    const feed = memoryFeed();
    for (let i = 0; i < 100; i++) feed.add();
    const pages = Promise.all(Array.from({ length: 20 }, () => feed.reader.page(query(0))));
    let most = 0;
    for (let all = false, before = 0; !all; before = feed.reads) {
      all = await Promise.race([pages.then(() => true), nextTurn(false)]);
      most = Math.max(most, feed.reads - before);
    }
    assert.equal(feed.reads, 20);
    assert.ok(most <= 2, `${most} reads in one turn`);
  });

  test('is whole after one read', async () => {
    const feed = memoryFeed();
    for (let i = 0; i < 150; i++) feed.add();
    const { rows, hasMore } = await feed.reader.page(query(0));
    assert.deepEqual([rows.length, hasMore, feed.reads], [100, true, 1]);
    const rest = await feed.reader.page(query(100));
    assert.deepEqual([rest.rows.length, rest.hasMore, rest.position], [50, false, 150]);
  });

  test('of some types ends where a look ends', async () => {
    const feed = memoryFeed();
    feed.stretch = 40;
    for (let i = 0; i < 100; i++) feed.add(i % 2 === 0 ? 'wanted' : 'other');
    const { rows, hasMore, position } = await feed.reader.page(query(0, ['wanted']));
    assert.ok(rows.length >= 20 && hasMore && position >= 40);
    assert.deepEqual(
      rows.map(({ position }) => position),
      rows.map((_, index) => 2 * index + 1),
    );
  });
});

suite('who waits at the end of a feed', () => {
  test('shares the looks with all the others, however much is committed', async (t) => {
    const pass = movedTime(t);
    const feed = memoryFeed();
    const rare = Array.from({ length: 50 }, () => feed.reader.next(query(0, ['rare']), 60_000, never));
    const all = Array.from({ length: 50 }, () => feed.reader.next(query(0), 60_000, never));
    await pass(1_000);
    feed.reads = 0;
    for (let i = 0; i < 1_000; i++) feed.add();
    await pass(20);
    // A thousand events are several looks; not one for each who waits, nor one for each event.
    assert.ok(feed.reads <= 10, `${feed.reads} reads`);
    for (const page of await Promise.all(all)) assert.deepEqual(page.rows[0]?.position, 1);
    feed.reads = 0;
    feed.add('rare');
    await pass(20);
    for (const { rows, hasMore, position } of await Promise.all(rare)) {
      assert.deepEqual([rows.map((event) => event.position), hasMore, position], [[1_001], false, 1_001]);
    }
    assert.ok(feed.reads <= 2, 'what was looked through is not looked through again');
    feed.reader.close();
  });

  test('looks far for what is rare, one stretch in a turn, and goes no further when the time is over', async (t) => {
    const pass = movedTime(t);
    const feed = memoryFeed();
    feed.stretch = 10;
    for (let i = 0; i < 500; i++) feed.add('other');
    feed.add('rare');
    for (let i = 0; i < 500; i++) feed.add('other');
    const waits = Array.from({ length: 10 }, () => feed.reader.next(query(0, ['rare']), 60_000, never));
    await nextTurn();
    for (let turns = 0, last = feed.reads; turns < 100; turns++, last = feed.reads) {
      await nextTurn();
      assert.ok(feed.reads - last <= 2, `${feed.reads - last} looks in a turn`);
    }
    const client = new AbortController();
    const given = feed.reader.next(query(501, ['rare']), 60_000, client.signal);
    await pass(0);
    client.abort();
    const { rows, hasMore, position } = await given;
    assert.deepEqual([rows, hasMore], [[], true]);
    assert.ok(position > 501 && position < 1_001, 'where to go on');
    for (const page of await Promise.all(waits)) {
      assert.deepEqual(
        page.rows.map((event) => event.position),
        [501],
      );
    }
    const next = feed.reader.next(query(position, ['rare']), 60_000, never);
    for (let turns = 0; turns < 60; turns++) await nextTurn();
    feed.add('rare');
    await pass(20);
    assert.equal((await next).position, 1_002, 'and then waits at the end');
    feed.reader.close();
  });

  test('finds within seconds what nobody has told of', async (t) => {
    const pass = movedTime(t);
    const feed = memoryFeed();
    const page = feed.reader.next(query(0), 60_000, never);
    await pass(100);
    feed.add('checkout.created', { tell: false });
    await pass(2_000);
    await pass(20);
    assert.equal((await page).position, 1);
    feed.reader.close();
  });

  test('misses nothing that happens while it looks for itself', async (t) => {
    const pass = movedTime(t);
    for (let turns = 0; turns < 12; turns++) {
      const feed = memoryFeed();
      const first = feed.reader.next(query(0, ['wanted']), 60_000, never);
      for (let i = 0; i < turns; i++) await Promise.resolve();
      feed.add('other');
      feed.add('wanted');
      const second = feed.reader.next(query(1), 60_000, never);
      await pass(20);
      for (const page of [await first, await second]) assert.equal(page.position, 2, `after ${turns} turns`);
      feed.reader.close();
    }
  });

  test('is told of trouble, and asks again', async (t) => {
    const pass = movedTime(t);
    const feed = memoryFeed();
    const page = assert.rejects(feed.reader.next(query(0), 60_000, never), StoreUnavailable);
    await pass(100);
    feed.trouble = new StoreUnavailable('gone');
    feed.add();
    await pass(20);
    await page;
    feed.trouble = null;
    const again = feed.reader.next(query(0), 60_000, never);
    await pass(20);
    assert.equal((await again).position, 1);
    feed.reader.close();
  });

  test('costs nothing when it has gone', async (t) => {
    const pass = movedTime(t);
    const feed = memoryFeed();
    const client = new AbortController();
    const page = feed.reader.next(query(0), 60_000, client.signal);
    await pass(100);
    client.abort();
    assert.deepEqual(await page, { rows: [], hasMore: false, position: 0 });
    feed.reads = 0;
    for (let i = 0; i < 10; i++) {
      feed.add();
      await pass(2_000);
    }
    assert.equal(feed.reads, 0);
  });
});

/** The part of a reply that a stream uses. It accepts writes until `isFull` is set; then it waits for a drain. */
function fakeReply() {
  const response = Object.assign(new EventEmitter(), {
    text: '',
    longest: 0,
    isFull: false,
    writableNeedDrain: false,
    state: 'open',
    writeHead() {},
    write(piece: string | Uint8Array) {
      response.text += typeof piece === 'string' ? piece : Buffer.from(piece).toString('latin1');
      response.longest = Math.max(response.longest, piece.length);
      response.writableNeedDrain = response.isFull;
      return !response.isFull;
    },
    end() {
      response.state = 'ended';
    },
    destroy() {
      response.state = 'destroyed';
      response.emit('close');
    },
  });
  response.on('drain', () => {
    response.writableNeedDrain = false;
  });
  const reply = { raw: response, hijack: () => {}, getHeaders: () => ({}) };
  return { response, reply: reply as unknown as FastifyReply };
}

async function openStream(feed: ReturnType<typeof memoryFeed>, types?: readonly string[]) {
  const room = createConnectionLimit();
  const { response, reply } = fakeReply();
  const request = { principal: { keyId: 'ak_test_1' } } as unknown as FastifyRequest;
  const streams = createEventStreams(feed.reader, { ...feed, pieces: createPieces() }, room);
  await streams.answer(request, reply, query(0, types));
  return { response, room };
}

suite('a stream', () => {
  test('has a heartbeat with the place to go on from', async (t) => {
    const pass = movedTime(t);
    const feed = memoryFeed();
    const { response } = await openStream(feed, ['wanted']);
    await pass(100);
    for (const type of ['other', 'wanted', 'other']) feed.add(type);
    await pass(20);
    await pass(20_000);
    assert.equal(response.text, 'retry: 3000\nid: 0\n\nid: 2\nevent: wanted\ndata: {}\n\n:\nid: 3\n\n');
    feed.revokedAt = 1;
    await pass(20_000);
    assert.equal(response.state, 'ended', 'with its key');
    feed.reader.close();
  });

  test('reads no further than its client, and gives up one that does not read', async (t) => {
    const pass = movedTime(t);
    const feed = memoryFeed();
    for (let i = 0; i < 1_000; i++) feed.add();
    const { response } = await openStream(feed);
    response.isFull = true;
    await pass(0);
    response.text = '';
    response.emit('drain');
    await pass(59_000);
    const { text } = response;
    assert.equal(text.split('\n\n').length - 1, 1, 'one event at a time');
    assert.ok(feed.reads <= 12, 'what does not fit is left in the feed');
    response.isFull = false;
    response.emit('drain');
    for (let passes = 0; passes < 1_000 && !response.text.includes('id: 1000\n'); passes++) await pass(1);
    assert.match(response.text, /id: 1000\nevent: .*\ndata: {}\n\n$/);
    assert.equal(response.text.match(/^event/gm)?.length, 1_000 - (Number(/\d+/.exec(text)?.[0]) - 1));
    response.isFull = true;
    feed.add();
    await pass(20);
    await pass(60_000);
    assert.equal(response.state, 'ended');
    await pass(1_000);
    assert.equal(response.state, 'destroyed', 'the last bytes are not waited for');
    feed.reader.close();
  });

  test('of long events reads hardly more of them than its client takes', async (t) => {
    const pass = movedTime(t);
    const feed = memoryFeed();
    for (let i = 0; i < 200; i++) feed.add();
    const { response } = await openStream(feed);
    response.isFull = true;
    await pass(0);
    const before = feed.rows;
    const taken = 30;
    for (let i = 0; i < taken; i++) {
      response.emit('drain');
      await pass(0);
    }
    const read = feed.rows - before;
    assert.ok(read <= 2 * taken, `${read} rows were read for ${taken}`);
    response.isFull = false;
    response.emit('drain');
    await pass(20);
    assert.match(response.text, /id: 200\nevent: .*\ndata: {}\n\n$/);
    const whole = feed.reads;
    assert.equal(response.text.match(/^event/gm)?.length, 200);
    assert.ok(whole < taken + 20, `${whole} reads`);
    response.emit('close');
    feed.reader.close();
  });

  test('sends an event that is longer than a piece in pieces, to the end, and gives up where nobody takes them', async (t) => {
    const pass = movedTime(t);
    const feed = memoryFeed();
    feed.body = `"${'x'.repeat(5 * PIECE_BYTES)}"`;
    for (let i = 0; i < 3; i++) feed.add();
    const { response } = await openStream(feed);
    for (let passes = 0; passes < 100 && !response.text.endsWith(`${feed.body}\n\n`); passes++) await pass(0);
    const event = (position: number) => `id: ${position}\nevent: checkout.created\ndata: ${feed.body}\n\n`;
    for (let passes = 0; passes < 20; passes++) await pass(0);
    assert.equal(response.text, `retry: 3000\nid: 0\n\n${event(1)}${event(2)}${event(3)}`);
    assert.equal(response.longest, PIECE_BYTES);
    response.text = '';
    response.isFull = true;
    feed.add();
    await pass(20);
    response.emit('drain');
    await pass(59_000);
    assert.ok(
      response.text.length > PIECE_BYTES && response.text.length <= 2 * PIECE_BYTES,
      'one after a drain',
    );
    assert.equal(response.state, 'open');
    await pass(1_000);
    assert.equal(response.state, 'ended');
    feed.reader.close();
  });

  test('goes on when the database is there again', async (t) => {
    const pass = movedTime(t);
    const feed = memoryFeed();
    const { response } = await openStream(feed);
    await pass(100);
    feed.trouble = new StoreUnavailable('gone');
    feed.add();
    await pass(20);
    feed.trouble = null;
    response.text = '';
    await pass(2_000);
    await pass(20);
    assert.equal(response.text, ':\nid: 0\n\nid: 1\nevent: checkout.created\ndata: {}\n\n');
    feed.reader.close();
  });

  test('ends with the service, also where nobody reads', async (t) => {
    const pass = movedTime(t);
    const feed = memoryFeed();
    const [reading, blocked] = [await openStream(feed), await openStream(feed)];
    await pass(100);
    blocked.response.isFull = true;
    feed.add();
    await pass(20);
    for (const { room, response } of [reading, blocked]) {
      room.close();
      await pass(0);
      assert.equal(response.state, 'ended');
    }
    await pass(1_000);
    assert.equal(blocked.response.state, 'destroyed');
    feed.reader.close();
  });
});

test('the room for those who wait is bounded in all and for each key', () => {
  const room = createConnectionLimit({ maxInAll: 3, maxOfKey: 2 });
  const enter = (key: string, response = new EventEmitter()) =>
    room.enter(key, response as unknown as ServerResponse);
  const refused = (reason: string) => (error: { reason: string }) => error.reason === reason;
  const first = enter('a');
  enter('a');
  assert.throws(() => enter('a'), refused('rate_limited'));
  const client = new EventEmitter();
  const { signal, leave } = enter('b', client);
  assert.throws(() => enter('c'), refused('unavailable'));
  client.emit('close');
  assert.ok(signal.aborted);
  leave();
  leave();
  enter('c');
  first.leave();
  room.close();
  assert.ok(enter('a').signal.aborted, 'what comes when it is closed ends as it begins');
});
