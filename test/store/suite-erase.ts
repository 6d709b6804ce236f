import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Customer } from '../../src/checkout/customer.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { EventRow } from '../../src/events/event.ts';
import type { Store, Unit } from '../../src/store/store.ts';
import type { ClaimedDelivery } from '../../src/webhooks/delivery.ts';
import {
  add,
  attempt,
  change,
  changed,
  customer,
  eventOf,
  load,
  type Open,
  payment,
  session,
  T,
  write,
} from './build.ts';
import { claim, claimOne, deliveriesOf, finish, result, sent, tryAgain } from './deliveries.ts';
import { alsoReopened, onSharedStore } from './each.ts';

const SECRETS = /Ada|London|\b555\b/;

export function eraseSuite(open: Open): void {
  const it = onSharedStore(open);

  async function known(store: Store, tenant: Tenant, given: Partial<Checkout> = {}) {
    const person = customer(tenant, { name: 'Ada', phone: { callingCode: '44', number: '555' } });
    await write(store, tenant, { customer: person });
    return { person, one: await add(store, sessionOf(person, given)) };
  }

  function sessionOf(person: Customer, given: Partial<Checkout> = {}): Checkout {
    return session(person.tenant, {
      payer: {
        customer: person.id,
        name: person.name,
        email: person.email,
        country: person.country,
        phone: person.phone,
        billingDetails: { name: 'Ada', address: { city: 'London' } },
        shippingDetails: { name: 'Ada' },
      },
      ...given,
    });
  }

  suite('erasing a customer', () => {
    it('empties the record, the sessions and their events', async ({ store, reopen, mine }) => {
      const { person, one } = await known(store, mine, {
        attempts: [attempt('ref')],
        payments: [payment('pay', { amount: 400 })],
        metadata: { order: 'kept' },
      });
      const second = await change(store, one, { amount: 5000 });
      await write(store, mine, { erasedCustomer: person });
      const payer = {
        customer: person.id,
        name: '',
        email: '',
        country: '',
        phone: null,
        billingDetails: null,
        shippingDetails: null,
      };
      for await (const each of alsoReopened({ store, reopen })) {
        assert.equal(await each.customers.fetch(mine, person.id), null);
        const byEmail = await load(each, { tenant: mine, customersByEmail: ['ada@example.com'] });
        assert.equal(byEmail.customersByEmail.size, 0);
        assert.deepEqual((await each.customers.list(mine, {}, { limit: 9 })).rows, []);
        const left = { ...second, payer, version: second.version + 1 };
        assert.deepEqual(await each.checkouts.fetch(mine, one.id), left);
        assert.deepEqual((await each.checkouts.list(mine, {}, { limit: 9 })).rows, [left]);
        assert.deepEqual((await each.checkouts.list(mine, { search: 'ada@' }, { limit: 9 })).rows, []);
        assert.equal((await each.checkouts.list(mine, { customer: person.id }, { limit: 9 })).rows.length, 1);
        const { rows } = await each.events.list(mine, {}, 0, 9);
        assert.deepEqual(
          rows.map(({ position, sequence }) => [position, sequence]),
          [
            [1, 1],
            [2, 2],
          ],
        );
        assert.doesNotMatch(JSON.stringify(rows), SECRETS);
        assert.equal(JSON.parse(rows[1]?.body ?? '').data.id, one.id);
      }
    });

    it('empties the answers to its events, those of attempts under way as well', async ({ store, mine }) => {
      const { person, one } = await known(store, mine);
      const event = (await store.events.list(mine, {}, 0, 9)).rows[0] as EventRow;
      assert.match(event.body, SECRETS);
      const receivers = ['http://a.example', 'http://b.example'];
      await write(store, mine, { deliveries: deliveriesOf([event], { receivers }) });
      const [early, late] = (await claim(store, mine, T)) as [ClaimedDelivery, ClaimedDelivery];
      await finish(store, mine, result(early, { attempt: sent(early, 'Ada') }));
      await write(store, mine, { erasedCustomer: person });
      await finish(store, mine, tryAgain(late, T + 1, { attempt: sent(late, 'Ada') }));
      // Deliveries sent from then on tell nothing of the person.
      const again = await claimOne(store, mine, T + 1);
      await finish(store, mine, result(again, { attempt: sent(again, 'well') }));
      const logs = await Promise.all([early, late].map(({ id }) => store.deliveries.listAttempts(mine, id)));
      assert.deepEqual(
        logs.map((log) => log.map(({ answer }) => answer)),
        [[''], ['', 'well']],
      );
      assert.equal(one.payer.name, 'Ada');
    });

    it('leaves everybody else alone', async ({ store, mine, live, theirs }) => {
      const { person } = await known(store, mine);
      const others = await Promise.all([live, theirs].map((tenant) => known(store, tenant)));
      const anonymous = await add(store, session(mine));
      await write(store, mine, { erasedCustomer: person });
      for (const { person: other, one } of others) {
        assert.deepEqual(await store.customers.fetch(other.tenant, other.id), other);
        assert.deepEqual(await store.checkouts.fetch(other.tenant, one.id), one);
        assert.match(JSON.stringify(await store.events.list(other.tenant, {}, 0, 9)), /Ada/);
      }
      assert.deepEqual(await store.checkouts.fetch(mine, anonymous.id), anonymous);
    });

    it('makes the address free', async ({ store, mine }) => {
      const { person } = await known(store, mine);
      await write(store, mine, { erasedCustomer: person });
      const next = customer(mine);
      await write(store, mine, { customer: next });
      assert.deepEqual(await store.customers.fetch(mine, next.id), next);
    });

    it('is seen by the units behind it in the same batch', async ({ store, reopen, mine }) => {
      const { person, one } = await known(store, mine);
      const update: Unit = {
        needs: { tenant: mine, checkouts: [one.id] },
        decide({ checkouts }) {
          const before = checkouts.get(one.id) as Checkout;
          const after = changed(before, { amount: 7 });
          return [{ checkout: { before, after }, events: [eventOf(after)] }];
        },
      };
      const erase: Unit = { needs: { tenant: mine }, decide: () => [{ erasedCustomer: person }] };
      await store.commit([update, erase, update]);
      for await (const each of alsoReopened({ store, reopen })) {
        const left = await each.checkouts.fetch(mine, one.id);
        assert.equal(left?.version, one.version + 3);
        assert.doesNotMatch(JSON.stringify(left), SECRETS);
        assert.doesNotMatch(JSON.stringify(await each.events.list(mine, {}, 0, 9)), SECRETS);
      }
    });

    it('leaves nothing behind if its batch fails', async ({ store, reopen, mine }) => {
      const { person, one } = await known(store, mine);
      const again = await reopen();
      const erase: Unit = { needs: { tenant: mine }, decide: () => [{ erasedCustomer: person }] };
      const look: Unit = {
        needs: { tenant: mine, checkouts: [one.id], customers: [person.id] },
        decide: () => [],
      };
      const fail: Unit = {
        needs: { tenant: mine },
        decide() {
          throw new Error('no');
        },
      };
      await assert.rejects(again.commit([erase, look, fail]));
      assert.deepEqual(await again.checkouts.fetch(mine, one.id), one);
      assert.deepEqual(await again.customers.fetch(mine, person.id), person);
      assert.match(
        (await again.events.fetch(mine, (await again.events.list(mine, {}, 0, 1)).rows[0]?.id ?? 'evt_none'))
          ?.body ?? '',
        /Ada/,
      );
    });

    it('of somebody without sessions is enough', async ({ store, mine }) => {
      const person = customer(mine, { createdAt: T });
      await write(store, mine, { customer: person });
      await write(store, mine, { erasedCustomer: person });
      assert.equal(await store.customers.fetch(mine, person.id), null);
    });
  });
}
