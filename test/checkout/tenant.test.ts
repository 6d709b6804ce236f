/** Tenants: an account in one mode. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameTenant, type Tenant, tenantName } from '../../src/checkout/tenant.ts';

test('a tenant is one account in one mode, and has a name that no other has', () => {
  const tenants: readonly Tenant[] = [
    { account: 1, mode: 'test' },
    { account: 1, mode: 'live' },
    { account: 11, mode: 'test' },
  ];
  for (const one of tenants) {
    for (const other of tenants) {
      assert.equal(sameTenant(one, { ...other }), one === other);
      assert.equal(tenantName(one) === tenantName({ ...other }), one === other);
    }
  }
});
