/** Rules of changing receiving accounts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changedReceivingAccounts,
  type ReceivingAccountCommand,
} from '../../src/accounts/receiving-account-changes.ts';
import { isRefusal, type Refusal } from '../../src/checkout/refusals.ts';
import type { ReceivingAccount } from '../../src/methods/bank/receiving-account.ts';
import { account, DE_IBAN } from '../methods/bank/build.ts';

const euros = account({ id: 'eur', iban: DE_IBAN });
const dollars = account({ id: 'usd', currency: 'USD', accountNumber: '123456' });
const holder = { name: 'Shop', country: 'de' };

type Fields = { readonly holder?: object; readonly [name: string]: unknown };
const set = (id: string, { holder = {}, ...fields }: Fields, isFirst = false): ReceivingAccountCommand => ({
  type: 'set_receiving_account',
  id,
  fields: { ...fields, holder: { ...holder } },
  isFirst,
});

function changed(accounts: readonly ReceivingAccount[], command: ReceivingAccountCommand) {
  const after = changedReceivingAccounts(accounts, command);
  assert.ok(!isRefusal(after), JSON.stringify(after));
  return after;
}

function refused(accounts: readonly ReceivingAccount[], command: ReceivingAccountCommand): Refusal {
  const after = changedReceivingAccounts(accounts, command);
  assert.ok(isRefusal(after), JSON.stringify(after));
  return after;
}

test('a new account comes last, or first, and has its identifiers in their normal form', () => {
  const iban = 'de89 3704 0044 0532 0130 00';
  const first = changed([dollars], set('eur', { currency: 'eur', iban, holder }, true));
  assert.deepEqual(
    first.map(({ id, currency, iban }) => [id, currency, iban]),
    [
      ['eur', 'EUR', DE_IBAN],
      ['usd', 'USD', null],
    ],
  );
  const last = changed([dollars], set('eur', { currency: 'EUR', iban, holder }));
  assert.deepEqual(
    last.map(({ id }) => id),
    ['usd', 'eur'],
  );
});

test('a known account stays where it is, and only the given fields change', () => {
  const [one, other] = changed(
    [euros, dollars],
    set('eur', { bic: 'COBADEFFXXX', holder: { city: 'Bern' } }),
  );
  assert.deepEqual(one, { ...euros, bic: 'COBADEFFXXX', holder: { ...euros.holder, city: 'Bern' } });
  assert.equal(other, dollars);
  assert.deepEqual(changed([{ ...euros, bic: 'COBADEFFXXX' }], set('eur', { bic: '' })), [euros]);
  assert.deepEqual(changed([euros, dollars], set('usd', {}, true)), [dollars, euros]);
});

test('an account is refused for its own mistakes, and for those it makes beside others', () => {
  const own = refused([], set('eur', { currency: 'EUR', iban: 'DE00', holder: { name: 'Shop' } }));
  assert.equal(own.reason, 'field_invalid');
  assert.deepEqual(own.problems.map(({ pointer }) => pointer).sort(), ['/holder/country', '/iban']);
  const twice = refused([euros], set('other', { currency: 'EUR', iban: DE_IBAN, holder }));
  assert.deepEqual(twice.problems, [{ pointer: '/iban', detail: 'is used by another receiving account' }]);
});

test('an account is removed once', () => {
  const remove: ReceivingAccountCommand = { type: 'remove_receiving_account', id: 'eur' };
  assert.deepEqual(changed([euros, dollars], remove), [dollars]);
  assert.equal(refused([dollars], remove).reason, 'not_found');
});
