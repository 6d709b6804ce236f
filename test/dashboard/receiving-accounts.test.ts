/** Receiving accounts in the dashboard. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { drawCode } from '../../src/methods/bank/codes/draw.ts';
import { epcPayload } from '../../src/methods/bank/codes/epc.ts';
import { creditorReference } from '../../src/methods/bank/references.ts';
import type { Data } from '../api/shop.ts';
import { texts } from '../pages/script-carriers.ts';
import { formIn, PASSWORD, signedInVisitor, textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import {
  assertForbidden,
  assertNotElsewhere,
  assertSameShape,
  assertTokenNeeded,
  visitorsOf,
} from './roles.ts';

const LIST = '/dashboard/1/test/settings';
const NEW = `${LIST}/new-receiving-account`;
const EUR = {
  currency: 'EUR',
  'holder/name': 'Muster Handels GmbH',
  'holder/country': 'DE',
  iban: 'DE89 3704 0044 0532 0130 00',
};

let realNow = Date.now;
const service = await startService({ after }, { realNow: () => realNow() });
const visitors = await visitorsOf(service);
const { owner } = visitors;

const accounts = async (): Promise<Data[]> => (await service.call('GET', '/v3/receiving_account')).json.data;
const screenOf = (id: string) => `${LIST}/receiving-accounts/${id}`;
const put = async (id: string, body: object) => {
  const answer = await service.call('PUT', `/v3/receiving_account/${id}`, { body });
  assert.ok(answer.status < 300, answer.text);
};
const clear = async () => {
  for (const { id } of await accounts()) await service.call('DELETE', `/v3/receiving_account/${id}`);
};
const some = { currency: 'EUR', holder: { name: 'Muster', country: 'DE' }, iban: 'DE89370400440532013000' };

suite('receiving accounts', () => {
  test('are added, once by a form that is sent twice', async () => {
    await clear();
    const form = await owner.get(NEW);
    for (let i = 0; i < 2; i++) {
      const page = await owner.follow(owner.submit(form, '/new-receiving-account', { id: 'eur', ...EUR }));
      assert.match(textOf(page), /Your changes are saved\./);
      assert.match(
        textOf(page),
        /eur EUR Muster Handels GmbH DE89370400440532013000 .*local_bank_transfer_eur/,
      );
    }
    const [account, ...more] = await accounts();
    assert.deepEqual([account.id, account.iban, more], ['eur', EUR.iban.replaceAll(' ', ''), []]);
  });

  test('are not changed by a form for a new one', async () => {
    await clear();
    await put('eur', some);
    const page = await owner.submit(await owner.get(NEW), '/new-receiving-account', { id: 'eur', ...EUR });
    assert.equal(page.status, 422);
    assert.match(page.html, /id="field-id-wrong">There is a receiving account with this id already\./);
    assert.equal(formIn(page, '/new-receiving-account').fields['holder/name'], EUR['holder/name']);
    assert.equal((await accounts())[0].holder.name, 'Muster');
  });

  test('say what is wrong beside the fields, and keep what was typed', async () => {
    await clear();
    const typed = { ...EUR, id: 'Not good', iban: 'DE00', 'holder/country': 'ZZ' };
    const page = await owner.submit(await owner.get(NEW), '/new-receiving-account', typed);
    assert.equal(page.status, 422);
    for (const name of ['id', 'iban', 'holder/country'])
      assert.match(page.html, new RegExp(`id="field-${name}-wrong">${name} `));
    const { fields } = formIn(page, '/new-receiving-account');
    assert.deepEqual({ ...fields, ...typed }, fields);
    const none = await owner.submit(await owner.get(NEW), '/new-receiving-account', { id: '  ' });
    assert.match(none.html, /id="field-id-wrong">id is required\./);
    assert.deepEqual(await accounts(), []);
  });

  test('are changed in what was changed alone, and put first', async () => {
    await clear();
    await put('eur', some);
    await put('other', { ...some, iban: 'CH9300762011623852957', holder: { name: 'Other', country: 'CH' } });
    const form = await owner.get(screenOf('other'));
    await put('other', { bank_name: 'PostFinance' });
    const page = await owner.follow(
      owner.submit(form, '/other', { 'holder/city': 'Bern', 'order.first': 'on' }),
    );
    assert.match(textOf(page), /Your changes are saved\./);
    const [first] = await accounts();
    assert.deepEqual([first.id, first.holder.city, first.bank_name], ['other', 'Bern', 'PostFinance']);
    await owner.submit(page, '/other', { 'holder/city': '' });
    assert.equal((await accounts())[0].holder.city, '');
    const stale = await owner.submit(page, '/other', { bank_name: 'Mine' });
    assert.equal(stale.status, 303);
    const conflict = await owner.submit(form, '/other', { bank_name: 'Also mine' });
    assert.match(conflict.html, /id="field-bank_name-wrong">Somebody has changed this meanwhile, to Mine\./);
    assert.equal((await accounts())[0].bank_name, 'Mine');
    const wrong = await owner.submit(await owner.get(screenOf('eur')), '/eur', { iban: 'nothing' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.html, /id="field-iban-wrong">iban /);
  });

  test('are not told to be changed by a form that was sent as it was', async () => {
    await clear();
    await put('eur', some);
    await put('other', { ...some, iban: 'CH9300762011623852957' });
    const send = async (id: string, fields = {}) =>
      textOf(await owner.follow(owner.submit(await owner.get(screenOf(id)), `/${id}`, fields)));
    const first = { 'order.first': 'on' };
    assert.match(await send('other'), /There was nothing left to change\./);
    assert.match(await send('eur', first), /There was nothing left to change\./, 'it was the first already');
    assert.match(await send('other', first), /Your changes are saved\./);
    assert.equal((await accounts())[0].id, 'other');
  });

  test('that somebody else has changed are not removed by who has not seen it', async () => {
    await clear();
    await put('eur', some);
    const form = await owner.get(screenOf('eur'));
    await put('eur', { bank_name: 'Theirs' });
    const late = await owner.submit(form, '/eur/remove');
    assert.equal(late.status, 422);
    assert.match(
      textOf(late),
      /Somebody has changed the account meanwhile: see what it is now\. It was not removed\./,
    );
    assert.equal(formIn(late, '/eur').fields.bank_name, 'Theirs');
    assert.equal((await accounts()).length, 1);
    assert.equal((await owner.submit(late, '/eur/remove')).status, 303);
    assert.deepEqual(await accounts(), []);
  });

  test('are removed', async () => {
    await clear();
    await put('eur', some);
    const form = await owner.get(screenOf('eur'));
    const page = await owner.follow(owner.submit(form, '/eur/remove'));
    assert.match(textOf(page), /The receiving account is removed\./);
    assert.deepEqual(await accounts(), []);
    assert.equal((await owner.get(screenOf('eur'))).status, 404);
    assert.equal((await owner.submit(form, '/eur')).status, 404);
    const again = await owner.follow(owner.submit(form, '/eur/remove'));
    assert.match(textOf(again), /There was nothing left to change\./, 'it is removed already');
  });

  test('are removed once by a form that is sent twice, to two processes', async (t) => {
    await clear();
    await put('eur', some);
    const form = await owner.get(screenOf('eur'));
    const { accounts: known } = service.service.store;
    const before = await known.fetch(service.account.number);
    assert.equal((await owner.submit(form, '/eur/remove')).status, 303);
    // A process knows only the state before, until it hears of the change.
    const heardAt = performance.now() + 600;
    const now = known.fetch.bind(known);
    t.mock.method(known, 'fetch', async (number: number) =>
      performance.now() < heardAt ? before : now(number),
    );
    const again = await owner.submit(form, '/eur/remove');
    assert.equal(again.location ?? textOf(again), `${LIST}?done=unchanged`);
  });

  test('ask anew who somebody is before they change', async (t) => {
    await clear();
    await put('eur', some);
    const { visitor } = await signedInVisitor(service, { email: 'later@example.com' });
    const empty = await visitor.get(NEW);
    realNow = () => Date.now() + 11 * 60_000;
    t.after(() => {
      realNow = Date.now;
    });
    const form = await visitor.get(screenOf('eur'));
    assert.equal(form.status, 200);
    const askedFirst = await visitor.get(NEW);
    for (const action of ['/eur', '/eur/remove'])
      assert.match(textOf(await visitor.submit(form, action)), /Is it you\?/);
    const fields = { ...EUR, id: 'gbp', iban: 'GB29NWBK60161331926819', currency: 'GBP' };
    const asked = await visitor.submit(empty, '/new-receiving-account', fields);
    assert.match(textOf(asked), /Is it you\?/);
    assert.equal((await accounts()).length, 1);
    await visitor.submit(asked, '/new-receiving-account', { confirm_password: PASSWORD });
    const blank = await visitor.submit(askedFirst, '/new-receiving-account', { confirm_password: PASSWORD });
    assert.equal(blank.status, 200);
    assert.deepEqual(
      (await accounts()).map(({ id }) => id),
      ['eur', 'gbp'],
    );
  });

  test('show the code of a test transfer, or what to type where there is none', async () => {
    await clear();
    await put('eur', { ...some, bic: 'COBADEFFXXX' });
    await put('gbp', {
      ...some,
      currency: 'GBP',
      iban: null,
      account_number: '12345678',
      bank_code: '200000',
    });
    const reference = creditorReference('TEST');
    const payload = epcPayload({
      name: 'Muster',
      iban: some.iban,
      bic: 'COBADEFFXXX',
      amount: 100,
      reference,
    });
    const code = drawCode({ payload: payload ?? assert.fail(), errorCorrection: 'M', swissCross: false });
    const page = await owner.get(screenOf('eur'));
    assert.ok(page.html.includes(code));
    assert.match(textOf(page), /\(EPC069-12\)\. A transfer moves money.* amount 1\.00 EUR reference RF/);
    const other = await owner.get(screenOf('gbp'));
    assert.match(
      textOf(other),
      /There is no code for this account.* account number 12345678 bank code 200000/,
    );
    assert.doesNotMatch(other.html, /class="qr"/);
  });

  test('are for owners alone, in forms with their token, in their own account', async () => {
    await clear();
    await put('eur', some);
    const { owner: _, ...others } = visitors;
    const actions = [
      { method: 'GET', path: NEW },
      { method: 'POST', path: NEW, fields: { id: 'x', ...EUR } },
      { method: 'GET', path: screenOf('eur') },
      { method: 'POST', path: screenOf('eur'), fields: { bank_name: 'x' } },
      { method: 'POST', path: `${screenOf('eur')}/remove` },
    ] as const;
    const before = await accounts();
    for (const visitor of Object.values(others))
      for (const action of actions) await assertForbidden(visitor, action);
    await assertNotElsewhere(owner, actions);
    for (const { method, path } of actions) if (method === 'POST') await assertTokenNeeded(owner, path);
    assert.equal((await owner.get(screenOf('eur').replace('/test/', '/live/'))).status, 404);
    assert.deepEqual(await accounts(), before);
  });

  test('show texts as texts, whatever is in them', async () => {
    await clear();
    await put('eur', { ...some, bank_name: 'plain', holder: { name: 'plain', country: 'DE' } });
    const pages = async () => [await owner.get(screenOf('eur')), await owner.get(LIST)];
    const plain = await pages();
    for (const text of texts.filter(({ length }) => length <= 70)) {
      const body = { bank_name: text, holder: { name: text, country: 'DE' } };
      const { status } = await service.call('PUT', '/v3/receiving_account/eur', { body });
      if (status !== 200) continue;
      const shown = await pages();
      for (const [index, page] of shown.entries()) assertSameShape(page, plain[index] ?? assert.fail(), text);
    }
  });
});
