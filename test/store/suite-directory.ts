import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Account, createAccount } from '../../src/accounts/account.ts';
import { type ApiKey, newApiKey } from '../../src/accounts/api-key.ts';
import { MAX_API_KEYS } from '../../src/accounts/key-changes.ts';
import { type AccountSettings, defaultSettings } from '../../src/accounts/settings.ts';
import { serializeSettings } from '../../src/accounts/settings-json.ts';
import { defaultPolicy } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { executeOn } from '../../src/cli/with-store.ts';
import type { PageRequest } from '../../src/store/page.ts';
import { ownOrigin } from '../../src/writer/command.ts';
import { configureAccount } from '../support/configure.ts';
import { revokeKey } from '../support/revoke-key.ts';
import { type Open, T, write } from './build.ts';
import { alsoReopened, type Given, onFreshStores } from './each.ts';

/** Rounds of a race. */
const ROUNDS = 6;
const MOST_LOOKS = 200;

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
        createdAt: T,
        previousWebhookSecrets: { test: null, live: null },
        settings: { test: defaultSettings, live: defaultSettings },
        railCredentials: { test: {}, live: {} },
        logos: { test: null, live: null },
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

  suite('accounts in memory', () => {
    it('are read anew where they have changed, and no others', async ({ store, mine, theirs }) => {
      const accounts = () => Promise.all([mine, theirs].map(({ account }) => store.accounts.fetch(account)));
      const [, before] = await accounts();
      await write(store, mine, { clockMove: { at: T, advanceMs: 1000 } });
      await configureAccount(store, mine, { ...defaultSettings, compatibility: 'v3' });
      const [changed, other] = await accounts();
      assert.equal(changed?.testClockOffsetMs, 1000);
      assert.equal(changed?.settings.test.compatibility, 'v3');
      assert.equal(other, before, 'the very same object');
    });

    it('are seen by other processes, each change and each new account', async ({ store, another, mine }) => {
      const other = await another();
      const seen = async () =>
        (await other.accounts.list()).map((each) => [each.number, each.testClockOffsetMs] as const);
      const before = new Map(await seen());
      await write(store, mine, { clockMove: { at: T, advanceMs: 1000 } });
      const { number } = await createAccount(store, 'New', T);
      await write(store, mine, { clockMove: { at: T, advanceMs: 500 } });
      const expected = new Map([...before, [number, 0], [mine.account, 1500]]);
      while (!isDeepStrictEqual(new Map(await seen()), expected)) await pause(10);
    });
  });

  suite('logos', () => {
    const [one, other] = ['one', 'other'].map((name) => ({ name, content: `${name}${'A'.repeat(80_000)}` }));
    const inMode = (tenant: Tenant, name: string | null) => (account: Account) => ({
      account: { before: account, after: { ...account, logos: { ...account.logos, [tenant.mode]: name } } },
    });

    it('are kept one for each account and mode, and go with a change', async ({
      store,
      reopen,
      mine,
      live,
      theirs,
    }) => {
      assert.ok(one && other);
      const found = (of = store) => Promise.all([mine, live, theirs].map((each) => of.logos.fetch(each)));
      await write(store, mine, { logo: { after: one } });
      await write(store, theirs, { logo: { after: other } });
      for await (const each of alsoReopened({ store, reopen }))
        assert.deepEqual(await found(each), [one, null, other]);
      const again = await reopen();
      await write(again, mine, { logo: { after: other } });
      await write(again, live, { logo: { after: one } });
      assert.deepEqual(await found(again), [other, one, other]);
      await write(again, mine, { logo: { after: null } });
      await write(again, mine, { logo: { after: null } });
      assert.deepEqual(await found(again), [null, one, other]);
    });

    it('are named by their account, each mode by itself', async ({ store, reopen, mine, live }) => {
      for (const [tenant, name] of [
        [mine, 'one'],
        [live, 'other'],
      ] as const) {
        const account = await store.accounts.fetch(tenant.account);
        assert.ok(account);
        await write(store, tenant, inMode(tenant, name)(account));
      }
      for await (const each of alsoReopened({ store, reopen }))
        assert.deepEqual((await each.accounts.fetch(mine.account))?.logos, { test: 'one', live: 'other' });
    });

    it('of several units of a batch are what the last has made of it', async ({ store, mine }) => {
      assert.ok(one && other);
      const { commit } = store;
      const units = (...all: Array<typeof one | null>) =>
        all.map((after) => ({ needs: { tenant: mine }, decide: () => [{ logo: { after } }] }));
      await commit(units(one, null, other));
      assert.deepEqual(await store.logos.fetch(mine), other);
      await commit(units(one, null));
      assert.equal(await store.logos.fetch(mine), null);
    });
  });

  suite('what an account has configured', () => {
    const settings: AccountSettings = {
      ...defaultSettings,
      business: { addressLines: ['Straße 1', 'Zürich'], taxId: 'CHE-1', email: 'till@example.com' },
      policy: { ...defaultPolicy, excess: 'refund', graceMinutes: { bank: 30 } },
    };

    it('is kept for each mode, and replaced as a whole', async ({ store, reopen, mine, live, theirs }) => {
      assert.equal(await configureAccount(store, mine, settings), true);
      const other = { ...defaultSettings, business: { ...settings.business, taxId: 'CHE-2' } };
      assert.equal(await configureAccount(store, live, other), true);
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
      await configureAccount(again, mine, other);
      assert.deepEqual((await again.accounts.fetch(mine.account))?.settings, { test: other, live: other });
      assert.equal(await configureAccount(again, { account: 99, mode: 'test' }, settings), false);
    });

    it('loses nothing where two processes change parts of it at the same time', async (given) => {
      const { store, another, mine } = given;
      const makers = [store, await another()].map(executeOn);
      const origin = ownOrigin(mine, 'operator');
      const { business, policy } = serializeSettings(settings);
      const patches = [
        { compatibility: 'v3' },
        { webhook_url_events: ['checkout.paid'] },
        { business },
        { policy },
      ] as const;
      const whole: AccountSettings = {
        ...defaultSettings,
        compatibility: 'v3',
        webhookUrlEvents: ['checkout.paid'],
        business: settings.business,
        policy: settings.policy,
      };
      // They meet in most of the rounds only.
      for (let round = 0; round < ROUNDS; round++) {
        await configureAccount(store, mine, { ...defaultSettings });
        await Promise.all(
          patches.map((patch, index) =>
            makers[index % makers.length]?.({
              subject: 'account',
              origin,
              command: { type: 'change_settings', patch },
              now: T,
            }),
          ),
        );
        const expected = { test: whole, live: defaultSettings };
        const found = async () => (await store.accounts.fetch(mine.account))?.settings;
        // Its own process sees a change at once, and that of another one soon.
        for (let looks = 0; looks < MOST_LOOKS && !isDeepStrictEqual(await found(), expected); looks++)
          await pause(10);
        assert.deepEqual(await found(), expected);
      }
    });

    it('is seen soon by another process', async ({ store, another, mine }) => {
      const other = await another();
      const before = store.accounts.version();
      await configureAccount(other, mine, settings);
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
      assert.deepEqual((await again.apiKeys.list(key.tenant, { limit: 2 })).rows, [key]);
      assert.equal(await again.apiKeys.fetch('ak_live_2'), null);
      assert.equal(await again.apiKeys.fetchBySecretHash('b'.repeat(64)), null);
    });

    it('have an id and a secret of their own', async (given) => {
      const { store } = given;
      const key = keyFor(given);
      await store.apiKeys.add(key);
      assert.equal(await store.apiKeys.add({ ...key, secretHash: 'b'.repeat(64) }), false);
      assert.equal(await store.apiKeys.add({ ...key, id: 'ak_live_2' }), false);
      assert.deepEqual((await store.apiKeys.list(key.tenant, { limit: 2 })).rows, [key]);
    });

    it('are revoked once and for all', async (given) => {
      const key = keyFor(given);
      await given.store.apiKeys.add(key);
      assert.equal(await revokeKey(given.store, key.id, T + 5), true);
      assert.equal(await revokeKey(given.store, key.id, T + 9), false);
      assert.equal(await revokeKey(given.store, 'ak_live_2', T + 9), false);
      const again = await given.reopen();
      assert.equal((await again.apiKeys.fetch(key.id))?.revokedAt, T + 5);
      assert.equal(await again.apiKeys.add(key), false);
    });
  });

  suite('API keys of an account and mode', () => {
    /** Keys of which several were made at the same time, so that their ids decide. */
    const made = (given: Given, count: number, of = given.live): ApiKey[] =>
      Array.from({ length: count }, (_, index) =>
        keyFor(given, {
          id: `ak_${of.mode}_${String(index).padStart(3, '0')}`,
          tenant: of,
          secretHash: `${of.account}${of.mode}${index}`.padStart(64, '0'),
          createdAt: T + Math.floor(index / 3),
        }),
      );
    const add = ({ store }: Pick<Given, 'store'>, keys: readonly ApiKey[]) =>
      store.commit(
        keys.map((key) => ({ needs: { tenant: key.tenant }, decide: () => [{ newApiKey: key }] })),
      );

    it('are listed in pages, the newest first, without those of others', async (given) => {
      const { store, live, mine, theirs } = given;
      const keys = made(given, 8);
      await add(given, keys);
      await add(given, made(given, 2, mine));
      await add(
        given,
        made(given, 2, theirs).map((key) => ({ ...key, id: `${key.id}_2` })),
      );
      const newest = keys.toReversed().map(({ id }) => id);
      const list = async (page: PageRequest) => {
        const { rows, hasMore } = await store.apiKeys.list(live, page);
        return [rows.map(({ id }) => id), hasMore];
      };
      assert.deepEqual(await list({ limit: 8 }), [newest, false]);
      assert.deepEqual(await list({ limit: 3 }), [newest.slice(0, 3), true]);
      for (const [place, id] of newest.entries()) {
        const left = newest.length - place - 1;
        assert.deepEqual(await list({ limit: 2, after: id }), [newest.slice(place + 1, place + 3), left > 2]);
        const before = newest.slice(Math.max(0, place - 2), place);
        assert.deepEqual(await list({ limit: 2, before: id }), [before, place > 2]);
      }
      assert.deepEqual(await list({ limit: 2, after: 'ak_test_000' }), [[], false]);
    });

    it('are never more than there may be, whoever makes them at the same time', async (given) => {
      const { store, another, live } = given;
      const room = 3;
      await add(given, made(given, MAX_API_KEYS - room));
      const stores = [store, await another()];
      const makers = stores.map(executeOn);
      for (let round = 0; round < ROUNDS; round++) {
        const results = await Promise.all(
          Array.from({ length: 8 }, (_, index) => {
            const { key } = newApiKey({ tenant: live, permissions: ['manage'], name: '', nowMs: T });
            const command = { type: 'create_api_key', key } as const;
            const origin = ownOrigin(live, 'operator');
            const execute = makers[index % makers.length];
            return execute?.({ subject: 'api_key', origin, id: key.id, command, now: T });
          }),
        );
        const made = results.flatMap((each) => (each?.result.kind === 'change' ? [each.result.value] : []));
        assert.deepEqual(
          made.map(({ counts }) => counts).toSorted((a, b) => a.active - b.active),
          Array.from({ length: room }, (_, index) => ({
            active: MAX_API_KEYS - room + index + 1,
            managing: index + 1,
          })),
        );
        const { rows } = await store.apiKeys.list(live, { limit: 2 * MAX_API_KEYS });
        const active = rows.filter(({ revokedAt }) => revokedAt === null);
        assert.equal(active.length, MAX_API_KEYS);
        for (const { key } of made) await revokeKey(store, key.id, T);
      }
    });

    it('of others cannot be revoked', async (given) => {
      const { store, live, theirs } = given;
      const [key] = made(given, 1, theirs);
      assert.ok(key);
      await add(given, [key]);
      const command = { type: 'revoke_api_key', at: T } as const;
      const origin = ownOrigin(live, 'operator');
      const { result } = await executeOn(store)({ subject: 'api_key', origin, id: key.id, command, now: T });
      assert.equal(result.kind === 'refusal' && result.reason, 'not_found');
      assert.deepEqual(await store.apiKeys.fetch(key.id), key);
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
        () => revokeKey(store, key.id, T),
        () => write(store, mine, { clockMove: { at: T, advanceMs: 1 } }),
        () => configureAccount(store, mine, { ...defaultSettings, compatibility: 'v3' }),
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
        () => revokeKey(other, key.id, T),
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

  suite('what is known of an account and its keys', () => {
    it('holds until one of them has changed, and whatever others do', async (given) => {
      const { store, mine, live, theirs } = given;
      const key = keyFor(given);
      const others = { ...key, id: 'ak_live_2', tenant: theirs, secretHash: 'b'.repeat(64) };
      for (const each of [key, others]) await store.apiKeys.add(each);
      const changes = (tenant: typeof mine, { id }: ApiKey) => [
        () => write(store, { ...tenant, mode: 'test' }, { clockMove: { at: T, advanceMs: 1 } }),
        () => configureAccount(store, tenant, { ...defaultSettings, compatibility: 'v3' }),
        () => revokeKey(store, id, T),
      ];
      for (const change of changes(theirs, others)) {
        const since = store.accounts.version();
        assert.equal(store.accounts.isUnchanged(mine.account, since), true);
        await change();
        assert.equal(store.accounts.isUnchanged(theirs.account, since), false);
        assert.equal(store.accounts.isUnchanged(mine.account, since), true);
      }
      for (const change of changes(live, key)) {
        const since = store.accounts.version();
        await change();
        assert.equal(store.accounts.isUnchanged(mine.account, since), false);
        assert.equal(store.accounts.isUnchanged(mine.account, store.accounts.version()), true);
      }
      assert.equal(store.accounts.isUnchanged(99, store.accounts.version()), false);
    });

    it('holds no longer soon after another process has revoked a key', async (given) => {
      const { store, another, mine, theirs } = given;
      const key = keyFor(given);
      await store.apiKeys.add(key);
      const since = store.accounts.version();
      await revokeKey(await another(), key.id, T);
      // Nobody looks here but those who ask, as on a server that has nothing else to do.
      while ((await store.accounts.list()).length === 0 || store.accounts.version() === since)
        await pause(10);
      assert.equal(store.accounts.isUnchanged(mine.account, since), false);
      assert.equal(store.accounts.isUnchanged(theirs.account, since), true);
    });
  });

  it('a database that can be written is healthy', async ({ store, reopen }) => {
    await store.checkHealth();
    await (await reopen()).checkHealth();
  });
}
