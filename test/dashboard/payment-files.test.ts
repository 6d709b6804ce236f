/** Payment files in the dashboard: what is to be sent, the file for the bank, and what became of it. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { awaitTransfer, configure, eur, imported, PAYER_IBAN, receiving } from '../api/bank.ts';
import { type Data, succeeded } from '../api/shop.ts';
import { formIn, PASSWORD, type Page, signedInVisitor, textOf, type Visitor } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';

const ends: Array<() => Promise<void>> = [];
let till: TestService;
let finance: Visitor;
let support: Visitor;
let laterMs = 0;

const LIST = '/dashboard/1/test/payment-files';
const usd = receiving({ id: 'usd', currency: 'USD', account_number: '123456', bank_code: '021000021' });

before(async () => {
  till = await startService({ after: (hook) => ends.push(hook) }, { realNow: () => Date.now() + laterMs });
  await configure(till, { receivingAccounts: [eur, usd] });
  ({ visitor: finance } = await signedInVisitor(till, { role: 'finance', email: 'finance@example.com' }));
  ({ visitor: support } = await signedInVisitor(till, { role: 'support', email: 'support@example.com' }));
});
after(async () => {
  for (const end of ends) await end();
});

/** A refund of money that came by bank; of somebody whose account the bank did not tell, if `iban` is empty. */
async function refunded(amount: number, iban = PAYER_IBAN): Promise<Data> {
  const { id, reference } = await awaitTransfer(till, { reference_id: `order-${amount}` });
  await imported(till, [{ amount: 2500, reference, iban }]);
  return succeeded(await till.call('POST', '/v3/refund', { body: { payin: id, amount } }), 201);
}
const filesOf = async (): Promise<Data[]> => succeeded(await till.call('GET', '/v3/payment_file'));

test('without refunds say what will be here', async () => {
  const text = textOf(await finance.get(LIST));
  assert.match(text, /Nothing has to be sent\./);
  assert.match(text, /There is no payment file yet\./);
  assert.match(text, /No refund waits for the bank\./);
});

