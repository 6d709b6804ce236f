/** Decisions about bank entries by hand: assign to sessions, ignore, or send the money back. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../support/service.ts';
import { configure, entered, entries, eur, receiving } from './bank.ts';
import {
  assertRefused,
  createSession,
  fetchSession,
  succeeded,
  WELL_FORMED_ID,
  writesNothing,
} from './shop.ts';

const service = await startService({ after });
const { call } = service;
const usd = receiving({ id: 'usd', currency: 'USD', account_number: '123456', bank_code: '021000021' });
await configure(service, { receivingAccounts: [eur, usd] });

let amounts = 10_000;
/** An entry that nothing is known about, of an amount that no session has. */
const stray = (amount = ++amounts) => entered(service, { amount });
const session = async (fields: object = {}) => (await createSession(service, { amount: 1000, ...fields })).id;
const act = (id: string, action: string, body: object = {}, headers: Record<string, string> = {}) =>
  call('POST', `/v3/bank_entry/${id}/${action}`, { body, headers });
const assign = (id: string, ...parts: object[]) => act(id, 'assign', { parts });
const paid = async (id: string) => (await fetchSession(service, id)).amount_paid;
const fields = (...pointers: string[]) => ({
  status: 400,
  message: 'BANK_ENTRY.ASSIGN.FIELD_INVALID',
  errors: pointers.map((pointer) => [15502, pointer] as const),
});

