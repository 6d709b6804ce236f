/** JSON of sessions that is kept where it is made. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeptJson } from '../../src/store/kept-json.ts';
import { checkout } from '../checkout/build.ts';

const form = { checkoutUrl: 'https://pay.example', hundredths: false };

/** Sessions as they are asked for, and how often one was made. */
function setUp() {
  const jsonOf = createKeptJson();
  let made = 0;
  const ask = (mark = 'v1', asked = form) => {
    const make = () => {
      made++;
      return checkout({ description: mark, currency: 'JPY' });
    };
    const { json } = jsonOf(asked, { id: checkout().id, mark, make });
    return { json, made };
  };
  return ask;
}

test('JSON of a session is kept from the second time on: an export asks for each once', () => {
  const ask = setUp();
  assert.deepEqual(
    [ask(), ask(), ask(), ask()].map(({ made }) => made),
    [1, 2, 2, 2],
  );
});

test('JSON of a session that has changed is made anew, and kept', () => {
  const ask = setUp();
  ask();
  ask();
  const [first, again] = [ask('v2'), ask('v2')];
  assert.match(first.json, /"v2"/);
  assert.deepEqual([first.made, again], [3, first]);
});

test('JSON of a session is that of the address under which the service is reached, and of the form', () => {
  const ask = setUp();
  const usual = [ask(), ask()].at(-1);
  const elsewhere = { ...form, checkoutUrl: 'https://other.example' };
  const moved = ask('v1', elsewhere);
  assert.equal(moved.json, usual?.json.replaceAll(form.checkoutUrl, elsewhere.checkoutUrl));
  const inHundredths = ask('v1', { ...elsewhere, hundredths: true });
  assert.equal(inHundredths.made, moved.made);
  const { amount } = JSON.parse(moved.json);
  assert.equal(JSON.parse(inHundredths.json).amount, 100 * amount);
});
