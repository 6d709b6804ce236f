import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Checkout } from '../../src/checkout/session.ts';
import type { EventId, EventRow, FeedEvent } from '../../src/events/event.ts';
import { outlined } from '../../src/events/outline.ts';
import type { Page } from '../../src/store/page.ts';
import type { Unit } from '../../src/store/store.ts';
import { happen } from './aged.ts';
import { add, change, changed, eventOf, type Open, session, T, write } from './build.ts';
import { alsoReopened, onSharedStore } from './each.ts';

const positions = (rows: readonly FeedEvent[]) => rows.map(({ position }) => position);
const sequences = (rows: readonly EventRow[]) => rows.map(({ sequence }) => sequence);

export function eventSuite(open: Open): void {
  const it = onSharedStore(open);

  suite('events', () => {
    it('are numbered without gaps in each account and mode', async ({
      store,
      reopen,
      mine,
      live,
      theirs,
    }) => {
      for (const tenant of [mine, live, mine, theirs, mine, live]) await add(store, session(tenant));
      const again = await reopen();
      await add(again, session(mine));
      for (const [tenant, expected] of [
        [mine, [1, 2, 3, 4]],
        [live, [1, 2]],
        [theirs, [1]],
      ] as const) {
        assert.deepEqual(positions((await again.events.list(tenant, {}, 0, 100)).rows), expected);
      }
    });

    it('of one session are numbered in their order', async ({ store, mine }) => {
      const made = [1, 2, 3].map(() => {
        const first = session(mine, { eventCount: 2 });
        return { first, second: changed(first, { eventCount: 4 }) };
      });
      const units = (pairs: ReadonlyArray<[before: Checkout | null, after: Checkout]>) =>
        pairs.map(([before, after]): Unit => {
          const events = [after.eventCount - 1, after.eventCount].map((sequence) =>
            eventOf(after, 'x.y', { sequence }),
          );
          const needs = { tenant: mine, checkouts: before === null ? [] : [before.id] };
          return { needs, decide: () => [{ checkout: { before, after }, events }] };
        });
      await store.commit(units(made.map(({ first }) => [null, first])));
      await store.commit(units(made.map(({ first, second }) => [first, second])));
      const { rows } = await store.events.list(mine, {}, 0, 100);
      assert.deepEqual(positions(rows), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      for (const { first } of made) {
        assert.deepEqual(sequences(rows.filter(({ subject }) => subject === first.id)), [1, 2, 3, 4]);
      }
    });

    it('leave no gap where a batch failed', async ({ store, mine }) => {
      const one = await add(store, session(mine));
      const after = changed(one, {});
      const failing: Unit = {
        needs: { tenant: mine },
        decide() {
          throw new Error('no');
        },
      };
      const writing: Unit = {
        needs: { tenant: mine },
        decide: () => [{ checkout: { before: one, after }, events: [eventOf(after)] }],
      };
      await assert.rejects(store.commit([writing, failing]));
      await change(store, one, { amount: 5 });
      assert.deepEqual(positions((await store.events.list(mine, {}, 0, 100)).rows), [1, 2]);
    });

    it('come back byte for byte, to their own account and mode', async ({
      store,
      reopen,
      mine,
      live,
      theirs,
    }) => {
      const one = session(mine);
      const event = eventOf(one, 'checkout.created', {
        body: '{"ü":"😀 \\u0000", "b" :1.0}',
        createdAt: T + 7,
      });
      await write(store, mine, { checkout: { before: null, after: one }, events: [event] });
      const again = await reopen();
      assert.deepEqual(await again.events.fetch(mine, event.id), event);
      assert.deepEqual((await again.events.list(mine, {}, 0, 1)).rows, [{ ...event, position: 1 }]);
      assert.equal(await again.events.fetch(live, event.id), null);
      assert.equal(await again.events.fetch(theirs, event.id), null);
      assert.equal(await again.events.fetch(mine, 'evt_unknown'), null);
      for (const tenant of [live, theirs]) {
        assert.deepEqual(await again.events.list(tenant, {}, 0, 10), {
          rows: [],
          hasMore: false,
          position: 0,
        });
        assert.deepEqual(await again.events.timeline(tenant, one.id, null, 10), { rows: [], hasMore: false });
      }
    });

    it('are followed page by page, whatever is added meanwhile', async ({ store, mine }) => {
      for (let i = 0; i < 5; i++) await add(store, session(mine));
      const seen: number[] = [];
      for (let after = 0, more = true; more; ) {
        const { rows, hasMore } = await store.events.list(mine, {}, after, 2);
        seen.push(...positions(rows));
        after = rows.at(-1)?.position ?? after;
        more = hasMore;
        if (seen.length === 2) await add(store, session(mine));
      }
      assert.deepEqual(seen, [1, 2, 3, 4, 5, 6]);
      assert.deepEqual(await store.events.list(mine, {}, 6, 2), { rows: [], hasMore: false, position: 6 });
    });

    it('can be followed by type', async ({ store, mine }) => {
      const one = await add(store, session(mine));
      const paid = changed(one, {});
      await write(store, mine, {
        checkout: { before: one, after: paid },
        events: [eventOf(paid, 'checkout.paid')],
      });
      await change(store, paid, { amount: 3 });
      const follow = async (types: string[], after: number, limit: number) => {
        const { rows, hasMore, position } = await store.events.list(mine, { types }, after, limit);
        return { positions: positions(rows), hasMore, position };
      };
      const both = ['checkout.created', 'checkout.updated'];
      assert.deepEqual(await follow(both, 0, 5), { positions: [1, 3], hasMore: false, position: 3 });
      assert.deepEqual(await follow(both, 0, 1), { positions: [1], hasMore: true, position: 1 });
      assert.deepEqual(await follow(both, 1, 1), { positions: [3], hasMore: false, position: 3 });
      assert.deepEqual(await follow(['checkout.paid'], 0, 5), {
        positions: [2],
        hasMore: false,
        position: 3,
      });
      const none = { positions: [], hasMore: false, position: 3 };
      assert.deepEqual(await follow(['checkout.expired'], 0, 5), none);
      assert.deepEqual(await follow(['checkout.expired'], 3, 5), none);
    });

    it('are the same as bytes, to everybody in the form that is asked for', async ({
      store,
      reopen,
      mine,
    }) => {
      const yen = '{"amount":2400,"currency":"JPY","name":"大小"}';
      const bodies = [yen, '{"ü":"😀 \\u0000", "b" :1.0}', yen, '{}'];
      for (const [index, body] of bodies.entries()) {
        const one = session(mine);
        const events = [eventOf(one, index % 2 === 0 ? 'checkout.created' : 'checkout.paid', { body })];
        await write(store, mine, { checkout: { before: null, after: one }, events });
      }
      for await (const each of alsoReopened({ store, reopen })) {
        for (const types of [undefined, ['checkout.created'], ['checkout.expired']]) {
          const filter = types ? { types } : {};
          for (const [after, limit] of [
            [0, 10],
            [0, 2],
            [2, 1],
            [4, 3],
          ] as const) {
            const expected = await each.events.list(mine, filter, after, limit);
            const page = await each.events.listSerialized(mine, filter, after, limit, { hundredths: false });
            assert.deepEqual(
              { ...page, rows: page.rows.map((row) => ({ ...row, json: Buffer.from(row.json).toString() })) },
              {
                ...expected,
                rows: expected.rows.map(({ position, type, body }) => ({ position, type, json: body })),
              },
            );
          }
        }
        const { rows } = await each.events.listSerialized(mine, {}, 0, 1, { hundredths: true });
        assert.equal(String(rows[0]?.json), yen.replace('2400', '240000'));
      }
    });

    it('that are long end a page as bytes after a megabyte, wherever it begins', async ({ store, mine }) => {
      const made: string[] = [];
      for (const length of [90_000, 10, 300_000, 300_000, 300_000, 300_000, 2 ** 20, 5, 5]) {
        const one = session(mine);
        // Amounts are converted to hundredths in a thread, too.
        const body = `{"amount":1,"currency":"JPY","text":"${'x'.repeat(length)}"}`;
        await write(store, mine, {
          checkout: { before: null, after: one },
          events: [eventOf(one, 'x.y', { body })],
        });
        made.push(body.replace(':1,', ':100,'));
      }
      for (const types of [undefined, ['x.y']]) {
        const ends: number[] = [];
        const texts: string[] = [];
        for (let after = 0, more = true; more; ) {
          const filter = types ? { types } : {};
          const page = await store.events.listSerialized(mine, filter, after, 100, { hundredths: true });
          texts.push(...page.rows.map(({ json }) => String(Buffer.from(json))));
          after = page.position;
          ends.push(after);
          more = page.hasMore;
        }
        assert.deepEqual(ends, [6, 7, 9]);
        assert.deepEqual(texts, made);
      }
      for (const [limit, position] of [
        [3, 3],
        [5, 5],
      ] as const) {
        const page = await store.events.listSerialized(mine, {}, 0, limit, { hundredths: false });
        assert.deepEqual([page.rows.length, page.hasMore, page.position], [limit, true, position]);
      }
    });

    it('of a rare type are looked for a stretch at a time, and none is missed', async (given) => {
      const { store, reopen, mine } = given;
      const wanted = [1, 2_003, 4_005];
      for (const position of wanted) {
        const after = session(mine);
        const events = [eventOf(after, 'checkout.paid')];
        await write(store, mine, { checkout: { before: null, after }, events });
        await store.events.end(mine);
        // The events behind are of other types.
        await happen(store, mine, T, position === 4_005 ? 2_000 : 2_001);
      }
      for await (const each of alsoReopened({ store, reopen })) {
        const looks: unknown[] = [];
        for (let after = 0, more = true; more; ) {
          const page = await each.events.list(mine, { types: ['checkout.paid'] }, after, 10);
          looks.push([positions(page.rows), page.position]);
          more = page.hasMore;
          after = page.position;
        }
        assert.deepEqual(looks, [
          [[1], 2_000],
          [[2_003], 4_000],
          [[4_005], 6_000],
          [[], 6_005],
        ]);
        const last = await each.events.list(mine, { types: ['checkout.paid'] }, 4_005, 10);
        assert.deepEqual(last, { rows: [], hasMore: false, position: 6_005 }, 'up to the end exactly');
        const beyond = await each.events.list(mine, { types: ['checkout.paid'] }, 7_000, 10);
        assert.deepEqual(beyond, { rows: [], hasMore: false, position: 7_000 });
      }
    });
  });

  suite('the timeline of a session', () => {
    it('is newest first, page by page', async ({ store, reopen, mine }) => {
      let one = await add(store, session(mine));
      let other = await add(store, session(mine));
      for (let i = 0; i < 4; i++) {
        one = await change(store, one, { amount: i });
        other = await change(store, other, { amount: i });
      }
      for await (const each of alsoReopened({ store, reopen })) {
        let before: EventId | null = null;
        for (const [expected, more] of [
          [[5, 4], true],
          [[3, 2], true],
          [[1], false],
          [[], false],
        ] as const) {
          const { rows, hasMore }: Page<EventRow> = await each.events.timeline(mine, one.id, before, 2);
          assert.deepEqual([sequences(rows), hasMore], [expected, more]);
          for (const row of rows) {
            const whole = await each.events.fetch(mine, row.id);
            assert.deepEqual(row, whole && outlined(whole));
          }
          assert.ok(rows.every(({ subject }) => subject === one.id));
          before = rows.at(-1)?.id ?? before;
        }
        assert.deepEqual((await each.events.timeline(mine, one.id, null, 5)).hasMore, false);
      }
    });

    it('goes on where it was although events are added', async ({ store, mine }) => {
      let one = await add(store, session(mine));
      for (let i = 0; i < 3; i++) one = await change(store, one, { amount: i });
      const first = await store.events.timeline(mine, one.id, null, 2);
      await change(store, one, { amount: 99 });
      const rest = await store.events.timeline(mine, one.id, first.rows.at(-1)?.id ?? 'evt_none', 10);
      assert.deepEqual(sequences([...first.rows, ...rest.rows]), [4, 3, 2, 1]);
    });

    it('goes on behind a restart, with the session as it is read then', async ({ store, reopen, mine }) => {
      const { id } = await add(store, session(mine));
      const again = await reopen();
      const read = await again.checkouts.fetch(mine, id);
      assert.ok(read);
      await change(again, read, { amount: 2 });
      assert.deepEqual(sequences((await again.events.timeline(mine, id, null, 10)).rows), [2, 1]);
    });

    it('holds the events of one change in their order', async ({ store, mine }) => {
      const after = session(mine, { eventCount: 3 });
      const events = [1, 2, 3].map((sequence) => eventOf(after, `x.${sequence}`, { sequence }));
      await write(store, mine, { checkout: { before: null, after }, events });
      const { rows } = await store.events.timeline(mine, after.id, null, 10);
      assert.deepEqual(
        rows.map(({ type }) => type),
        ['x.3', 'x.2', 'x.1'],
      );
    });

    it('of an unknown session is empty, and an event of another session leads nowhere', async (given) => {
      const { store, mine, live } = given;
      const one = await add(store, session(mine));
      await change(store, one, {});
      const nothing = { rows: [], hasMore: false };
      assert.deepEqual(await store.events.timeline(mine, 'chk_unknown', null, 10), nothing);
      assert.deepEqual(await store.events.timeline(mine, one.id, 'evt_unknown', 10), nothing);
      for (const tenant of [mine, live]) {
        const other = await change(store, await add(store, session(tenant)), {});
        const [newest] = (await store.events.timeline(tenant, other.id, null, 1)).rows;
        assert.deepEqual(await store.events.timeline(mine, one.id, newest?.id ?? 'evt_none', 10), nothing);
      }
    });
  });
}
