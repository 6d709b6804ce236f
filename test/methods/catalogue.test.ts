/** The catalogue of payment methods: ids that say what they are, and who sees which of them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { currencies } from '../../src/checkout/money.ts';
import { catalogue, findMethod, groupOf, type Method } from '../../src/methods/catalogue.ts';
import { methodsFor } from '../../src/methods/method.ts';

const local = [...new Set(currencies.flatMap((currency) => catalogue(currency)))].filter(
  ({ family }) => family !== 'card' && family !== 'bank_transfer',
);

suite('a method of one country', () => {
  for (const { id, name, currency, country } of local) {
    test(`goes by its name and currency: ${id}`, () => {
      assert.equal(id, `${name.replace(' ', '')}_${currency}`.toLowerCase());
      // The code of a national currency begins with that of its country (ISO 4217).
      if (currency !== 'EUR') assert.equal(country, currency?.slice(0, 2));
      assert.equal(groupOf(findMethod(id) as Method), 'APM');
    });
  }
});

test('each method in euros belongs to a country', () => {
  const countries = local
    .filter(({ currency }) => currency === 'EUR')
    .map(({ id, country }) => [id, country]);
  assert.deepEqual(Object.fromEntries(countries), { ideal_eur: 'NL', bancontact_eur: 'BE' });
});

suite('the methods of a payer', () => {
  test('are those of the currency, in order, and of the country where it is known', () => {
    const transfer = ['local_bank_transfer_eur', 'wire_transfer'];
    assert.deepEqual(methodsFor({ currency: 'EUR', country: 'NL' }), ['card', 'ideal_eur', ...transfer]);
    assert.deepEqual(methodsFor({ currency: 'EUR', country: 'DE' }), ['card', ...transfer]);
    const all = ['card', 'ideal_eur', 'bancontact_eur', ...transfer];
    assert.deepEqual(methodsFor({ currency: 'EUR', country: '' }), all);
  });

  test('are cards and transfers everywhere', () => {
    for (const currency of currencies) {
      const groups = methodsFor({ currency, country: 'XX' }).map((id) => groupOf(findMethod(id) as Method));
      assert.deepEqual(groups, ['card', 'bank_transfer', 'bank_transfer'], currency);
    }
  });

  test('are none for what is no currency but those that need none', () => {
    assert.deepEqual(methodsFor({ currency: 'XXX', country: '' }), ['card', 'wire_transfer']);
  });
});

suite('a transfer within a country', () => {
  test('is there for every currency', () => {
    for (const currency of currencies) {
      const id = `local_bank_transfer_${currency.toLowerCase()}`;
      const name = `Bank transfer (${currency})`;
      assert.deepEqual(findMethod(id), { id, name, family: 'bank_transfer', currency, country: null });
    }
  });

  test('has one id', () => {
    for (const id of [
      'local_bank_transfer_EUR',
      'local_bank_transfer_xxx',
      'local_bank_transfer_',
      'eur',
      '',
    ]) {
      assert.equal(findMethod(id), undefined, id);
    }
  });
});
