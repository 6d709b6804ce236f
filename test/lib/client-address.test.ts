/** Clients by their addresses: a limit of one must not be had again with the next address of the same network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../../src/lib/client-address.ts';

for (const [address, client] of [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
  ['no:address', 'no:address'],
  [undefined, ''],
] as const)
  test(`${address} belongs to ${client}`, () => assert.equal(clientOf(address), client));
