/** Filters of the list of sessions, as the API takes them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { filtersIn, queryOf, searchOf } from '../../src/dashboard/sessions/filters.ts';

const asked = (query: Readonly<Record<string, string>>) =>
  Object.fromEntries(queryOf(filtersIn(query)).query);

suite('a filter', () => {
  test('of a day begins with it, in UTC', () => {
    assert.deepEqual(asked({ 'created_at[gte]': '2030-01-31', 'created_at[lt]': '2030-02-01' }), {
      'created_at[gte]': '2030-01-31T00:00:00Z',
      'created_at[lt]': '2030-02-01T00:00:00Z',
    });
  });

  test('of a time is left as it is', () => {
    const query = { 'created_at[gte]': '2030-01-31T12:00:00Z' };
    assert.deepEqual(asked(query), query);
  });

  test('that is empty is none, and so is what the API does not know', () => {
    assert.deepEqual(asked({ q: ' ', status: '', after: 'chk_1', limit: '100', colour: 'blue' }), {});
  });

  test('of an amount is in minor units, of the currency beside it', () => {
    assert.deepEqual(asked({ 'amount[gte]': ' 1.5 ', invoice_currency: 'kwd' }), {
      invoice_currency: 'kwd',
      'amount[gte]': '1500',
    });
  });

  test('goes into the address of the next page as it was typed', () => {
    const query = { 'amount[gte]': '1.5', invoice_currency: 'EUR', 'metadata[a&b]': '=' };
    const search = searchOf(filtersIn(query), { after: 'chk_1' });
    assert.deepEqual(Object.fromEntries(new URLSearchParams(search)), { ...query, after: 'chk_1' });
  });
});
