/** CSV mappings made by choosing what the columns of a sample are. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { configure, eur, receiving } from '../api/bank.ts';
import type { Data } from '../api/shop.ts';
import { formIn, PASSWORD, type Page, textOf, type Visitor } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { OUR_IBAN } from '../support/statements.ts';
import { visitorsOf } from './roles.ts';

let realNow = Date.now;
const service = await startService({ after }, { realNow: () => realNow() });
const LIST = '/dashboard/1/test/bank/mappings';
const STATEMENTS = '/dashboard/1/test/bank/statements';
let owner: Visitor;
let finance: Visitor;

before(async () => {
  const euros = receiving({ id: 'euros', currency: 'EUR', iban: OUR_IBAN });
  await configure(service, { receivingAccounts: [euros, eur] });
  ({ owner, finance } = await visitorsOf(service));
});

const mappings = async (): Promise<Data[]> => (await service.call('GET', '/v3/csv_mapping')).json.data;
const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const BANK_FILE = [
  'Buchungstag;Empfänger;Text;Betrag;Id;Saldo',
  '03.02.2026;Jürgen Müller;Rechnung 1;1.250,00;R-0000000001;x',
  '04.02.2026;Ada Lovelace;<b>2</b>;-3,50;R-0000000002;x',
].join('\r\n');
const chosen = {
  'columns/0': 'booked_on',
  'columns/1': 'counterparty_name',
  'columns/2': 'remittance',
  'columns/3': 'signed',
  'columns/4': 'bank_reference',
};

const sampled = async (content = BANK_FILE): Promise<Page> =>
  owner.upload(await owner.get(LIST), '/sample', { name: 'bank.csv', content: latin(content) });

/** Saves the form of the page, with a proof of who it is where one is asked for. */
async function save(page: Page, fields: Record<string, string>): Promise<Page> {
  const form = formIn(page, '/try');
  const late = Date.now() + 11 * 60_000;
  realNow = () => late;
  try {
    const asked = await owner.post(form.action.replace(/try$/, 'save'), { ...form.fields, ...fields });
    if (!textOf(asked).includes('Is it you?')) return asked;
    return await owner.submit(asked, '/save', { confirm_password: PASSWORD });
  } finally {
    realNow = Date.now;
  }
}

