/** Files of payments for a bank, and the statements that show what became of them. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { SaxesParser } from 'saxes';
import { startService } from '../support/service.ts';
import {
  awaitTransfer,
  bankReference,
  configure,
  entered,
  entries,
  eur,
  IBAN,
  imported,
  type Line,
  PAYER_IBAN,
  receiving,
} from './bank.ts';
import {
  advance,
  assertRefused,
  createSession,
  type Data,
  eventTypes,
  now,
  pay,
  succeeded,
  writesNothing,
} from './shop.ts';
import { refundsAreHeardOf } from './subjects.ts';

const service = await startService({ after });
const { call } = service;
const usd = receiving({ id: 'usd', currency: 'USD', account_number: '123456', bank_code: '021000021' });
await configure(service, { receivingAccounts: [eur, usd] });

/** A session that was paid by transfer, and a refund of a part of it. */
async function refunded(line: Partial<Line> = {}, fields: object = {}): Promise<Data> {
  const { id, reference } = await awaitTransfer(service);
  await imported(service, [{ amount: 2500, reference, ...line }]);
  return refundOf(id, fields);
}
const refundOf = async (payin: string, fields: object = {}) =>
  succeeded(await call('POST', '/v3/refund', { body: { payin, amount: 400, ...fields } }), 201);
const fetchRefund = async ({ id }: Data) => succeeded(await call('GET', `/v3/refund/${id}`));
const fetchEntry = async ({ id }: Data) => succeeded(await call('GET', `/v3/bank_entry/${id}`));
const create = (body: object = {}, headers: Record<string, string> = {}) =>
  call('POST', '/v3/payment_file', { body: { receiving_account: 'eur', ...body }, headers });
const created = async (): Promise<Data> => succeeded(await create(), 201);
const contentOf = async ({ id }: Data): Promise<string> =>
  succeeded(await call('GET', `/v3/payment_file/${id}/content`)).content;
const endToEndIdOf = ({ id }: Data): string => id.replace('_', '');
const idsIn = (file: Data): string[] => file.payments.map(({ id }: Data) => id);
/** The bank shows the transfer. */
const carriedOut = (subject: Data, given: Partial<Line> = {}): Line => ({
  amount: 400,
  direction: 'debit',
  endToEndId: endToEndIdOf(subject).toUpperCase(),
  ...given,
});
/** The bank of the receiver sent it back. */
const returned = (subject: Data, given: Partial<Line> = {}): Line => ({
  ...carriedOut(subject),
  direction: 'credit',
  returned: 'AC04',
  ...given,
});

type Node = { name: string; attributes: Record<string, string>; children: Node[]; text: string };

/** Reads it with a parser that knows nothing of how it was written. */
function treeOf(content: string): Node {
  const root: Node = { name: '', attributes: {}, children: [], text: '' };
  const stack = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => assert.fail(error));
  parser.on('opentag', ({ name, attributes }) => {
    const node: Node = { name, attributes: attributes as Record<string, string>, children: [], text: '' };
    stack.at(-1)?.children.push(node);
    stack.push(node);
  });
  parser.on('text', (text) => {
    const node = stack.at(-1);
    if (node) node.text += text;
  });
  parser.on('closetag', () => stack.pop());
  parser.write(content).close();
  return root.children[0] as Node;
}
function all(node: Node, path: string): Node[] {
  return path
    .split('/')
    .reduce(
      (nodes, name) => nodes.flatMap(({ children }) => children.filter((each) => each.name === name)),
      [node],
    );
}
const textAt = (node: Node, path: string) => all(node, path).map(({ text }) => text);