suite('to assign', () => {
  test('all of it to a session whose payer was never shown a bank', async () => {
    const entry = await stray(1000);
    const payin = await session();
    const { status, parts } = succeeded(await assign(entry.id, { payin }));
    assert.equal(status, 'done');
    const { payment_status, payment_attempts } = await fetchSession(service, payin);
    assert.equal(payment_status, 'paid');
    assert.equal(payment_attempts[0].id, parts[0].payment_attempt);
    assert.equal(payment_attempts[0].payment_method_details.type, 'local_bank_transfer_eur');
  });

  test('in parts, and the rest later', async () => {
    const entry = await stray(3000);
    const [one, other] = [await session(), await session()];
    const first = succeeded(await assign(entry.id, { payin: one, amount: 900 }));
    assert.deepEqual([first.status, first.amount_unassigned], ['open', 2100]);
    const second = succeeded(
      await assign(entry.id, { payin: other, amount: 1000 }, { payin: one, amount: 1100 }),
    );
    assert.deepEqual([second.status, second.amount_unassigned], ['done', 0]);
    assert.deepEqual([await paid(one), await paid(other)], [2000, 1000]);
    const payments = second.parts.map(({ payment }: { payment: string }) => payment);
    assert.deepEqual(
      payments,
      [1, 2, 3].map((number) => `${entry.id}.${number}`),
    );
  });

  test('only while what is left is what the decision was made on', async () => {
    const entry = await stray(3000);
    const [one, other] = [await session(), await session()];
    const seen = { amount_unassigned: 3000 };
    const first = { parts: [{ payin: one, amount: 1000 }], ...seen };
    assert.equal(succeeded(await act(entry.id, 'assign', first)).amount_unassigned, 2000);
    const late = { parts: [{ payin: other }], ...seen };
    const refusal = await writesNothing(service, () => act(entry.id, 'assign', late));
    assertRefused(refusal, fields('/amount_unassigned'));
    assert.match(refusal.json.errors[0].message, /must be what is left now, 20\.00 EUR/);
    for (const amount_unassigned of [null, '']) {
      const empty = await writesNothing(service, () =>
        act(entry.id, 'assign', { ...late, amount_unassigned }),
      );
      assertRefused(empty, fields('/amount_unassigned'));
    }
    succeeded(await act(entry.id, 'assign', { ...late, amount_unassigned: 2000 }));
    assert.deepEqual([await paid(one), await paid(other)], [1000, 2000]);
  });

  test('all parts or none', async () => {
    const entry = await stray(3000);
    const [payin, draft] = [await session(), await session({ amount: 0 })];
    const amount = 1000;
    const rows: ReadonlyArray<readonly [object[], Parameters<typeof assertRefused>[1]]> = [
      [
        [
          { payin, amount },
          { payin: `chk_${WELL_FORMED_ID}`, amount },
        ],
        fields('/parts/1/payin'),
      ],
      [
        [
          { payin, amount },
          { payin, amount },
        ],
        fields('/parts/1/payin'),
      ],
      [
        [
          { payin, amount },
          { payin: await session({ invoice_currency: 'USD' }), amount },
        ],
        fields('/parts/1/payin'),
      ],
      [[{ payin, amount: 3001 }], fields('/parts')],
      [[{ payin, amount }, { payin: await session() }], fields('/parts/1/amount')],
      [
        [
          { payin, amount },
          { payin: draft, amount },
        ],
        { status: 409, message: 'BANK_ENTRY.ASSIGN.NOT_PAYABLE', errors: [[19023]] },
      ],
    ];
    for (const [parts, refused] of rows) {
      assertRefused(await writesNothing(service, () => assign(entry.id, ...parts)), refused);
    }
    assert.equal(await paid(payin), 0);
  });

  test('bodies that are no assignment', async () => {
    const entry = await stray();
    const bad: ReadonlyArray<readonly [object, string]> = [
      [{}, '/parts'],
      [{ parts: [] }, '/parts'],
      [{ parts: [{}] }, '/parts/0/payin'],
      [{ parts: [{ payin: 'x' }] }, '/parts/0/payin'],
      [{ parts: [{ payin: `chk_${WELL_FORMED_ID}`, amount: 0 }] }, '/parts/0/amount'],
      [{ parts: [{ payin: `chk_${WELL_FORMED_ID}`, amount: 1.5 }] }, '/parts/0/amount'],
    ];
    for (const [body, pointer] of bad) assertRefused(await act(entry.id, 'assign', body), fields(pointer));
    assertRefused(await act(entry.id, 'ignore'), {
      ...fields('/reason'),
      message: 'BANK_ENTRY.IGNORE.FIELD_INVALID',
    });
  });

  test('is done by one of two requests at once', async () => {
    const entry = await stray(1000);
    const payins = await Promise.all([session(), session(), session()]);
    const answers = await Promise.all(payins.map((payin) => assign(entry.id, { payin })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
    const sums = await Promise.all(payins.map(paid));
    assert.equal(
      sums.reduce((sum, each) => sum + each, 0),
      1000,
    );
  });

  test('again with the same key is the same', async () => {
    const entry = await stray(1000);
    const payin = await session();
    const headers = { 'idempotency-key': 'assign-1' };
    const first = await act(entry.id, 'assign', { parts: [{ payin }] }, headers);
    const again = await act(entry.id, 'assign', { parts: [{ payin }] }, headers);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(await paid(payin), 1000);
  });
});

test('is refused for an entry that is settled', async () => {
  const payin = await session();
  for (const [action, body] of [
    ['assign', { parts: [{ payin, amount: 1 }] }],
    ['ignore', { reason: 'x' }],
    ['send_back', {}],
  ] as const) {
    const entry = await stray();
    const sent = { assign: { parts: [{ payin }] }, ignore: body, send_back: body }[action];
    succeeded(await act(entry.id, action, sent));
    for (const [next, given] of [
      ['assign', { parts: [{ payin, amount: 1 }] }],
      ['ignore', { reason: 'x' }],
      ['send_back', {}],
    ] as const) {
      const answer = await writesNothing(service, () => act(entry.id, next, given));
      const message = `BANK_ENTRY.${next.toUpperCase()}.ENTRY_SETTLED`;
      assertRefused(answer, { status: 409, message, errors: [[19027]] });
    }
  }
});

suite('for a version of the entry', () => {
  const seenAt = async (id: string): Promise<string> =>
    (await call('GET', `/v3/bank_entry/${id}`)).headers.get('etag') ?? assert.fail(`${id} has no ETag`);
  const bodies = async () => ({
    assign: { parts: [{ payin: await session() }] },
    ignore: { reason: 'Interest.' },
    send_back: {},
    reopen: {},
  });
  const assertStale = (answer: Awaited<ReturnType<typeof act>>, action: string) =>
    assertRefused(answer, {
      status: 412,
      message: `BANK_ENTRY.${action.toUpperCase()}.VERSION_STALE`,
      errors: [[19030]],
    });

  for (const action of ['assign', 'ignore', 'send_back'] as const)
    test(`${action} is done as it was seen, and refused once somebody has booked a part`, async () => {
      const entry = await stray(3000);
      const seen = { 'if-match': await seenAt(entry.id) };
      succeeded(await assign(entry.id, { payin: await session(), amount: 1000 }));
      const { [action]: body } = await bodies();
      assertStale(await writesNothing(service, () => act(entry.id, action, body, seen)), action);
      const answer = await act(entry.id, action, body, { 'if-match': await seenAt(entry.id) });
      succeeded(answer);
      assert.equal(answer.headers.get('etag'), await seenAt(entry.id));
    });

  test('what is settled meanwhile is told to be so', async () => {
    const entry = await stray(1000);
    const seen = { 'if-match': await seenAt(entry.id) };
    succeeded(await assign(entry.id, { payin: await session() }));
    const answer = await writesNothing(service, () => act(entry.id, 'ignore', { reason: 'x' }, seen));
    assert.equal(answer.json.message, 'BANK_ENTRY.IGNORE.ENTRY_SETTLED');
  });

  test('what goes back is not taken back once a file for the bank has it', async () => {
    const entry = await stray(1000);
    succeeded(await act(entry.id, 'send_back'));
    const seen = { 'if-match': await seenAt(entry.id) };
    const file = succeeded(
      await call('POST', '/v3/payment_file', { body: { receiving_account: 'eur' } }),
      201,
    );
    assert.ok(file.payments.some(({ id }: { id: string }) => id === entry.id));
    assertStale(await writesNothing(service, () => act(entry.id, 'reopen', {}, seen)), 'reopen');
    succeeded(await act(entry.id, 'reopen', {}, { 'if-match': await seenAt(entry.id) }));
  });

  test('what was ignored is not reopened once somebody has, and sends it back', async () => {
    const entry = await stray(1000);
    succeeded(await act(entry.id, 'ignore', { reason: 'Interest.' }));
    const seen = { 'if-match': await seenAt(entry.id) };
    succeeded(await act(entry.id, 'reopen'));
    succeeded(await act(entry.id, 'send_back'));
    assertStale(await writesNothing(service, () => act(entry.id, 'reopen', {}, seen)), 'reopen');
    const { sent_back } = succeeded(await call('GET', `/v3/bank_entry/${entry.id}`));
    assert.equal(sent_back.status, 'pending');
    succeeded(await act(entry.id, 'reopen', {}, { 'if-match': '*' }));
  });
});

suite('to reopen', () => {
  /** Ids of what the next file of payments has, which may be none. */
  const filed = async (): Promise<string[]> => {
    const { status, json } = await call('POST', '/v3/payment_file', { body: { receiving_account: 'eur' } });
    return status === 409 ? [] : json.data.payments.map(({ id }: { id: string }) => id);
  };
  const fetched = async (id: string) => succeeded(await call('GET', `/v3/bank_entry/${id}`));

  test('what was ignored can be decided about once more', async () => {
    const entry = await stray(1000);
    succeeded(await act(entry.id, 'ignore', { reason: 'Interest.' }));
    const open = succeeded(await act(entry.id, 'reopen', { reason: 'It was none.' }));
    assert.deepEqual(
      [open.status, open.problem, open.amount_unassigned, open.note],
      ['open', 'no_match', 1000, 'It was none.'],
    );
    const payin = await session();
    assert.equal(succeeded(await assign(entry.id, { payin })).status, 'done');
    assert.equal(await paid(payin), 1000);
  });

  test('what was to go back and has not is there again, and in no file', async () => {
    const entry = await stray(1000);
    succeeded(await act(entry.id, 'send_back', { reason: 'Unknown.' }));
    const open = succeeded(await act(entry.id, 'reopen'));
    assert.deepEqual(
      [open.status, open.amount_unassigned, open.sent_back],
      ['open', 1000, { amount: 1000, status: 'failed', reason: 'Unknown.', payment_file: '' }],
    );
    assert.equal((await filed()).includes(entry.id), false);
    const payin = await session();
    assert.equal(succeeded(await assign(entry.id, { payin })).status, 'done');
    assert.equal(await paid(payin), 1000);
  });

  test('what the bank sends back all the same is for a person', async () => {
    const entry = await stray(1000);
    succeeded(await act(entry.id, 'send_back'));
    assert.ok((await filed()).includes(entry.id));
    succeeded(await act(entry.id, 'reopen', { reason: 'The bank has refused the file.' }));
    const endToEndId = entry.id.replace('_', '');
    const sent = await entered(service, { amount: 1000, direction: 'debit', endToEndId });
    assert.deepEqual([sent.status, sent.problem, sent.concerns], ['open', 'refund_failed', entry.id]);
    const { status, sent_back } = await fetched(entry.id);
    assert.deepEqual([status, sent_back.reason], ['open', 'The bank has refused the file.']);
    // The money can be sent once more, and then the debit is the expected one.
    succeeded(await act(entry.id, 'send_back'));
    assert.ok((await filed()).includes(entry.id));
    const again = await entered(service, { amount: 1000, direction: 'debit', endToEndId });
    assert.deepEqual([again.status, again.problem], ['done', '']);
    assert.equal((await fetched(entry.id)).sent_back.status, 'succeeded');
  });

  test('what is open, booked or gone is refused', async () => {
    const open = await stray();
    const booked = await stray(1000);
    succeeded(await assign(booked.id, { payin: await session() }));
    const gone = await stray();
    succeeded(await act(gone.id, 'send_back'));
    assert.ok((await filed()).includes(gone.id));
    const endToEndId = gone.id.replace('_', '');
    await entered(service, { amount: gone.amount, direction: 'debit', endToEndId });
    for (const { id } of [open, booked, gone]) {
      const answer = await writesNothing(service, () => act(id, 'reopen'));
      const message = 'BANK_ENTRY.REOPEN.ENTRY_SETTLED';
      assertRefused(answer, { status: 409, message, errors: [[19027]] });
    }
  });
});

test('money whose sender the bank did not name cannot be sent back, but ignored', async () => {
  const entry = await entered(service, { amount: ++amounts, iban: '' });
  const answer = await writesNothing(service, () => act(entry.id, 'send_back'));
  const message = 'BANK_ENTRY.SEND_BACK.NOT_REFUNDABLE';
  assertRefused(answer, { status: 409, message, errors: [[19026]] });
  assert.equal(succeeded(await act(entry.id, 'ignore', { reason: 'By letter.' })).status, 'ignored');
});

test('the inbox shows what is open, and each state by itself', async () => {
  const open = await stray();
  const ignored = await stray();
  const { status, note } = succeeded(await act(ignored.id, 'ignore', { reason: 'Interest.' }));
  assert.deepEqual([status, note], ['ignored', 'Interest.']);
  const ids = async (query: string) => (await entries(service, query)).map(({ id }) => id);
  assert.equal((await ids('&status=open'))[0], open.id);
  assert.deepEqual(await ids('&status=ignored').then((all) => all.includes(ignored.id)), true);
  assert.equal((await ids('&status=open')).includes(ignored.id), false);
  assert.equal((await call('GET', '/v3/bank_entry?status=lost')).status, 400);
  const page = (await call('GET', '/v3/bank_entry?limit=1')).json;
  assert.equal(page.has_more, true);
});