suite('a mapping', () => {
  test('is made by choosing what each column of a sample is, tried, and saved', async () => {
    assert.match(textOf(await owner.get(LIST)), /There is no mapping yet/);
    const page = await sampled();
    const { fields } = formIn(page, '/try');
    assert.deepEqual(
      [fields.delimiter, fields.encoding, fields.date_format, fields.decimal, fields.thousands],
      [';', 'windows-1252', 'DD.MM.YYYY', ',', '.'],
    );
    assert.deepEqual([fields.currency, fields.account], ['EUR', OUR_IBAN]);
    assert.match(textOf(page), /Jürgen Müller Rechnung 1 1\.250,00/);
    assert.doesNotMatch(page.html, /<b>2<\/b>/);

    const tried = await owner.submit(page, '/try', chosen);
    assert.match(textOf(tried), /Rows that can be read: 2\. Mistakes: 0\./);
    assert.match(textOf(tried), /2 2026-02-03 Jürgen Müller Rechnung 1 €1,250\.00 open no match/);
    assert.match(textOf(tried), /3 2026-02-04 Ada Lovelace <b>2<\/b> −€3\.50 done/);
    assert.equal(formIn(tried, '/try').fields['columns/3'], 'signed');

    const saved = await owner.follow(await save(tried, { name: 'my-bank' }));
    assert.match(textOf(saved), /The mapping is saved\. .*my-bank/);
    const [{ id, mapping }] = await mappings();
    assert.deepEqual(
      [id, mapping.amount, mapping.booked_on, mapping.remittance, mapping.account],
      ['my-bank', { signed: 'Betrag' }, 'Buchungstag', ['Text'], { fixed: OUR_IBAN }],
    );

    const statement = await finance.upload(
      await finance.get(STATEMENTS),
      '/preview',
      { name: 'bank.csv', content: latin(BANK_FILE) },
      { mapping: 'my-bank' },
    );
    assert.match(textOf(statement), /Entries 2 Known already 0/);
  });

  test('shows the mistakes of the rows by line, and its own beside its fields', async () => {
    const page = await sampled(BANK_FILE.replace('04.02.2026', '2026-02-04'));
    const tried = await owner.submit(page, '/try', { ...chosen, date_format: 'DD.MM.YYYY' });
    assert.match(textOf(tried), /Rows that can be read: 1\. Mistakes: 1\./);
    assert.match(
      textOf(tried),
      /3 2 column "Buchungstag" "2026-02-04" is not a date of the form DD\.MM\.YYYY\./,
    );
    const rows: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
      [{ ...chosen, 'columns/0': '' }, /csv_mapping\/booked_on is required|booked_on/],
      [{ ...chosen, 'columns/5': 'signed' }, /id="field-columns\/5-wrong">Another column is the same\./],
      [
        { ...chosen, 'columns/3': 'unsigned', 'columns/5': 'indicator' },
        /<details open>[\s\S]*id="field-credit_words-wrong"/,
      ],
      [{ ...chosen, skip_lines: 'x' }, /id="field-skip_lines-wrong"/],
      [{ ...chosen, thousands: ',' }, /id="field-thousands-wrong"/],
      [{ ...chosen, currency: 'XXX' }, /id="field-currency-wrong"/],
      [{ ...chosen, account: '' }, /id="field-account-wrong"/],
    ];
    for (const [fields, words] of rows) {
      const wrong = await owner.submit(page, '/try', fields);
      assert.equal(wrong.status, 422, JSON.stringify(fields));
      assert.match(wrong.html, words);
      const kept = formIn(wrong, '/try').fields;
      assert.deepEqual({ ...kept, ...fields }, kept);
    }
  });

  test('reads amounts in two columns, or with a word, and columns without names by number', async () => {
    const bare = '2026-02-03,12.50,CR,EUR\n2026-02-04,1.00,DR,EUR\n';
    const page = await sampled(bare);
    const left = ['has_header.yes'];
    const fields = {
      'columns/0': 'booked_on',
      'columns/1': 'unsigned',
      'columns/2': 'indicator',
      'columns/3': 'currency',
      credit_words: 'CR\r\nC',
      debit_words: 'DR',
    };
    const tried = await owner.submitWithout(page, '/try', left, fields);
    assert.match(textOf(tried), /Rows that can be read: 2\. Mistakes: 0\..*€12\.50.*−€1\.00/);
    assert.match(textOf(tried), /1 2026-02-03/);
    const two = await owner.submitWithout(page, '/try', left, {
      ...fields,
      'columns/1': 'credit',
      'columns/2': 'debit',
    });
    assert.match(
      textOf(two),
      /Rows that can be read: 0\. Mistakes: 2\..*column 3 the amount "CR" is not a number/,
    );
  });

  test('replaces another of its name only if that is asked for, and leaves nothing of it', async () => {
    const page = await sampled('Date;In;Out\n2026-02-03;1.00;\n');
    const fields = { 'columns/0': 'booked_on', 'columns/1': 'credit', 'columns/2': 'debit', name: 'my-bank' };
    const taken = await save(page, fields);
    assert.equal(taken.status, 422);
    assert.match(taken.html, /id="field-name-wrong">There is a mapping with this name already\./);
    assert.equal(formIn(taken, '/try').fields['columns/1'], 'credit');
    assert.match(
      textOf(taken),
      /The mapping my-bank is so: .*"Empfänger".*The mapping with this name Replace it/,
    );
    const unasked = await save(taken, {});
    assert.equal(unasked.status, 422);
    assert.match(unasked.html, /id="field-name-wrong">There is a mapping with this name already\./);
    const answer = await save(taken, { 'replace.yes': 'on' });
    assert.equal(answer.status, 303, textOf(answer));
    const [{ mapping }, ...others] = await mappings();
    assert.deepEqual([mapping.amount, mapping.remittance, others], [{ credit: 'In', debit: 'Out' }, [], []]);
    assert.equal(mapping.bank_reference, null);
    const same = await save(taken, { 'replace.yes': 'on' });
    assert.match(same.location ?? '', /\?done=unchanged$/);
    const bad = await save(taken, { name: 'My Bank' });
    assert.equal(bad.status, 400);
    assert.match(bad.html, /id="field-name-wrong"/);
  });

  test('is seen by finance, who may not change it, and deleted', async () => {
    const seen = await finance.get(LIST);
    assert.match(textOf(seen), /my-bank/);
    assert.doesNotMatch(seen.html, /<form method="post" action="[^"]*\/bank/);
    const answer = await owner.submit(await owner.get(LIST), '/delete');
    assert.match(textOf(await owner.follow(answer)), /The mapping is deleted\. There is no mapping yet/);
    assert.deepEqual(await mappings(), []);
  });

  test('is deleted once by a form that is sent twice, and not if somebody has replaced it meanwhile', async () => {
    const saved = async (fields: Record<string, string>) => {
      const first = await save(await sampled(), { ...chosen, name: 'seen', ...fields });
      const answer = first.status === 303 ? first : await save(first, { 'replace.yes': 'on' });
      assert.equal(answer.status, 303, textOf(answer));
    };
    await saved({});
    const page = await owner.get(LIST);
    await saved({ 'columns/1': 'remittance' });
    const before = await mappings();
    const late = await owner.submit(page, '/delete');
    assert.equal(late.status, 422);
    assert.match(textOf(late), /Somebody has changed the mapping meanwhile: see what it is now\. It was not/);
    assert.deepEqual(await mappings(), before);
    for (const done of ['mapping-deleted', 'unchanged'])
      assert.equal((await owner.submit(late, '/delete')).location, `${LIST}?done=${done}`);
    assert.deepEqual(await mappings(), []);
  });

  test('is replaced as it was seen alone, and whoever comes too late sees what it is now', async () => {
    const columns = { 'columns/0': 'booked_on', 'columns/1': 'credit', 'columns/2': 'debit' };
    const mine = { ...columns, name: 'raced' };
    const sample = 'Date;In;Out\n2026-02-03;1.00;\n';
    const bankReference = async () => (await mappings())[0]?.mapping.bank_reference;
    assert.equal((await save(await sampled(), { ...chosen, name: 'raced' })).status, 303);
    assert.doesNotMatch((await sampled()).html, /replace\.yes/, 'nobody has seen any yet');
    const blind = await save(await sampled(sample), { ...mine, 'replace.yes': 'on' });
    assert.equal(blind.status, 422);
    assert.match(textOf(blind), /There is a mapping with this name already\./, 'it was not seen before');
    const [seen, other] = [
      await save(await sampled(sample), mine),
      await save(await sampled(), { ...chosen, 'columns/4': '', name: 'raced' }),
    ];
    assert.equal((await save(other, { 'replace.yes': 'on' })).status, 303);
    assert.equal(await bankReference(), null);
    const late = await save(seen, { 'replace.yes': 'on' });
    assert.equal(late.status, 422);
    assert.match(
      late.html,
      /id="field-name-wrong">The mapping with this name is not the one that you have seen: see what it is now\./,
    );
    assert.match(textOf(late), /"bank_reference": null/);
    const tried = await owner.submit(late, '/try');
    assert.equal((await save(tried, {})).status, 303, 'once it is seen, it counts');
    const [{ mapping }] = await mappings();
    assert.deepEqual(mapping.amount, { credit: 'In', debit: 'Out' });
    await owner.submit(await owner.get(LIST), '/delete');
  });

  test('is not replaced or deleted by who has seen another one that is the same', async () => {
    const columns = { 'columns/0': 'booked_on', 'columns/1': 'credit', 'columns/2': 'debit' };
    const sample = 'Date;In;Out;Id\n2026-02-03;1.00;;x\n';
    for (const name of ['bank-a', 'bank-b'])
      assert.equal((await save(await sampled(sample), { ...columns, name })).status, 303);
    const listed = await owner.get(LIST);
    const before = await mappings();
    const mine = { ...columns, 'columns/3': 'bank_reference' };
    const seen = await save(await sampled(sample), { ...mine, name: 'bank-a' });
    assert.match(textOf(seen), /The mapping bank-a is so:/);
    const other = await save(seen, { name: 'bank-b', 'replace.yes': 'on' });
    assert.equal(other.status, 422);
    assert.match(textOf(other), /is not the one that you have seen: see what it is now\./);
    assert.match(textOf(other), /The mapping bank-b is so:/);
    const deleted = await owner.submit(listed, '/delete', { name: 'bank-b' });
    assert.equal(deleted.status, 422);
    assert.deepEqual(await mappings(), before);
    assert.equal((await save(other, {})).status, 303, 'once it is seen, it counts');
    for (const _ of before)
      assert.match((await owner.submit(await owner.get(LIST), '/delete')).location ?? '', /mapping-deleted/);
  });

  test('is saved once by a form that is sent twice', async () => {
    const page = await sampled();
    for (const done of ['mapping-saved', 'unchanged']) {
      const answer = await save(page, { ...chosen, name: 'twice' });
      assert.equal(answer.location ?? textOf(answer), `${LIST}?done=${done}`);
    }
    await owner.submit(await owner.get(LIST), '/delete');
  });
});

suite('a sample', () => {
  test('of any file at all is shown, and nothing of it runs', async () => {
    for (const content of [
      '"never closed;a\nb;c',
      '\0\0\0',
      ';;;\n'.repeat(5000),
      `${'x;'.repeat(300)}\n`,
      '\xff\xfe\xff',
    ]) {
      const page = await sampled(content);
      assert.equal(page.status, 200, textOf(page));
      const tried = await owner.submit(page, '/try', chosen);
      assert.ok([200, 422].includes(tried.status), textOf(tried));
    }
    const none = await owner.upload(await owner.get(LIST), '/sample', null);
    assert.equal(none.status, 422);
    assert.match(textOf(none), /Choose a file\./);
  });

  test('is cut off behind its last whole row', async () => {
    const row = '2026-02-03;1.00;a text of some length\n';
    const page = await sampled(`Date;Amount;Text\n${row.repeat(1000)}`);
    const tried = await owner.submit(page, '/try', { 'columns/0': 'booked_on', 'columns/1': 'signed' });
    assert.match(textOf(tried), /Rows that can be read: \d+\. Mistakes: 0\./);
    assert.ok(tried.html.length < 200_000);
  });
});
