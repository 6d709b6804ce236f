/** Types that the compiler tells apart: ids of different objects, and the two clocks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tenantTime } from '../../src/accounts/account.ts';
import type { CheckoutId, CustomerId } from '../../src/checkout/ids.ts';
import type { TenantTime } from '../../src/checkout/tenant.ts';
import type { EventId } from '../../src/events/event.ts';
import { type Id, newId } from '../../src/lib/id.ts';
import type { RealTime } from '../../src/lib/time.ts';

type Fits<From, To> = [From] extends [To] ? true : false;

/** Compiles only where the types say the same as the value. */
const says = <T extends boolean>(value: T): boolean => value;

test('an id fits where one of its own prefix is wanted, and nowhere else', () => {
  assert.ok(says<Fits<Id<'chk'>, CheckoutId>>(true));
  assert.ok(says<Fits<CheckoutId, string>>(true));
  assert.ok(!says<Fits<CheckoutId, EventId>>(false));
  assert.ok(!says<Fits<CheckoutId, CustomerId>>(false));
  assert.ok(!says<Fits<string, CheckoutId>>(false));
  const made: CheckoutId = newId('chk', 0);
  assert.match(made, /^chk_/);
});

test('real time and the clock of a tenant are not taken for one another', () => {
  assert.ok(!says<Fits<TenantTime, RealTime>>(false));
  assert.ok(!says<Fits<RealTime, TenantTime>>(false));
  assert.ok(says<Fits<number, RealTime>>(true), 'a plain number is either');
  assert.ok(says<Fits<number, TenantTime>>(true));
  const read: RealTime = 1_000;
  const shown: TenantTime = tenantTime(read, 234);
  assert.equal(shown, 1_234);
});
