/** The inbox of bank entries, and the decisions about them, as a browser without JavaScript sees them. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { awaitTransfer, configure, entered, entries, imported } from '../api/bank.ts';
import { createSession, fetchSession, succeeded } from '../api/shop.ts';
import { formIn, PASSWORD, type Page, textOf, type Visitor } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { type Role, visitorsOf } from './roles.ts';

let realNow = Date.now;
const service = await startService({ after }, { realNow: () => realNow() });
const LIST = '/dashboard/1/test/bank';
let visitors: Readonly<Record<Role, Visitor>>;
let finance: Visitor;

before(async () => {
  await configure(service);
  visitors = await visitorsOf(service);
  ({ finance } = visitors);
});

const screenOf = (id: string) => `${LIST}/entries/${id}`;
const fetched = async (id: string) => succeeded(await service.call('GET', `/v3/bank_entry/${id}`));
const paid = async (id: string) => (await fetchSession(service, id)).amount_paid;
const session = (fields: object) => createSession(service, fields);

let amounts = 20_000;
/** An entry that no session waits for. */
const stray = (more: object = {}) => entered(service, { amount: ++amounts, ...more });

/** Sends a form that asks who somebody is, and the proof, as long after the last one as it takes. */
async function proven(visitor: Visitor, page: Page, action: string, fields: Record<string, string>) {
  const late = Date.now() + 11 * 60_000;
  realNow = () => late;
  try {
    const asked = await visitor.submit(page, action, fields);
    assert.match(textOf(asked), /Is it you\?/);
    return await visitor.submit(asked, action, { confirm_password: PASSWORD });
  } finally {
    realNow = Date.now;
  }
}