suite('a file', () => {
  test('has every refund that leaves the account, once', async () => {
    const [one, other] = [await refunded(), await refunded({}, { amount: 2500, reason: 'Lost.' })];
    const preview = async () => succeeded(await call('GET', '/v3/payment_file/preview'));
    const expected = { receiving_account: 'eur', currency: 'EUR', count: 2, amount: 2900, left_out: [] };
    const [{ version, ...shown }] = await preview();
    assert.deepEqual(shown, { object: 'payment_file_preview', ...expected });
    const file = succeeded(await create({ version }), 201);
    assert.deepEqual(await preview(), []);
    assert.deepEqual(idsIn(file).sort(), [one.id, other.id].sort());
    assert.deepEqual(
      [file.object, file.amount, file.currency, file.left_out],
      ['payment_file', 2900, 'EUR', []],
    );
    for (const refund of [one, other]) assert.equal((await fetchRefund(refund)).status, 'pending');
    assert.deepEqual(succeeded(await call('GET', `/v3/payment_file/${file.id}`)), file);
    assert.deepEqual((await call('GET', '/v3/payment_file?limit=1')).json.data, [file]);
    assert.equal((await call('GET', `/v3/bank_statement/${file.id}`)).status, 404, 'it is no statement');

    const answer = await writesNothing(service, () => create());
    const message = 'PAYMENT_FILE.CREATE.NOTHING_TO_PAY';
    assertRefused(answer, { status: 409, message, errors: [[19028]] });

    const document = treeOf(await contentOf(file));
    assert.equal(document.attributes.xmlns, 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09');
    const [message1] = all(document, 'CstmrCdtTrfInitn');
    assert.ok(message1);
    for (const group of ['GrpHdr', 'PmtInf']) {
      assert.deepEqual(textAt(message1, `${group}/NbOfTxs`), ['2']);
      assert.deepEqual(textAt(message1, `${group}/CtrlSum`), ['29.00']);
    }
    const [payment] = all(message1, 'PmtInf');
    assert.ok(payment);
    // The order is that of the schema.
    assert.deepEqual(
      payment.children.slice(0, 10).map(({ name }) => name),
      [
        'PmtInfId',
        'PmtMtd',
        'BtchBookg',
        'NbOfTxs',
        'CtrlSum',
        'PmtTpInf',
        'ReqdExctnDt',
        'Dbtr',
        'DbtrAcct',
        'DbtrAgt',
      ],
    );
    assert.deepEqual(textAt(payment, 'BtchBookg'), ['false']);
    assert.deepEqual(textAt(payment, 'DbtrAcct/Id/IBAN'), [IBAN]);
    assert.deepEqual(textAt(payment, 'ReqdExctnDt/Dt'), [file.execute_on]);
    const transfers = all(payment, 'CdtTrfTxInf');
    const found = transfers.map((each) => ({
      id: textAt(each, 'PmtId/EndToEndId')[0],
      amount: textAt(each, 'Amt/InstdAmt')[0],
      currency: all(each, 'Amt/InstdAmt')[0]?.attributes.Ccy,
      iban: textAt(each, 'CdtrAcct/Id/IBAN')[0],
      name: textAt(each, 'Cdtr/Nm')[0],
    }));
    const common = { currency: 'EUR', iban: PAYER_IBAN, name: 'Ada Lovelace' };
    assert.deepEqual(
      found.toSorted((a, b) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1)),
      [
        { id: endToEndIdOf(one), amount: '4.00', ...common },
        { id: endToEndIdOf(other), amount: '25.00', ...common },
      ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
    for (const { id } of found) assert.match(id ?? '', /^[a-z0-9]{1,35}$/);
  });

  test('of two at once only one has a refund, and a repeated request is the same', async () => {
    const refunds = [await refunded(), await refunded(), await refunded()];
    const stray = await entered(service, { amount: 777 });
    succeeded(await call('POST', `/v3/bank_entry/${stray.id}/send_back`));
    const answers = await Promise.all([create(), create(), create(), create()]);
    const files = answers.filter(({ status }) => status === 201).map(({ json }) => json.data);
    assert.deepEqual(files.flatMap(idsIn).sort(), [...refunds.map(({ id }) => id), stray.id].sort());
    const refund = await refunded();
    const headers = { 'idempotency-key': 'file-1' };
    const first = await create({}, headers);
    const again = await create({}, headers);
    assert.deepEqual([idsIn(first.json.data), again.text], [[refund.id], first.text]);
  });

  test('is told to a repeated request also once its day is over, or its account is gone', async () => {
    await refunded();
    const headers = { 'idempotency-key': 'file-of-yesterday' };
    const body = { execute_on: new Date(await now(service)).toISOString().slice(0, 10) };
    const first = await create(body, headers);
    succeeded(first, 201);
    await advance(service, 86_400);
    const late = await create(body, headers);
    await configure(service, { receivingAccounts: [usd] });
    const gone = await create(body, headers);
    const other = await create({ ...body, receiving_account: 'none' }, headers);
    const fresh = await create(body, { 'idempotency-key': 'file-of-today' });
    await configure(service, { receivingAccounts: [eur, usd] });
    assert.deepEqual([late.text, gone.text], [first.text, first.text]);
    assert.equal(late.headers.get('idempotent-replayed'), 'true');
    assert.equal(other.status, 422, 'it is another request');
    const errors = [
      [15502, '/receiving_account'],
      [15502, '/execute_on'],
    ] as const;
    assertRefused(fresh, { status: 400, message: 'PAYMENT_FILE.CREATE.FIELD_INVALID', errors });
  });

  test('has the payments that a preview has shown and no others, if it is asked for those', async () => {
    const versionOf = async (): Promise<string> =>
      succeeded(await call('GET', '/v3/payment_file/preview'))[0].version;
    const [one, other] = [await refunded(), await refunded()];
    const seen = await versionOf();
    // Of as many payments and the same sum.
    succeeded(await call('POST', `/v3/refund/${one.id}/settle`, { body: { status: 'failed' } }));
    const further = await refunded();
    await refundsAreHeardOf(service);
    for (const version of [seen, 'x', null, '']) {
      const refusal = await writesNothing(service, () => create({ version }));
      const message = 'PAYMENT_FILE.CREATE.FIELD_INVALID';
      assertRefused(refusal, { status: 400, message, errors: [[15502, '/version']] });
      const told = version ? /now: 2 of them, 8\.00 EUR together/ : /omit it to make none/;
      assert.match(refusal.json.errors[0].message, told);
    }
    const file = succeeded(await create({ version: await versionOf() }), 201);
    assert.deepEqual(idsIn(file).sort(), [other.id, further.id].sort());
    const none = await create({ version: seen });
    assert.equal(none.json.message, 'PAYMENT_FILE.CREATE.NOTHING_TO_PAY');
  });

  test('has another version once the money would go to another account, or leave another', async () => {
    const previewed = async (): Promise<Data> =>
      succeeded(await call('GET', '/v3/payment_file/preview')).find(
        ({ receiving_account }: Data) => receiving_account === 'eur',
      );
    const { id, reference } = await awaitTransfer(service);
    await imported(service, [{ amount: 2500, reference }]);
    const refund = await refundOf(id);
    const seen = [await previewed()];
    // Whoever has paid last gets the refund.
    await imported(service, [{ amount: 2500, reference, iban: 'NL91ABNA0417164300' }]);
    seen.push(await previewed());
    await configure(service, { receivingAccounts: [{ ...eur, iban: 'FR1420041010050500013M02606' }, usd] });
    const refusals = [];
    for (const { version } of seen) refusals.push(await create({ version }));
    seen.push(await previewed());
    const file = await create({ version: seen.at(-1)?.version });
    await configure(service, { receivingAccounts: [eur, usd] });
    for (const refusal of refusals) {
      const message = 'PAYMENT_FILE.CREATE.FIELD_INVALID';
      assertRefused(refusal, { status: 400, message, errors: [[15502, '/version']] });
    }
    assert.deepEqual(
      new Set(seen.map(({ count, amount }) => `${count} ${amount}`)).size,
      1,
      'no number tells them apart',
    );
    assert.equal(new Set(seen.map(({ version }) => version)).size, 3);
    assert.deepEqual(succeeded(file, 201).payments, [
      { id: refund.id, amount: 400, account: 'NL91ABNA0417164300' },
    ]);
  });

  test('says what it leaves out', async () => {
    const unknown = await refunded({ iban: '' });
    const foreign = await refunded({ iban: '12345678' });
    const refund = await refunded();
    const file = await created();
    assert.deepEqual(idsIn(file), [refund.id]);
    assert.deepEqual(
      new Map(file.left_out.map(({ id, reason }: Data) => [id, reason])),
      new Map([
        [unknown.id, 'the bank did not report the payer’s account'],
        [foreign.id, 'the payer’s account is not an IBAN'],
      ]),
    );
    const more = await refunded();
    await configure(service, { receivingAccounts: [{ ...eur, id: 'other' }, usd] });
    const answer = await create({ receiving_account: 'other' });
    await configure(service, { receivingAccounts: [eur, usd] });
    assert.equal(answer.status, 409, 'all that is due came into another account');
    assert.ok(idsIn(await created()).includes(more.id));
  });

  test('has what leaves its account only, and nothing of other rails', async () => {
    const { id, reference } = await awaitTransfer(
      service,
      { invoice_currency: 'USD' },
      'local_bank_transfer_usd',
    );
    const statement = { account: '123456', currency: 'USD' };
    await imported(service, [{ amount: 2500, reference, iban: '987654321' }], statement);
    const dollars = await refundOf(id);
    const card = await createSession(service);
    await pay(service, card.id);
    await refundOf(card.id, { metadata: { sandbox_outcome: 'pending' } });
    assert.equal((await create()).status, 409);
    const file = succeeded(await create({ receiving_account: 'usd' }), 201);
    assert.deepEqual([idsIn(file), file.currency], [[dollars.id], 'USD']);
    const [payment] = all(treeOf(await contentOf(file)), 'CstmrCdtTrfInitn/PmtInf');
    assert.ok(payment);
    assert.deepEqual(textAt(payment, 'CdtTrfTxInf/CdtrAcct/Id/Othr/Id'), ['987654321']);
    assert.deepEqual([textAt(payment, 'PmtTpInf'), textAt(payment, 'DbtrAcct/Ccy')], [[], ['USD']]);
  });

  test('has names and texts as every bank takes them', async () => {
    const name = '"Žofie" <b>&amp; Söhne]]> 北京\u{1f9fe}';
    await refunded({ name }, { reason: 'Zurück & „vorwärts“ <!--' });
    await refunded({ name: '北京' });
    const content = await contentOf(await created());
    const payment = treeOf(content);
    const names = textAt(payment, 'CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf/Cdtr/Nm');
    assert.deepEqual(names.sort(), ['.Zofie. .b.+amp. Soehne... ...', 'NOTPROVIDED'].sort());
    for (const text of textAt(payment, 'CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf/RmtInf/Ustrd')) {
      assert.match(text, /^[A-Za-z0-9/\-?:().,'+ ]{1,140}$/);
    }
  });

  test('is refused for what it cannot be', async () => {
    for (const [body, pointer] of [
      [{ receiving_account: 'none' }, '/receiving_account'],
      [{ execute_on: '2030-02-30' }, '/execute_on'],
      [{ execute_on: '2020-01-01' }, '/execute_on'],
      [{ execute_on: 'tomorrow' }, '/execute_on'],
      [{ more: 1 }, '/more'],
    ] as const) {
      const message = 'PAYMENT_FILE.CREATE.FIELD_INVALID';
      assertRefused(await create(body), { status: 400, message, errors: [[15502, pointer]] });
    }
  });
});

suite('a statement', () => {
  test('confirms a refund, and tells when it came back', async () => {
    const refund = await refunded();
    await created();
    const entry = await entered(service, carriedOut(refund));
    assert.deepEqual([entry.status, entry.concerns], ['done', refund.id]);
    assert.equal((await fetchRefund(refund)).status, 'succeeded');
    assert.equal((await call('GET', `/v3/payin/${refund.payin}`)).json.data.amount_refunded, 400);
    const back = await entered(service, returned(refund));
    assert.deepEqual([back.status, back.concerns, back.parts], ['done', refund.id, []]);
    const failed = await fetchRefund(refund);
    assert.deepEqual(
      [failed.status, failed.status_description],
      ['failed', 'The bank has returned the money. AC04'],
    );
    assert.equal((await call('GET', `/v3/payin/${refund.payin}`)).json.data.amount_refunded, 0);
    assert.deepEqual((await eventTypes(service, refund.payin)).slice(-2), [
      'refund.succeeded',
      'refund.failed',
    ]);
    await entered(service, carriedOut(refund));
    assert.equal((await fetchRefund(refund)).status, 'failed', 'whatever comes later');
  });

  test('with money that may be a refund which came back pays nobody, and a person settles it', async () => {
    const refund = await refunded();
    await created();
    await entered(service, carriedOut(refund));
    // Somebody of the same name owes just as much.
    const other = await awaitTransfer(service, { amount: 400 });
    const back = await entered(service, { amount: 400, endToEndId: endToEndIdOf(refund) });
    assert.deepEqual([back.status, back.problem, back.concerns], ['open', 'unknown_return', refund.id]);
    assert.deepEqual(back.suggestions, [{ payin: refund.payin, score: 100 }]);
    assert.equal((await fetchRefund(refund)).status, 'succeeded', 'payers know the id as well');
    assert.equal((await call('GET', `/v3/payin/${other.id}`)).json.data.amount_paid, 0);

    const parts = [{ payin: refund.payin }];
    const done = succeeded(await call('POST', `/v3/bank_entry/${back.id}/assign`, { body: { parts } }));
    assert.deepEqual([done.status, done.problem, done.parts, done.amount_unassigned], ['done', '', [], 0]);
    const failed = await fetchRefund(refund);
    assert.deepEqual(
      [failed.status, failed.status_description],
      ['failed', 'The bank has returned the money.'],
    );
    const { amount_paid, amount_refunded } = (await call('GET', `/v3/payin/${refund.payin}`)).json.data;
    assert.deepEqual([amount_paid, amount_refunded], [2500, 0]);
  });

  test('with money that names a refund which has failed is booked where a person says so', async () => {
    const { id, reference } = await awaitTransfer(service);
    await imported(service, [{ amount: 1000, reference }]);
    const refund = await refundOf(id, { amount: 1000 });
    succeeded(await call('POST', `/v3/refund/${refund.id}/settle`, { body: { status: 'failed' } }));
    const text = `${reference} ${endToEndIdOf(refund)}`;
    const came = await entered(service, { amount: 1000, text });
    assert.equal(came.problem, 'unknown_return');
    const parts = [{ payin: id }];
    const done = succeeded(await call('POST', `/v3/bank_entry/${came.id}/assign`, { body: { parts } }));
    assert.deepEqual([done.status, done.parts[0].amount, done.concerns], ['done', 1000, '']);
    assert.equal((await call('GET', `/v3/payin/${id}`)).json.data.amount_paid, 2000);
  });

  test('with the sum of refunds that came back leaves their parts to say so', async () => {
    const [one, other] = [await refunded(), await refunded()];
    await created();
    await imported(service, [carriedOut(one), carriedOut(other)]);
    const reference = bankReference();
    const sum = { amount: 800, bankReference: reference };
    const open = await entered(service, { ...sum, text: `RETURNS 2 ${endToEndIdOf(one)} AND OTHERS` });
    assert.equal(open.problem, 'unknown_return');
    const file = await imported(service, [{ ...sum, parts: [returned(one), returned(other)] }], {
      kind: '054',
    });
    assert.deepEqual([file.entries, file.new, file.settled], [2, 2, 2]);
    for (const refund of [one, other]) assert.equal((await fetchRefund(refund)).status, 'failed');
    const apart = await fetchEntry(open);
    assert.deepEqual([apart.status, apart.concerns, apart.taken_apart_by], ['done', '', file.id]);
  });

  test('with money of a payer who wrote the id of a refund is booked where a person says so', async () => {
    const refund = await refunded();
    const other = await awaitTransfer(service, { amount: 400 });
    const came = await entered(service, { amount: 400, text: `${other.reference} ${endToEndIdOf(refund)}` });
    assert.equal(came.problem, 'unknown_return');
    const parts = [{ payin: other.id }];
    const done = succeeded(await call('POST', `/v3/bank_entry/${came.id}/assign`, { body: { parts } }));
    assert.deepEqual([done.status, done.parts[0].amount], ['done', 400]);
    assert.equal((await fetchRefund(refund)).status, 'pending');
  });

  test('with another amount for a refund is for a person', async () => {
    const refund = await refunded();
    await created();
    const entry = await entered(service, carriedOut(refund, { amount: 399 }));
    assert.deepEqual([entry.status, entry.problem, entry.concerns], ['open', 'refund_differs', refund.id]);
    assert.equal((await fetchRefund(refund)).status, 'pending');
  });

  test('takes a transfer back', async () => {
    const { id, reference } = await awaitTransfer(service);
    await imported(service, [{ amount: 2500, reference }]);
    const line: Line = { amount: 2500, direction: 'debit', reference, isReversal: true };
    const entry = await entered(service, line);
    assert.deepEqual([entry.status, entry.concerns], ['done', id]);
    const { reversals } = (await call('GET', `/v3/payin/${id}`)).json.data;
    assert.deepEqual(
      reversals.map(({ kind, amount, status }: Data) => [kind, amount, status]),
      [['return', 2500, 'lost']],
    );
    assert.ok((await eventTypes(service, id)).includes('reversal.lost'));
    const answer = await call('POST', '/v3/refund', { body: { payin: id, amount: 1 } });
    assert.equal(answer.status, 409, 'the money is not there any more');
    const unknown = await entered(service, { amount: 9, direction: 'debit', isReversal: true });
    assert.deepEqual([unknown.status, unknown.problem], ['open', 'unknown_return']);
  });

  test('shows that money without a session went back, and came once more', async () => {
    const stray = await entered(service, { amount: 4321, name: 'Bob' });
    const answer = await call('POST', `/v3/bank_entry/${stray.id}/send_back`, {
      body: { reason: 'Unknown.' },
    });
    const { status, amount_unassigned, sent_back } = succeeded(answer);
    assert.deepEqual([status, amount_unassigned], ['waiting', 0]);
    assert.deepEqual(sent_back, { amount: 4321, status: 'pending', reason: 'Unknown.', payment_file: '' });
    const file = await created();
    assert.deepEqual(idsIn(file), [stray.id]);
    assert.match(await contentOf(file), /<Ustrd>Unknown\.<\/Ustrd>/);
    const other = await entered(service, carriedOut(stray, { amount: 4320 }));
    assert.deepEqual([other.status, other.problem], ['open', 'refund_differs']);
    assert.equal((await entered(service, carriedOut(stray, { amount: 4321 }))).concerns, stray.id);
    const done = await fetchEntry(stray);
    assert.deepEqual([done.status, done.sent_back.status], ['done', 'succeeded']);
    const back = await entered(service, returned(stray, { amount: 4321 }));
    assert.deepEqual([back.status, back.concerns, back.parts], ['done', stray.id, []]);
    const open = await fetchEntry(stray);
    assert.deepEqual(
      [open.status, open.amount_unassigned, open.sent_back],
      ['open', 4321, { amount: 4321, status: 'failed', reason: 'AC04', payment_file: file.id }],
    );
    // The entry can be sent back again.
    succeeded(await call('POST', `/v3/bank_entry/${stray.id}/send_back`));
    assert.deepEqual(idsIn(await created()), [stray.id]);
    assert.equal(
      (await entries(service, '&status=waiting')).some(({ id }) => id === stray.id),
      true,
    );
  });
});
