/** A new session in the dashboard, and the items of one: what is typed, and what becomes of it. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createSession, type Data, fetchSession, order, pay, succeeded } from '../api/shop.ts';
import { formIn, signedInVisitor, textOf, type Visitor } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';

const LIST = '/dashboard/1/test/sessions';

const ends: Array<() => Promise<void> | void> = [];
const context = { after: (hook: () => Promise<void> | void) => void ends.push(hook) };
let till: TestService;
let owner: Visitor;

before(async () => {
  till = await startService(context);
  ({ visitor: owner } = await signedInVisitor(till));
});
after(async () => {
  for (const end of ends) await end();
});

const pathOf = ({ id }: Data, rest = '') => `${LIST}/${id}${rest}`;
/** A session over 32.00 EUR. */
const unpaid = (fields: object = {}) => createSession(till, { ...order, amount: undefined, ...fields });

/** The fields of rows of items. */
const items = (...rows: ReadonlyArray<Readonly<Record<string, string>>>): Record<string, string> =>
  Object.fromEntries(
    rows.flatMap((row, place) =>
      Object.entries(row).map(([name, value]) => [`items/${place}/${name}`, value] as const),
    ),
  );

suite('a new session', () => {
  const open = () => owner.get(`${LIST}/new`);
  const count = async () => (await owner.get(`${LIST}.jsonl`)).html.split('\n').length;

  test('is made of what was typed, once', async () => {
    const form = await open();
    const fields = {
      invoice_currency: 'chf',
      reference_id: 'invoice-7',
      'customer_details/name': 'Grace',
      'customer_details/email': 'grace@example.com',
      // A row between two others stays empty.
      ...items(
        { name: 'Tea', quantity: '3', unit_price: '4.5', description: 'Green\r\nLoose' },
        {},
        { name: 'Cup', unit_price: '10' },
      ),
    };
    const before = await count();
    const answers = await Promise.all([1, 2].map(() => owner.submit(form, '/new', fields)));
    assert.equal(new Set(answers.map(({ location }) => location)).size, 1);
    assert.equal(await count(), before + 1);
    const id =
      /sessions\/(chk_\w+)\?done=session-created/.exec(answers[0]?.location ?? '')?.[1] ?? assert.fail();
    const session = await fetchSession(till, id);
    assert.deepEqual(
      [session.invoice_currency, session.amount, session.reference_id, session.customer_details.email],
      ['CHF', 2350, 'invoice-7', 'grace@example.com'],
    );
    assert.deepEqual(
      session.items.map(({ name, quantity, unit_price, description }: Data) => [
        name,
        quantity,
        unit_price,
        description,
      ]),
      [
        ['Tea', 3, 450, 'Green\nLoose'],
        ['Cup', 1, 1000, ''],
      ],
    );
  });

  test('may have an amount alone, in a currency without a point', async () => {
    const answer = await owner.submit(await open(), '/new', {
      invoice_currency: 'JPY',
      amount: '1250',
    });
    const page = await owner.follow(answer);
    assert.match(textOf(page), /The session is created.*¥1,250/);
  });

  test('tells all mistakes beside their fields, and keeps what was typed', async () => {
    const before = await count();
    const fields = {
      invoice_currency: 'EUR',
      amount: '1.234',
      'customer_details/email': 'grace',
      ...items(
        { name: 'Tea', quantity: 'two', unit_price: '4,50' },
        { name: '', quantity: '1', unit_price: '1' },
      ),
    };
    const answer = await owner.submit(await open(), '/new', fields);
    assert.ok(answer.status >= 400 && answer.status < 500);
    const wrong = [...answer.html.matchAll(/id="field-([^"]*)-wrong"/g)].map(([, name]) => name);
    assert.deepEqual(wrong, [
      'amount',
      'customer_details/email',
      'items/0/quantity',
      'items/0/unit_price',
      'items/1/name',
    ]);
    assert.doesNotMatch(answer.html, /role="alert"/);
    const kept = formIn(answer, '/new').fields;
    for (const [name, value] of Object.entries(fields)) assert.equal(kept[name], value, name);
    assert.equal(await count(), before);
  });

  test('of a currency that there is not is told so alone', async () => {
    const fields = { invoice_currency: 'XXX', amount: '1.5', ...items({ name: 'Tea', unit_price: '1' }) };
    const answer = await owner.submit(await open(), '/new', fields);
    const wrong = [...answer.html.matchAll(/id="field-([^"]*)-wrong"/g)].map(([, name]) => name);
    assert.deepEqual(wrong, ['invoice_currency']);
  });

  test('has more rows for whoever asks, and nothing is made', async () => {
    const before = await count();
    const form = await open();
    const more = await owner.submit(form, '/new', {
      more: '1',
      ...items({ name: 'Tea', unit_price: 'x' }),
    });
    assert.equal(more.status, 200);
    const { fields } = formIn(more, '/new');
    assert.equal(fields['items/0/unit_price'], 'x');
    assert.equal(fields['items/5/name'], '');
    assert.equal(fields.once, formIn(form, '/new').fields.once);
    assert.equal(await count(), before);
  });
});

