/** The log of changes: its lines in pages, those of each tenant apart. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { PageRequest } from '../../src/store/page.ts';
import { type Open, T, write } from './build.ts';
import { onFreshStores } from './each.ts';

export function auditSuite(open: Open): void {
  const it = onFreshStores(open);

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
      const { rows: all, hasMore } = await store.audit.list(live, { limit: 7 });
      assert.equal(hasMore, false);
      assert.deepEqual(
        all.map(({ id: _, ...content }) => content),
        lines.toReversed(),
      );
      const list = async (page: PageRequest) => {
        const found = await store.audit.list(live, page);
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
      const { rows } = await store.audit.list(live, { limit: 6 });
      assert.deepEqual(
        rows.map(({ version }) => version),
        lines.map(({ version }) => version).toReversed(),
      );
    });

    it('of a tenant without changes is empty', async ({ store, mine, theirs }) => {
      await write(store, mine, { audit: line(1) });
      assert.deepEqual(await store.audit.list(theirs, { limit: 1 }), { rows: [], hasMore: false });
    });
  });
}