suite('the inbox', () => {
  test('shows what waits, why, and for which session it may be, which one click takes', async () => {
    const { id, reference_id } = await session({ amount: 4711, reference_id: 'INV-4711' });
    const entry = await entered(service, {
      amount: 4711,
      text: `Invoice ${reference_id} of us`,
      name: 'Grace Hopper',
    });
    assert.equal(entry.status, 'open', 'no attempt of the session waits for a transfer');
    const again = await finance.get(LIST);
    assert.match(
      textOf(again),
      /2030-01-31 Grace Hopper Invoice INV-4711 of us €47\.11 open It has no reference/,
    );
    assert.equal(await paid(id), 0);
  });

  test('says what to do where nothing waits', async () => {
    const page = await visitors.owner.get('/dashboard/1/live/bank');
    assert.match(textOf(page), /Nothing waits for a person\. Import a statement/);
  });

  test('has all others by a filter, page by page', async () => {
    await imported(
      service,
      Array.from({ length: 30 }, () => ({ amount: ++amounts, direction: 'debit' as const, text: 'Fee' })),
    );
    const done = await finance.get(`${LIST}?status=done`);
    assert.match(textOf(done), /−€\d+\.\d\d done Nothing is left to do\./);
    const next = /href="([^"]*after=[^"]*)">Older/.exec(done.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.match(next, /status=done/);
    const rows = (page: Page) => page.html.match(/data-row/g)?.length ?? 0;
    assert.deepEqual([rows(done), rows(await finance.get(next))], [25, 5]);
    const wrong = await finance.get(`${LIST}?status=gone`);
    assert.equal(wrong.status, 422);
    assert.match(textOf(wrong), /status must be one of/);
  });
});

/** An entry with two sessions that it may be for. */
async function ambiguous() {
  const amount = ++amounts;
  const fields = { amount, customer_details: { name: 'Alan Turing', email: 'alan@example.com' } };
  const one = await awaitTransfer(service, { ...fields, reference_id: `one-${amount}` });
  const other = await awaitTransfer(service, { ...fields, reference_id: `other-${amount}` });
  return { entry: await entered(service, { amount, name: 'Alan Turing' }), one, other, amount };
}

suite('suggestions', () => {
  test('are assigned by one click, in the list and on the screen of the entry', async () => {
    const first = await ambiguous();
    const list = await finance.get(LIST);
    assert.match(
      textOf(list),
      /Alan Turing .* By amount and payer it may be for a session, but .* due and 1 more Assign to/,
    );
    const best = first.entry.suggestions[0].payin;
    const page = await finance.follow(finance.submit(list, `${first.entry.id}/assign`));
    assert.match(textOf(page), /The money is booked\..*done It is booked\./);
    assert.equal(await paid(best), first.amount);

    const second = await ambiguous();
    const screen = await finance.get(screenOf(second.entry.id));
    assert.match(
      textOf(screen),
      /It may be for .* one-\d+ Assign to one-\d+ Alan Turing €\d+\.\d\d 80 of 100/,
    );
    const { action, fields } = formIn(screen, '/assign');
    assert.equal(fields['parts/0/payin'], second.entry.suggestions[0].payin);
    assert.equal((await finance.post(action, fields)).status, 303);
    assert.equal((await finance.post(action, fields)).status, 303, 'a form that is sent twice acts once');
    assert.equal(await paid(second.entry.suggestions[0].payin), second.amount);
  });
});

suite('an entry', () => {
  test('is split between sessions by id and reference, and the rest is left', async () => {
    const one = await session({ amount: 1000 });
    const other = await session({ amount: 1550, reference_id: 'INV-1550' });
    const entry = await stray({ amount: 3000, text: 'Both orders' });
    const screen = await finance.get(screenOf(entry.id));
    assert.match(textOf(screen), /Payer Ada Lovelace Account DE89370400440532013000 Text Both orders/);
    const more = await finance.submit(screen, '/assign', {
      'parts/0/payin': one.id,
      'parts/0/amount': '10',
      more: '1',
    });
    assert.equal((await fetched(entry.id)).amount_unassigned, 3000, 'nothing is booked by another row');
    assert.match(textOf(more), /The amounts add up to €10\.00\. €20\.00 would be left\./);
    assert.match(more.html, /Part 4/);
    assert.equal(formIn(more, '/assign').fields['parts/0/payin'], one.id);
    const page = await finance.follow(
      finance.submit(more, '/assign', { 'parts/2/payin': 'INV-1550', 'parts/2/amount': '15.50' }),
    );
    assert.match(textOf(page), /The money is booked\..*open A part of it is booked\. The rest is left\./);
    assert.match(textOf(page), /Not assigned €4\.50/);
    assert.deepEqual([await paid(one.id), await paid(other.id)], [1000, 1550]);
    const seen = await finance.get(`/dashboard/1/test/sessions/${other.id}`);
    assert.match(textOf(seen), /Paid €15\.50 .* completed Payment paid/);
  });

  test('is assigned to a session whose own reference looks like the beginning of an id', async () => {
    const { id } = await session({ amount: 1000, reference_id: 'chk_1000' });
    const entry = await stray({ amount: 1000, text: 'That order' });
    const screen = await finance.get(screenOf(entry.id));
    const answer = await finance.submit(screen, '/assign', {
      'parts/0/payin': 'chk_1000',
      'parts/0/amount': '10',
    });
    assert.equal(answer.status, 303, textOf(answer));
    assert.equal(await paid(id), 1000);
  });

  test('is not assigned to nobody, and tells no sum that is not exact', async () => {
    const entry = await stray({ amount: 1000, text: 'Whose' });
    const screen = await finance.get(screenOf(entry.id));
    const none = await finance.submit(screen, '/assign', {});
    assert.equal(none.status, 400);
    assert.match(textOf(none), /Name a session\./);
    assert.doesNotMatch(textOf(none), /parts must/);
    const rows = Array.from({ length: 10 }, (_, place) => [`parts/${place}/amount`, '9999999999999.99']);
    const large = { ...Object.fromEntries(rows), more: '1' };
    const added = await finance.post(formIn(screen, '/assign').action, {
      ...formIn(screen, '/assign').fields,
      ...large,
    });
    assert.match(textOf(added), /The amounts add up to more than can be assigned\./);
  });

  test('with several references begins with what is due for each', async () => {
    const one = await awaitTransfer(service, { amount: 1200 });
    const other = await awaitTransfer(service, { amount: 800 });
    const entry = await entered(service, { amount: 2500, text: `${one.reference} ${other.reference}` });
    assert.equal(entry.problem, 'several_references');
    const screen = await finance.get(screenOf(entry.id));
    const forms = [...screen.html.matchAll(/<form[\s\S]*?<\/form>/g)].map(([form]) => form);
    const split = forms.find((form) => form.includes('Add a row')) ?? '';
    const { fields, action } = formIn({ html: split }, '/assign');
    assert.deepEqual([fields['parts/0/amount'], fields['parts/1/amount']].toSorted(), ['12.00', '8.00']);
    assert.match(textOf({ html: split }), /add up to €20\.00\. €5\.00 would be left/);
    assert.equal((await finance.post(action, fields)).status, 303);
    assert.deepEqual([await paid(one.id), await paid(other.id)], [1200, 800]);
  });

  test('is not assigned to what nobody has, or for more than there is: what was typed stays', async () => {
    const twins = [await session({ reference_id: 'twin' }), await session({ reference_id: 'twin' })];
    const entry = await stray({ amount: 1000 });
    const screen = await finance.get(screenOf(entry.id));
    const rows: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
      [{ 'parts/0/payin': 'no-such' }, /No session has this id or reference\./],
      [{ 'parts/0/payin': 'twin' }, /Several sessions have this reference\. Name one by its id\./],
      [{ 'parts/0/payin': 'chk_00000000000000000000000000' }, /parts\/0\/payin must be the id of a payin\./],
      [
        { 'parts/0/payin': twins[0]?.id, 'parts/0/amount': '10.01' },
        /parts must add up to at most 10\.00 EUR\..*€0\.01 too much/,
      ],
      [{ 'parts/0/payin': twins[0]?.id, 'parts/0/amount': '1,5' }, /An amount in EUR has at most 2 digits/],
      [{}, /Name a session\./],
    ];
    for (const [fields, words] of rows) {
      const page = await finance.submit(screen, '/assign', fields);
      assert.equal(page.status, 400);
      assert.match(textOf(page), words);
      const { fields: kept } = formIn(page, '/assign');
      assert.deepEqual({ ...kept, ...fields }, kept);
    }
    assert.equal((await fetched(entry.id)).amount_unassigned, 1000);
  });

  test('is ignored with a reason, and reopened', async () => {
    const entry = await stray();
    const screen = await finance.get(screenOf(entry.id));
    const empty = await finance.submit(screen, '/ignore');
    assert.equal(empty.status, 400);
    assert.match(textOf(empty), /reason/);
    const page = await finance.follow(finance.submit(empty, '/ignore', { ignore_reason: 'Interest.' }));
    assert.match(textOf(page), /The entry is ignored\..*Note Interest\./);
    assert.doesNotMatch(page.html, /action="[^"]*\/assign"/);
    const again = await finance.follow(
      finance.submit(page, '/reopen', { reopen_reason: 'It was an order.' }),
    );
    assert.match(textOf(again), /The entry is open again\..*Note It was an order\..*reopen.*ignore/);
    assert.equal((await fetched(entry.id)).status, 'open');
  });

  test('is sent back by somebody who proves who they are', async () => {
    const entry = await stray();
    const screen = await finance.get(screenOf(entry.id));
    const answer = await proven(finance, screen, '/send_back', {
      send_back_reason: 'We know of no such order.',
    });
    const page = await finance.follow(answer);
    assert.match(textOf(page), /goes back with the next payment file\..*We know of no such order\./);
    assert.equal((await fetched(entry.id)).sent_back.status, 'pending');
    const open = await finance.follow(finance.submit(page, '/reopen'));
    assert.match(textOf(open), /It was to go back to its sender, and is here again\./);
  });

  test('of an unknown sender cannot be sent back, and says so', async () => {
    const entry = await stray({ iban: '' });
    const screen = await finance.get(screenOf(entry.id));
    assert.match(textOf(screen), /the bank did not report the account of the sender/);
    assert.doesNotMatch(screen.html, /\/send_back"/);
  });

  test('leads to the next one that waits', async () => {
    const older = await stray();
    const newer = await stray();
    const page = await finance.get(screenOf(newer.id));
    assert.match(page.html, new RegExp(`href="[^"]*/bank/entries/${older.id}">Next that waits`));
    const [newest] = await entries(service, '&status=open');
    const oldest = (await entries(service, '&status=open')).at(-1);
    assert.match(
      (await finance.get(screenOf(oldest?.id))).html,
      new RegExp(`${newest?.id}">Next that waits`),
    );
  });
});

suite('two people at one entry', () => {
  test('the second is refused, and sees what is so now and who did it', async () => {
    const [one, other] = [await session({ amount: 1000 }), await session({ amount: 1000 })];
    const entry = await stray({ amount: 1000 });
    const [first, second] = [
      await visitors.owner.get(screenOf(entry.id)),
      await finance.get(screenOf(entry.id)),
    ];
    await visitors.owner.submit(first, '/assign', { 'parts/0/payin': one.id });
    const page = await finance.submit(second, '/assign', { 'parts/0/payin': other.id });
    assert.equal(page.status, 409);
    assert.match(textOf(page), /The bank entry is already settled\..*done It is booked\./);
    assert.match(textOf(page), new RegExp(`Booked .*${one.id} €10\\.00.*What was done.*Ada Lovelace assign`));
    assert.equal(await paid(other.id), 0);
  });

  test('the second books no rest that has become another one', async () => {
    const [one, other] = [await session({ amount: 1000 }), await session({ amount: 2000 })];
    const entry = await stray({ amount: 3000 });
    const [first, second] = [
      await visitors.owner.get(screenOf(entry.id)),
      await finance.get(screenOf(entry.id)),
    ];
    await visitors.owner.submit(first, '/assign', { 'parts/0/payin': one.id, 'parts/0/amount': '10' });
    const page = await finance.submit(second, '/assign', { 'parts/0/payin': other.id });
    assert.equal(page.status, 400);
    assert.match(textOf(page), /Somebody has booked a part of it meanwhile\. .*€20\.00 can be assigned/);
    assert.equal(formIn(page, '/assign').fields['parts/0/payin'], other.id);
    assert.equal(await paid(other.id), 0);
    assert.equal((await finance.submit(page, '/assign')).status, 303, 'once it is seen, it counts');
    assert.equal(await paid(other.id), 2000);
  });
});
