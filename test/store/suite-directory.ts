import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createAccount } from '../../src/accounts/account.ts';
import type { ApiKey } from '../../src/accounts/api-key.ts';
import { type AccountSettings, defaultSettings } from '../../src/accounts/settings.ts';
import { defaultPolicy } from '../../src/checkout/session.ts';
import { type Open, T, write } from './build.ts';
import { alsoReopened, type Given, onFreshStores } from './each.ts';

export function directorySuite(open: Open): void {
  const it = onFreshStores(open);

  const keyFor = ({ live }: Given, given: Partial<ApiKey> = {}): ApiKey => ({
    id: 'ak_live_1',
    tenant: live,
    secretHash: 'a'.repeat(64),
    permissions: ['read', 'webhooks'],
    name: 'Till 1',
    createdAt: T,
    revokedAt: null,
    ...given,
  });

  suite('accounts', () => {
    it('have numbers of their own and keep their secrets', async ({ store, reopen }) => {
      const given = {
        name: 'third',
        webhookSecrets: { test: 'whsec_t', live: 'whsec_l' },
        testClockOffsetMs: 0,
      };
      const made = await store.accounts.create(given, T);
      const again = await reopen();
      assert.deepEqual(await again.accounts.fetch(made.number), {
        ...given,
        number: made.number,
        previousWebhookSecrets: { test: null, live: null },
        settings: { test: defaultSettings, live: defaultSettings },
      });
      assert.deepEqual(await again.accounts.fetch(made.number), made);
      const all = await again.accounts.list();
      assert.deepEqual(all.map(({ name }) => name).sort(), ['first', 'second', 'third']);
      assert.equal(new Set(all.map(({ number }) => number)).size, 3);
      assert.equal(await again.accounts.fetch(99), null);
    });

    it('are not made as the first where there are others', async ({ store, another }) => {
      const given = { name: 'late', webhookSecrets: { test: 't', live: 'l' }, testClockOffsetMs: 0 };
      for (const each of [store, await another()])
        assert.equal(await each.accounts.createFirst(given, T), null);
      assert.equal((await store.accounts.list()).length, 2);
    });

    it('have test clocks, each its own, which only go ahead together with what else is written', async (given) => {
      const { store, reopen, mine, theirs } = given;
      const offsets = async (of = store) => {
        const all = (await of.accounts.list()).map((each) => [each.number, each.testClockOffsetMs] as const);
        return [mine, theirs].map(({ account }) => new Map(all).get(account));
      };
      await write(store, mine, { clockMove: { at: T, advanceMs: 1000 } });
      assert.deepEqual(await offsets(), [1000, 0]);
      await write(store, mine, { clockMove: { at: T, advanceMs: 500 } });
      await write(store, theirs, { clockMove: { at: T, advanceMs: 7 } });
      assert.equal((await store.accounts.fetch(mine.account))?.testClockOffsetMs, 1500);
      assert.deepEqual(await offsets(await reopen()), [1500, 7]);
    });
  });

  suite('what an account has configured', () => {
    const settings: AccountSettings = {
      ...defaultSettings,
      business: { addressLines: ['Straße 1', 'Zürich'], taxId: 'CHE-1', email: 'till@example.com' },
      policy: { ...defaultPolicy, excess: 'refund', graceMinutes: { bank: 30 } },
    };

    it('is kept for each mode, and replaced as a whole', async ({ store, reopen, mine, live, theirs }) => {
      assert.equal(await store.accounts.configure(mine, settings), true);
      const other = { ...defaultSettings, business: { ...settings.business, taxId: 'CHE-2' } };
      assert.equal(await store.accounts.configure(live, other), true);
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual((await each.accounts.fetch(mine.account))?.settings, {
          test: settings,
          live: other,
        });
        const untouched = { test: defaultSettings, live: defaultSettings };
        assert.deepEqual((await each.accounts.fetch(theirs.account))?.settings, untouched);
        const all = await each.accounts.list();
        assert.deepEqual(all.find(({ number }) => number === mine.account)?.settings.test, settings);
      }
      const again = await reopen();
      await again.accounts.configure(mine, other);
      assert.deepEqual((await again.accounts.fetch(mine.account))?.settings, { test: other, live: other });
      assert.equal(await again.accounts.configure({ account: 99, mode: 'test' }, settings), false);
    });

    it('is seen soon by another process', async ({ store, another, mine }) => {
      const other = await another();
      const before = store.accounts.version();
      await other.accounts.configure(mine, settings);
      const seen = async () => (await store.accounts.fetch(mine.account))?.settings.test;
      while (store.accounts.version() === before || !isDeepStrictEqual(await seen(), settings))
        await pause(10);
    });
  });

  suite('API keys', () => {
    it('are found by id and by the hash of their secret', async (given) => {
      const key = keyFor(given);
      assert.equal(await given.store.apiKeys.add(key), true);
      const again = await given.reopen();
      assert.deepEqual(await again.apiKeys.fetch(key.id), key);
      assert.deepEqual(await again.apiKeys.fetchBySecretHash(key.secretHash), key);
      assert.deepEqual(await again.apiKeys.list(), [key]);
      assert.equal(await again.apiKeys.fetch('ak_live_2'), null);
      assert.equal(await again.apiKeys.fetchBySecretHash('b'.repeat(64)), null);
    });

    it('have an id and a secret of their own', async (given) => {
      const { store } = given;
      const key = keyFor(given);
      await store.apiKeys.add(key);
      assert.equal(await store.apiKeys.add({ ...key, secretHash: 'b'.repeat(64) }), false);
      assert.equal(await store.apiKeys.add({ ...key, id: 'ak_live_2' }), false);
      assert.deepEqual(await store.apiKeys.list(), [key]);
    });

    it('are revoked once and for all', async (given) => {
      const key = keyFor(given);
      await given.store.apiKeys.add(key);
      assert.equal(await given.store.apiKeys.revoke(key.id, T + 5), true);
      assert.equal(await given.store.apiKeys.revoke(key.id, T + 9), false);
      assert.equal(await given.store.apiKeys.revoke('ak_live_2', T + 9), false);
      const again = await given.reopen();
      assert.equal((await again.apiKeys.fetch(key.id))?.revokedAt, T + 5);
      assert.equal(await again.apiKeys.add(key), false);
    });
  });

  suite('the version of the directory', () => {
    it('changes with every account, key, revocation, clock and configuration', async (given) => {
      const { store, mine } = given;
      const key = keyFor(given);
      const account = { name: 'x', webhookSecrets: { test: '', live: '' }, testClockOffsetMs: 0 };
      const changes = [
        () => store.accounts.create(account, T),
        () => store.apiKeys.add(key),
        () => store.apiKeys.revoke(key.id, T),
        () => write(store, mine, { clockMove: { at: T, advanceMs: 1 } }),
        () => store.accounts.configure(mine, defaultSettings),
      ];
      const seen = new Set([store.accounts.version()]);
      for (const [index, make] of changes.entries()) {
        await make();
        seen.add(store.accounts.version());
        assert.equal(seen.size, index + 2, `after change ${index + 1}`);
        assert.equal(store.accounts.version(), store.accounts.version());
      }
    });

    it('changes soon after another process has changed something, which is seen then', async (given) => {
      const { store, mine, another } = given;
      const other = await another();
      const key = keyFor(given);
      // Another process’s changes may take a second; a test that never sees them runs into its time limit.
      const isSeen = async (make: () => Promise<unknown>, look: () => Promise<boolean>) => {
        const before = store.accounts.version();
        await make();
        while (store.accounts.version() === before || !(await look())) await pause(10);
      };
      await isSeen(
        () => other.apiKeys.add(key),
        async () => isDeepStrictEqual(await store.apiKeys.fetch(key.id), key),
      );
      await isSeen(
        () => other.apiKeys.revoke(key.id, T),
        async () => (await store.apiKeys.fetch(key.id))?.revokedAt === T,
      );
      await isSeen(
        () => write(other, mine, { clockMove: { at: T, advanceMs: 60 } }),
        async () => (await store.accounts.fetch(mine.account))?.testClockOffsetMs === 60,
      );
      await isSeen(
        () => createAccount(other, 'third', T),
        async () => (await store.accounts.list()).some(({ name }) => name === 'third'),
      );
    });
  });

  it('a database that can be written is healthy', async ({ store, reopen }) => {
    await store.checkHealth();
    await (await reopen()).checkHealth();
  });
}