suite('a payment file', () => {
  let one: Data;
  let other: Data;
  before(async () => {
    one = await refunded(400);
    other = await refunded(250);
  });

  test('is shown before it is made, by the account that the money leaves', async () => {
    const text = textOf(await finance.get(LIST));
    assert.match(
      text,
      /To be sent eur 2 payments, €6\.50 together\. .* Files .*There is no payment file yet/,
    );
    assert.match(text, /Refunds that wait for the bank .*order-250 €2\.50 in none yet .*order-400 €4\.00/);
    assert.equal((await support.get(LIST)).status, 403);
  });

  test('is not made for a day that is over, and the day stays in its field', async () => {
    const answer = await finance.submit(await finance.get(LIST), '/payment-files', {
      execute_on_eur: '2020-01-31',
    });
    assert.equal(answer.status, 422);
    assert.match(answer.html, /value="2020-01-31"/);
    assert.match(answer.html, /id="field-execute_on_eur-wrong">execute_on must be a date, today or later/);
    assert.deepEqual(await filesOf(), []);
  });

  test('is made once, by somebody who proves who they are', async () => {
    laterMs += 11 * 60_000;
    const form = await finance.get(LIST);
    const asked = await finance.submit(form, '/payment-files');
    assert.match(textOf(asked), /Is it you\? Prove it to go on/);
    assert.deepEqual(await filesOf(), []);
    const made = await finance.submit(asked, '/payment-files', { confirm_password: PASSWORD });
    const [file, ...others] = await filesOf();
    assert.deepEqual(others, []);
    assert.equal(made.location, `${LIST}/${file?.id}?done=payment-file-created`);
    assert.equal((await finance.submit(form, '/payment-files')).location, made.location, 'a form sent twice');
    assert.equal((await filesOf()).length, 1);
    const text = textOf(await finance.get(LIST));
    assert.match(text, /Nothing has to be sent\. .*Files .* eur 2 €6\.50/);
  });

  test('is downloaded as the bank takes it, by those who may', async () => {
    const [file] = await filesOf();
    const page = await finance.get(`${LIST}/${file?.id}`);
    const download = await finance.get(`${LIST}/${file?.id}/content.xml`);
    assert.ok(page.html.includes(`${LIST}/${file?.id}/content.xml`));
    assert.equal(download.headers.get('content-type'), 'application/xml');
    assert.match(
      download.headers.get('content-disposition') ?? '',
      new RegExp(`filename="${file?.id}\\.xml"`),
    );
    assert.match(download.html, /<NbOfTxs>2<\/NbOfTxs><CtrlSum>6\.50</);
    assert.doesNotMatch((await support.get(`${LIST}/${file?.id}`)).html, /content\.xml/);
    assert.equal((await support.get(`${LIST}/${file?.id}/content.xml`)).status, 403);
  });

  test('says what became of each transfer', async () => {
    const [file] = await filesOf();
    const stateOf = async ({ id }: Data) => {
      const text = textOf(await finance.get(`${LIST}/${file?.id}`));
      return new RegExp(`${id} ${PAYER_IBAN} €\\S+ (\\w+)`).exec(text)?.[1];
    };
    assert.deepEqual([await stateOf(one), await stateOf(other)], ['pending', 'pending']);
    const endToEndId = one.id.replace('_', '').toUpperCase();
    await imported(till, [{ amount: 400, direction: 'debit', endToEndId }]);
    assert.deepEqual([await stateOf(one), await stateOf(other)], ['succeeded', 'pending']);
    assert.equal((await finance.get(`${LIST}/bfl_none`)).status, 404);
  });

  test('is told of by its refunds, also when they have ended, and tells the bank entries that ended them', async () => {
    const [file] = await filesOf();
    const entryOf = async ({ id }: Data, direction: string): Promise<Data> => {
      const all: Data[] = succeeded(await till.call('GET', '/v3/bank_entry'));
      return all.find((each) => each.concerns === id && each.direction === direction) ?? assert.fail(id);
    };
    const shownOf = async ({ id }: Data) => finance.get(`/dashboard/1/test/refunds/${id}`);
    const hasFile = ({ html }: Page) =>
      html.includes(`<a href="${LIST}/${file?.id}">${file?.id}</a>`) || assert.fail(html);
    hasFile(await shownOf(other));
    const paid = await shownOf(one);
    hasFile(paid);
    const carried = await entryOf(one, 'debit');
    const linkTo = ({ id }: Data) => `<a href="/dashboard/1/test/bank/entries/${id}">${id}</a>`;
    assert.ok(paid.html.includes(linkTo(carried)));
    assert.match(textOf(paid), new RegExp(`Carried out by ${carried.id}`));

    const endToEndId = one.id.replace('_', '');
    await imported(till, [{ amount: 400, direction: 'credit', endToEndId, returned: 'AC04' }]);
    const returned = await shownOf(one);
    hasFile(returned);
    const back = await entryOf(one, 'credit');
    assert.match(
      textOf(returned),
      new RegExp(`failed The bank has returned.* Carried out by ${carried.id} Came back with ${back.id}`),
    );
    const page = await finance.get(`${LIST}/${file?.id}`);
    for (const entry of [carried, back]) assert.ok(page.html.includes(linkTo(entry)), entry.id);
    assert.match(textOf(page), /failed The bank has returned the money\. AC04/);
    const { html } = await support.get(`/dashboard/1/test/refunds/${one.id}`);
    assert.ok(html.includes(`<code>${back.id}</code>`), 'no way to what the role may not see');
  });

  test('cannot have a refund whose payer nobody knows, which is named', async () => {
    const unknown = await refunded(300, '');
    const page = await finance.get(LIST);
    assert.match(textOf(page), new RegExp(`0 payments.* can be in no file: ${unknown.id} : `));
    assert.throws(() => formIn(page, '/payment-files'), 'there is nothing to create');
    const { fields } = formIn(page, '/sign-out');
    const answer = await finance.post(LIST, { ...fields, receiving_account: 'eur' });
    assert.equal(answer.status, 422);
    assert.match(textOf(answer), /No refund or return can leave this account now\./);
  });
});