suite('items', () => {
  const open = (session: Data) => owner.get(pathOf(session, '/items'));
  const namesOf = async ({ id }: Data): Promise<string[]> =>
    (await fetchSession(till, id)).items.map(({ name }: Data) => name);

  test('are edited, and keep what was not touched', async () => {
    const session = await unpaid({
      items: [{ name: 'Tea', quantity: 2, unit_price: 450, description: '\n  Green\nLoose' }],
    });
    const form = await open(session);
    const answer = await owner.submit(form, '/items', items({}, { name: 'Cup', unit_price: '10' }));
    assert.equal(answer.location, `${pathOf(session)}?done=items-changed`);
    const { items: changed, amount } = await fetchSession(till, session.id);
    assert.deepEqual([changed[0].unit_price, changed[0].quantity, amount], [450, 2, 1900]);
    assert.match(changed[0].description, /Green\nLoose$/);
    // Twice the same is once.
    const again = await owner.submit(form, '/items', items({}, { name: 'Cup', unit_price: '10' }));
    assert.equal(again.location, `${pathOf(session)}?done=items-changed`);
    const asItIs = await owner.submit(await open(session), '/items');
    assert.equal(asItIs.location, `${pathOf(session)}?done=unchanged`);
  });

  test('that somebody has changed meanwhile are shown to the second, with what was typed kept', async () => {
    const session = await unpaid();
    const form = await open(session);
    const body = { items: [{ name: 'Chair', quantity: 1, unit_price: 9900 }] };
    succeeded(await till.call('PUT', `/v3/checkout/${session.id}`, { body }));
    const second = await owner.submit(form, '/items', items({ name: 'Table' }));
    assert.equal(second.status, 412);
    assert.match(second.html, /role="alert"><p>The session is at version 2/);
    assert.match(
      textOf(second),
      /Somebody has changed.*Chair 1 €99\.00.*What was done.* update by \S+ req_\S+ The session was updated/,
    );
    assert.equal(formIn(second, '/items').fields['items/0/name'], 'Table');
    assert.deepEqual(await namesOf(session), ['Chair']);
    const third = await owner.submit(second, '/items');
    assert.equal(third.status, 303, textOf(third));
    assert.deepEqual(await namesOf(session), ['Table', 'Gadget']);
  });

  test('are refused in words: a wrong price, none at all, and once something is paid', async () => {
    const session = await unpaid();
    const wrong = await owner.submit(await open(session), '/items', items({ unit_price: '1.005' }));
    assert.match(wrong.html, /id="field-items\/0\/unit_price-wrong">An amount in EUR/);
    const none = await owner.submit(await open(session), '/items', {
      ...items({ name: '', unit_price: '' }, { name: '', unit_price: '' }),
    });
    assert.match(none.html, /role="alert"><p>items must/);
    const form = await open(session);
    await pay(till, session.id);
    const { headers: _, ...late } = await owner.submit(form, '/items', { version: '*' });
    assert.ok(late.status >= 400 && late.status < 500);
    assert.match(late.html, /role="alert"/);
    assert.deepEqual(await namesOf(session), ['Widget', 'Gadget']);
  });
});
