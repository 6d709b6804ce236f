/** The look for due work: for all kinds at once, in turn, and not all the time. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { DueTenants, WorkKind } from '../../src/store/store.ts';
import { createLookout } from '../../src/worker/lookout.ts';
import { T } from '../store/build.ts';

const nothing: DueTenants = { checkouts: [], deliveries: [], providerEvents: [], bankEntries: [] };
const tenant = (account: number): Tenant => ({ account, mode: 'test' });
const three = [1, 2, 3].map(tenant);

/** A lookout that finds this; looking takes `takesMs`. */
function setUp(t: TestContext, due: Partial<DueTenants>, takesMs = 0) {
  let elapsedMs = 0;
  t.mock.method(performance, 'now', () => elapsedMs);
  const asked: number[] = [];
  const found: WorkKind[] = [];
  const work = {
    async listTenants(realNow: number) {
      asked.push(realNow);
      elapsedMs += takesMs;
      return { ...nothing, ...due };
    },
  };
  const lookout = createLookout({ store: { work }, realNow: () => T }, (kind) => found.push(kind));
  const pass = (ms: number) => {
    elapsedMs += ms;
  };
  return { lookout, asked, found, pass };
}

suite('a look', () => {
  test('finds all kinds with one question, and tells of those of which there is some', async (t) => {
    const { lookout, asked, found } = setUp(t, { checkouts: [tenant(1)], bankEntries: [tenant(2)] });
    await lookout.look();
    assert.deepEqual(asked, [T]);
    assert.deepEqual(found, ['checkouts', 'bankEntries']);
    assert.deepEqual(lookout.take('checkouts'), [tenant(1)]);
    assert.deepEqual(lookout.take('deliveries'), []);
    assert.deepEqual(lookout.take('bankEntries'), [tenant(2)]);
  });

  test('begins each time with another tenant', async (t) => {
    const { lookout } = setUp(t, { checkouts: three });
    const first: Array<Tenant | undefined> = [];
    for (let looks = 0; looks < 3; looks++) {
      await lookout.look();
      const tenants = lookout.take('checkouts');
      assert.equal(tenants.length, 3);
      first.push(tenants[0]);
    }
    assert.deepEqual(new Set(first), new Set(three));
  });

  test('takes a tenth of the time at most', async (t) => {
    const { lookout, asked, pass } = setUp(t, {}, 100);
    await lookout.look();
    pass(999);
    await lookout.look();
    assert.equal(asked.length, 1);
    pass(1);
    await lookout.look();
    assert.equal(asked.length, 2);
  });

  test('that fails may be repeated at once', async () => {
    let looks = 0;
    const listTenants = async () => {
      if (++looks === 1) throw new Error('no');
      return { ...nothing, checkouts: three };
    };
    const lookout = createLookout({ store: { work: { listTenants } }, realNow: () => T }, () => {});
    await assert.rejects(lookout.look());
    await lookout.look();
    assert.equal(lookout.take('checkouts').length, 3);
  });
});

test('a tenant that is named or found again waits once, and only until somebody takes it', async (t) => {
  const { lookout } = setUp(t, { deliveries: three });
  lookout.add('deliveries', tenant(2));
  lookout.add('deliveries', tenant(2));
  lookout.add('checkouts', tenant(1));
  await lookout.look();
  await lookout.look();
  assert.equal(lookout.take('deliveries').length, 3);
  assert.deepEqual(lookout.take('deliveries'), []);
  assert.deepEqual(lookout.take('checkouts'), [tenant(1)]);
});
