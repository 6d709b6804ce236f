/** The log of changes: its lines in pages, those of each tenant apart. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { AuditEntry } from '../../src/accounts/audit.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { PageRequest } from '../../src/store/page.ts';
import type { AuditFilter, Store } from '../../src/store/store.ts';
import { type Open, T, write } from './build.ts';
import { onSharedStore } from './each.ts';

export function auditSuite(open: Open): void {
  const it = onSharedStore(open);

  suite('the log of changes', () => {
    const line = (index: number) => ({
      subject: `s${index}`,
      version: index,
      at: T + index,
      actor: 'time',
      action: `action_${index}`,
      requestId: '',
    });

    it('is listed in pages, the newest first, without the lines of others', async ({
      store,
      live,
      mine,
      theirs,
    }) => {
      const lines = Array.from({ length: 7 }, (_, index) => line(index));
      // Lines of others lie between them.
      for (const audit of lines) {
        await write(store, live, { audit });
        for (const other of [mine, theirs])
          await write(store, other, { audit: { ...audit, subject: 'other' } });
      }
      const { rows: all, hasMore } = await store.audit.list(live, {}, { limit: 7 });
      assert.equal(hasMore, false);
      assert.deepEqual(
        all.map(({ id: _, ...content }) => content),
        lines.toReversed(),
      );
      const list = async (page: PageRequest) => {
        const found = await store.audit.list(live, {}, page);
        return [found.rows.map(({ id }) => id), found.hasMore];
      };
      const ids = all.map(({ id }) => id);
      for (const id of ids) assert.match(id, /^aud_[0-9a-z]{26}$/);
      for (const [place, id] of ids.entries()) {
        const left = ids.length - place - 1;
        assert.deepEqual(await list({ limit: 2, after: id }), [ids.slice(place + 1, place + 3), left > 2]);
        const before = ids.slice(Math.max(0, place - 2), place);
        assert.deepEqual(await list({ limit: 2, before: id }), [before, place > 2]);
      }
    });

    it('has lines of one millisecond in their order, though clocks of others are ahead', async ({
      store,
      live,
      mine,
    }) => {
      const lines = Array.from({ length: 6 }, (_, index) => ({ ...line(index), at: T }));
      for (const audit of lines) {
        await write(store, live, { audit });
        await write(store, mine, { audit: { ...audit, at: T + 1000 } });
      }
      const { rows } = await store.audit.list(live, {}, { limit: 6 });
      assert.deepEqual(
        rows.map(({ version }) => version),
        lines.map(({ version }) => version).toReversed(),
      );
    });

    const actors = ['payer', 'time', 'ak_live_1'];
    const some = (index: number, at: number) => ({
      ...line(index),
      subject: `s${index % 4}`,
      actor: actors[index % 3] ?? '',
      action: `action_${index % 2}`,
      at,
    });

    /** All that a filter finds, page by page, in one direction; each page looks at three lines. */
    async function walked(store: Store, tenant: Tenant, filter: AuditFilter, from?: string) {
      const found: string[] = [];
      const direction = from === undefined ? 'after' : 'before';
      let cursor = from;
      for (let pages = 0; pages < 30; pages++) {
        const place = cursor === undefined ? {} : { [direction]: cursor };
        const page = await store.audit.list(tenant, filter, { limit: 2, walk: 3, ...place });
        assert.ok(page.rows.length <= 2);
        const ids = page.rows.map(({ id }) => id);
        if (direction === 'after') found.push(...ids);
        else found.unshift(...ids);
        if (!page.hasMore) return found;
        cursor = page.edge ?? (direction === 'after' ? ids.at(-1) : ids[0]);
        assert.ok(cursor);
      }
      assert.fail('the pages have no end');
    }

    it('is filtered, and pages go on until all of it was looked at', async ({ store, live, mine }) => {
      const lines = Array.from({ length: 14 }, (_, index) => some(index, T + index * 1000));
      for (const audit of lines) {
        await write(store, live, { audit });
        await write(store, mine, { audit });
      }
      const { rows: all } = await store.audit.list(live, {}, { limit: 20 });
      const oldest = all.at(-1);
      assert.deepEqual(await store.audit.list(live, { subject: 'nothing' }, { limit: 2, walk: 3 }), {
        rows: [],
        hasMore: true,
        edge: all[2]?.id,
      });
      for (const [filter, fits] of [
        [{ subject: 's1' }, ({ subject }) => subject === 's1'],
        [{ actor: 'time' }, ({ actor }) => actor === 'time'],
        [{ action: 'action_0' }, ({ action }) => action === 'action_0'],
        [{ actor: 'payer', action: 'action_1' }, (it) => it.actor === 'payer' && it.action === 'action_1'],
        [{ createdFrom: T + 9000 }, ({ at }) => at >= T + 9000],
        [{ createdBefore: T + 9000 }, ({ at }) => at < T + 9000],
        [
          { createdFrom: T + 3000, createdBefore: T + 9000, subject: 's0' },
          ({ at, subject }) => at >= T + 3000 && at < T + 9000 && subject === 's0',
        ],
        [{ subject: 'nothing' }, () => false],
      ] as ReadonlyArray<[AuditFilter, (audit: AuditEntry) => boolean]>) {
        const expected = all.filter(fits).map(({ id }) => id);
        const told = JSON.stringify(filter);
        assert.deepEqual(await walked(store, live, filter), expected, told);
        const above = expected.filter((id) => id !== oldest?.id);
        assert.deepEqual(await walked(store, live, filter, oldest?.id), above, told);
        const { rows, hasMore } = await store.audit.list(live, filter, { limit: 20 });
        assert.deepEqual([rows.map(({ id }) => id), hasMore], [expected, false], told);
      }
    });

    it('is looked at where the time that is asked for may be, and no further', async ({ store, live }) => {
      const DAY = 86_400_000;
      for (let index = 0; index < 20; index++)
        await write(store, live, { audit: some(index, T + index * 2 * DAY) });
      const list = async (filter: AuditFilter, place: Partial<PageRequest> = {}) => {
        const page = await store.audit.list(live, filter, { limit: 5, walk: 2, ...place });
        return [page.rows.map(({ version }) => version), page.hasMore] as const;
      };
      // The last three days are two lines.
      assert.deepEqual(await list({ createdFrom: T + 37 * DAY }), [[19], false]);
      // A walk through the past begins there: at most one line is above it.
      assert.deepEqual(await list({ createdBefore: T + 3 * DAY }, { walk: 3 }), [[1, 0], false]);
      const oldest = (await store.audit.list(live, {}, { limit: 20 })).rows.at(-1)?.id ?? '';
      assert.deepEqual(await list({ createdBefore: T + 3 * DAY }, { before: oldest }), [[1], false]);
    });

    it('has lines whose times are not quite in their order', async ({ store, live }) => {
      for (const [index, seconds] of [3, 1, 2, 0, 5, 4].entries())
        await write(store, live, { audit: some(index, T + seconds * 1000) });
      const found = async (filter: AuditFilter) => {
        const { rows } = await store.audit.list(live, filter, { limit: 9 });
        return rows.map(({ at }) => (at - T) / 1000).sort();
      };
      assert.deepEqual(await found({ createdBefore: T + 2000 }), [0, 1]);
      assert.deepEqual(await found({ createdFrom: T + 2000 }), [2, 3, 4, 5]);
      assert.deepEqual(await found({ createdFrom: T + 1000, createdBefore: T + 4000 }), [1, 2, 3]);
    });

    it('of a tenant without changes is empty', async ({ store, mine, theirs }) => {
      await write(store, mine, { audit: line(1) });
      assert.deepEqual(await store.audit.list(theirs, {}, { limit: 1 }), { rows: [], hasMore: false });
    });
  });
}
