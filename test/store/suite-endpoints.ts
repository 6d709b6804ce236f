import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { EndpointChange, Loaded, Store, Unit } from '../../src/store/store.ts';
import { type Endpoint, MAX_ENDPOINTS } from '../../src/webhooks/endpoint.ts';
import type { PreviousSecret } from '../../src/webhooks/secrets.ts';
import { writeAccount } from '../support/configure.ts';
import { load, type Open, T, write } from './build.ts';
import { addEndpoint, endpoint, health, ids, inOrder, setHealth } from './deliveries.ts';
import { alsoReopened, onSharedStore } from './each.ts';

export function endpointSuite(open: Open): void {
  const it = onSharedStore(open);

  const next = (before: Endpoint, given: Partial<Endpoint> = {}): Endpoint => ({
    ...before,
    version: before.version + 1,
    ...given,
  });
  const writing = (tenant: Tenant, ...endpoints: EndpointChange[]): Unit => ({
    needs: { tenant, endpoints: true },
    decide: () => [{ endpoints }],
  });
  /** Records the endpoints that units between others see. */
  function watcher() {
    const seen: string[][] = [];
    const watching = (tenant: Tenant): Unit => ({
      needs: { tenant, endpoints: true },
      decide({ endpoints }) {
        seen.push(endpoints.map(({ id, version }) => `${id} ${version}`));
        return [];
      },
    });
    return { seen, watching };
  }
  const bug: Error = new Error('a bug');
  const failing = (tenant: Tenant): Unit => ({
    needs: { tenant },
    decide() {
      throw bug;
    },
  });
  const loadedOf = (store: Store, tenant: Tenant) => load(store, { tenant, endpoints: true });

  suite('endpoints', () => {
    it('have each a slot of their own, of which there are so many', async ({ store, mine, live, theirs }) => {
      const { slot } = await addEndpoint(store, endpoint(mine, { slot: MAX_ENDPOINTS }));
      for (const taken of [slot, MAX_ENDPOINTS + 1, 0])
        await assert.rejects(addEndpoint(store, endpoint(mine, { slot: taken })), /constraint/i);
      for (const tenant of [live, theirs]) await addEndpoint(store, endpoint(tenant, { slot }));
      assert.equal((await store.endpoints.list(mine)).length, 1);
    });

    it('come back field by field, also after a restart', async ({ store, reopen, mine }) => {
      const plain = await addEndpoint(store, endpoint(mine));
      const full = await addEndpoint(
        store,
        endpoint(mine, {
          version: 7,
          eventCount: 3,
          url: 'https://shop.example/ü?a="b"',
          events: ['checkout.*', 'payin.cancelled'],
          description: 'Till 😀 \u2028 \\ "quoted"',
          disabled: 'gone',
          previousSecret: { secret: 'whsec_b2xk', until: T + 5 },
          updatedAt: T + 9,
        }),
      );
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.endpoints.list(mine), [plain, full]);
        assert.deepEqual((await loadedOf(each, mine)).endpoints, [plain, full]);
      }
    });

    it('are shown oldest first, whatever the order in which they were written', async ({ store, mine }) => {
      const made = [T + 2, T, T + 1].map((createdAt, index) =>
        endpoint(mine, { id: `whe_${['c', 'a', 'b'][index]}`, createdAt }),
      );
      const { seen, watching } = watcher();
      const changes = made.map((after) => ({ before: null, after }));
      await store.commit([writing(mine, ...changes), watching(mine)]);
      assert.deepEqual(seen, [['whe_a 1', 'whe_b 1', 'whe_c 1']]);
      assert.deepEqual(inOrder((await loadedOf(store, mine)).endpoints), ['whe_a', 'whe_b', 'whe_c']);
      assert.deepEqual(inOrder(await store.endpoints.list(mine)), ['whe_a', 'whe_b', 'whe_c']);
    });

    it('are those of one account and mode', async ({ store, mine, live, theirs }) => {
      for (const tenant of [mine, live, theirs]) {
        await addEndpoint(store, endpoint(tenant, { id: 'whe_same', url: `https://${tenant.mode}.example` }));
      }
      await write(store, live, { endpoints: [{ before: endpoint(live, { id: 'whe_same' }), after: null }] });
      const [one] = await store.endpoints.list(mine);
      assert.deepEqual(one?.tenant, mine);
      assert.deepEqual(await store.endpoints.list(live), []);
      assert.deepEqual((await loadedOf(store, live)).endpoints, []);
      assert.deepEqual(ids(await store.endpoints.list(theirs)), ['whe_same']);
    });

    it('are not shown where they are not needed', async ({ store, mine }) => {
      await addEndpoint(store, endpoint(mine));
      assert.deepEqual((await load(store, { tenant: mine })).endpoints, []);
      const shown: Loaded[] = [];
      const look: Unit = {
        needs: { tenant: mine },
        decide(loaded) {
          shown.push(loaded);
          return [];
        },
      };
      await store.commit([watcher().watching(mine), look]);
      assert.deepEqual(shown[0]?.endpoints, []);
    });

    it('are changed and deleted', async ({ store, reopen, mine }) => {
      const one = await addEndpoint(store, endpoint(mine));
      const other = await addEndpoint(store, endpoint(mine));
      const after = next(one, { url: 'https://new.example', disabled: 'by_merchant', eventCount: 1 });
      await write(store, mine, { endpoints: [{ before: one, after }] });
      await write(store, mine, { endpoints: [{ before: other, after: null }] });
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.endpoints.list(mine), [after]);
      }
    });
  });

  suite('a change of endpoints', () => {
    it('is seen by the units behind it', async ({ store, mine }) => {
      const one = endpoint(mine, { id: 'whe_1' });
      const other = endpoint(mine, { id: 'whe_2' });
      const { seen, watching } = watcher();
      await store.commit([
        watching(mine),
        writing(mine, { before: null, after: one }),
        watching(mine),
        writing(mine, { before: null, after: other }),
        writing(mine, { before: one, after: next(one) }),
        watching(mine),
        writing(mine, { before: next(one), after: null }),
        watching(mine),
      ]);
      assert.deepEqual(seen, [[], ['whe_1 1'], ['whe_1 2', 'whe_2 1'], ['whe_2 1']]);
      assert.deepEqual(await store.endpoints.list(mine), [other]);
    });

    it('leaves nothing behind if it was made and deleted in one batch', async ({ store, reopen, mine }) => {
      const one = endpoint(mine);
      await store.commit([
        writing(mine, { before: null, after: one }),
        writing(mine, { before: one, after: null }),
      ]);
      for await (const each of alsoReopened({ store, reopen }))
        assert.deepEqual(await each.endpoints.list(mine), []);
    });

    for (const [name, changesOf] of [
      ['made', (_one: Endpoint, fresh: Endpoint) => [{ before: null, after: fresh }]],
      ['changed', (one: Endpoint) => [{ before: one, after: next(one) }]],
      ['deleted', (one: Endpoint) => [{ before: one, after: null }]],
    ] as const) {
      it(`leaves nothing behind if its batch fails: ${name}`, async ({ store, mine }) => {
        const one = await addEndpoint(store, endpoint(mine));
        // The read fills whatever the store remembers.
        await store.endpoints.list(mine);
        const changes = changesOf(one, endpoint(mine));
        const { watching } = watcher();
        const units = [watching(mine), writing(mine, ...changes), watching(mine), failing(mine)];
        await assert.rejects(store.commit(units), bug);
        assert.deepEqual(await store.endpoints.list(mine), [one]);
        assert.deepEqual((await loadedOf(store, mine)).endpoints, [one]);
      });
    }
  });

  suite('how receivers fare', () => {
    it('is shown of those that are needed and fail', async ({ store, mine, live }) => {
      await setHealth(store, mine, 'whe_1', health({ failures: 4 }));
      await setHealth(store, mine, 'whe_2', health());
      const { receivers } = await load(store, { tenant: mine, receivers: ['whe_1', 'whe_3'] });
      assert.deepEqual(receivers, new Map([['whe_1', health({ failures: 4 })]]));
      assert.deepEqual((await load(store, { tenant: live, receivers: ['whe_1'] })).receivers, new Map());
    });

    it('is seen by the units behind, also that one is well again', async ({ store, mine }) => {
      await setHealth(store, mine, 'whe_1', health());
      const seen: Array<number | undefined> = [];
      const needs = { tenant: mine, receivers: ['whe_1', 'whe_2'] };
      const unit = (id: string, now: ReturnType<typeof health> | null): Unit => ({
        needs,
        decide({ receivers }) {
          seen.push(receivers.get('whe_1')?.failures, receivers.get('whe_2')?.failures);
          return [{ receivers: [{ id, health: now }] }];
        },
      });
      await store.commit([
        unit('whe_1', null),
        unit('whe_2', health({ failures: 9 })),
        unit('whe_2', health({ failures: 10, probeAt: T })),
        unit('whe_1', health({ failures: 1 })),
        unit('whe_2', null),
      ]);
      const shown = [3, undefined, undefined, undefined, undefined, 9, undefined, 10, 1, 10];
      assert.deepEqual(seen, shown);
      assert.deepEqual(
        await store.receivers.listFailing(mine),
        new Map([['whe_1', health({ failures: 1 })]]),
      );
    });

    it('is as before if the batch fails', async ({ store, mine }) => {
      await setHealth(store, mine, 'whe_1', health());
      const unit: Unit = {
        needs: { tenant: mine, receivers: ['whe_1'] },
        decide: () => [{ receivers: [{ id: 'whe_1', health: null }] }],
      };
      await assert.rejects(store.commit([unit, failing(mine)]), bug);
      assert.deepEqual(await store.receivers.listFailing(mine), new Map([['whe_1', health()]]));
    });
  });

  suite('the secret of an account and mode', () => {
    const replaceSecret = (
      store: Store,
      tenant: Tenant,
      secret: string,
      previous: PreviousSecret | null,
    ): Promise<boolean> =>
      writeAccount(store, tenant, (account) => ({
        ...account,
        webhookSecrets: { ...account.webhookSecrets, [tenant.mode]: secret },
        previousWebhookSecrets: { ...account.previousWebhookSecrets, [tenant.mode]: previous },
      }));

    it('is replaced, and the one before is kept for as long as it is to be', async (given) => {
      const { store, reopen, mine, live, theirs } = given;
      const before = await store.accounts.fetch(mine.account);
      const others = await store.accounts.fetch(theirs.account);
      const previous = { secret: before?.webhookSecrets.test ?? '', until: T + 5 };
      assert.equal(await replaceSecret(store, mine, 'whsec_new', previous), true);
      assert.equal(await replaceSecret(store, live, 'whsec_live', null), true);
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.accounts.fetch(mine.account), {
          ...before,
          webhookSecrets: { test: 'whsec_new', live: 'whsec_live' },
          previousWebhookSecrets: { test: previous, live: null },
        });
        assert.deepEqual(await each.accounts.fetch(theirs.account), others);
      }
    });

    it('is without one before it when it is replaced without', async ({ store, mine }) => {
      await replaceSecret(store, mine, 'whsec_1', { secret: 'whsec_0', until: T });
      await replaceSecret(store, mine, 'whsec_2', null);
      const account = await store.accounts.fetch(mine.account);
      assert.equal(account?.webhookSecrets.test, 'whsec_2');
      assert.deepEqual(account?.previousWebhookSecrets, { test: null, live: null });
    });

    it('is none of an unknown account', async ({ store }) => {
      assert.equal(await replaceSecret(store, { account: 999_999, mode: 'test' }, 'whsec_1', null), false);
    });
  });
}
