/** Statements, what waits for a person, and money that goes back, on a developer's or accountant's command line. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { configure } from '../api/bank.ts';
import { createSession, fetchSession, pay } from '../api/shop.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { freshDirectory, runToEnd } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { camt, csv, type Line, PAYER_IBAN, receiveEuros } from '../support/statements.ts';
import { assertFailure, assertMistake, settingsFor } from './developer.ts';

const ENTRY = 'ntc_\\w{26}';
const line = { amount: '25.00', text: 'Thank you', reference: '2026020300000001' };
const entryId = 'ntc_01k9zq4tn30000x5r7m2c9w1he';
const payinId = 'chk_01k9zq4tn30000x5r7m2c9w1he';

async function setUp(t: Ends) {
  const service = await startService(t);
  await receiveEuros(service.service.store, { account: service.account.number, mode: 'test' });
  const directory = freshDirectory(t);
  const opentill = (...args: string[]) => runToEnd(t, args, settingsFor(service), { directory });
  async function done(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await opentill(...args);
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    return stdout;
  }
  function put(name: string, content: string): string {
    writeFileSync(join(directory, name), content);
    return name;
  }
  async function take(...lines: Line[]): Promise<void> {
    await done('bank', 'import', put('statement.xml', camt(lines.map(({ text }) => text).join(), lines)));
  }
  return { service, directory, opentill, done, put, take };
}

/** Ids of what the inbox shows, in its order. */
function idsIn(text: string): string[] {
  return text.split('\n').flatMap((each) => new RegExp(`^${ENTRY}`).exec(each)?.[0] ?? []);
}

function part(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  assert.ok(found, text);
  return found;
}

suite('opentill bank import', () => {
  test('tells what it would do, and the mistakes of a file by their lines', async () => {
    await using t = cleanUp();
    const { done, opentill, put } = await setUp(t);
    const file = put('first.xml', camt('S1', [line]));
    const told = await done('bank', 'import', '--dry-run', file);
    assert.equal(told, `first.xml  1 entry, 0 known: 0 would be settled, 1 would wait\n`);
    assert.match(await done('bank', 'import', file), /1 entry, 1 new/);
    const wrong = put(
      'wrong.csv',
      csv([
        { ...line, amount: '1,2' },
        { ...line, amount: 'x' },
      ]),
    );
    const { code, stdout } = await opentill('bank', 'import', '--dry-run', '--mapping', 'my-bank', wrong);
    assert.equal(code, 1);
    assert.match(stdout, /wrong\.csv {2}0 entries, .* with 2 mistakes it is not imported\n/);
    assert.match(stdout, /wrong\.csv {2}line 3: column "Amount": the amount "x" is not a number\.\n/);
  });

  test('imports several files, and says what each has brought', async () => {
    await using t = cleanUp();
    const { done, put } = await setUp(t);
    const other = { ...line, text: 'Order 1002', reference: '2026020300000002' };
    const first = put('first.xml', camt('S1', [line]));
    const second = put('second.xml', camt('S2', [line, other]));
    const lines = (await done('bank', 'import', first, second)).trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^bfl_\w{26} {2}first\.xml {2}1 entry, 1 new: 0 settled, 1 open$/);
    assert.match(lines[1] ?? '', /^bfl_\w{26} {2}second\.xml {2}2 entries, 1 new: 0 settled, 1 open$/);
    const again = await done('bank', 'import', first);
    assert.equal(again, `${lines[0]?.split('  ')[0]}  first.xml  was imported before\n`);
    const named = await done('bank', 'import', put('mine.csv', csv([other])), '--mapping', 'my-bank');
    assert.match(named, /^bfl_\w{26} {2}mine\.csv {2}1 entry, /);
  });

  test('goes on behind a file that is wrong, and ends with status 1', async () => {
    await using t = cleanUp();
    const { service, directory, opentill, put } = await setUp(t);
    const files = [
      put('broken.xml', camt('S1', [line]).slice(0, -30)),
      put('rows.csv', csv([line])),
      'nowhere.xml',
      put('good.xml', camt('S2', [line])),
    ];
    const { code, stdout, stderr } = await opentill('bank', 'import', ...files);
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^bfl_\w{26} {2}good\.xml {2}1 entry, 1 new: 0 settled, 1 open\n$/);
    const said = stderr.trimEnd().split('\n');
    assert.equal(said.length, 3, stderr);
    assert.match(said[0] ?? '', /^opentill: broken\.xml: http\S+ refused the request: line \d+/);
    assert.match(said[1] ?? '', /^opentill: rows\.csv: http\S+ refused the request: /);
    assert.equal(said[2], 'opentill: nowhere.xml: it cannot be read: ENOENT: no such file or directory');
    for (const [file, why] of [
      ['broken.xml', /^opentill: broken\.xml: http\S+ refused the request: line \d+/],
      ['nowhere.xml', /^opentill: nowhere\.xml: it cannot be read: ENOENT/],
    ] as const) {
      const alone = await opentill('bank', 'import', file);
      assert.deepEqual([alone.code, alone.stdout], [1, '']);
      assert.match(alone.stderr, why);
      assert.equal(alone.stderr.split(file).length, 2, 'it is named once');
    }
    const settings = settingsFor(service);
    const broken = join(directory, 'broken.xml');
    await assertFailure(t, ['bank', 'import', broken], settings, /refused the request: line \d+/);
    await assertFailure(t, ['bank', 'import', directory], settings, /it is not a file/);
    await assertFailure(t, ['bank', 'import', broken, '--mapping', 'none'], settings, /saved mapping/);
    await assertMistake(t, ['bank', 'import'], settings, /<file> is missing/);
    const unknown = settingsFor({ ...service, key: { ...service.key, secret: 'sk_test_x' } });
    await assertFailure(
      t,
      ['bank', 'import', broken, broken],
      unknown,
      /^opentill: http\S+ does not know the API key/,
    );
  });

  test('streams a file that is larger than what comes in one piece, and says if it is too large', async () => {
    await using t = cleanUp();
    const { service, directory, opentill, done, put } = await setUp(t);
    const remark = `<!--${'x'.repeat(1023)}-->\n`.repeat(8_000);
    put('large.xml', camt('S1', [line]).replace('<Stmt>', `${remark}<Stmt>`));
    assert.match(await done('bank', 'import', 'large.xml'), / 1 entry, 1 new/);
    const huge = join(directory, put('huge.xml', ''));
    truncateSync(huge, 65 * 2 ** 20);
    await assertFailure(t, ['bank', 'import', huge], settingsFor(service), /too large/);
    // The failure of one file says nothing of the next.
    const { code, stdout, stderr } = await opentill(
      'bank',
      'import',
      'huge.xml',
      put('S2.xml', camt('S2', [line])),
    );
    assert.equal(code, 1);
    assert.match(stderr, /^opentill: huge\.xml: .*too large/);
    assert.match(stdout, / {2}S2\.xml {2}1 entry, 0 new/);
  });
});

suite('opentill bank inbox', () => {
  test('shows what waits, and what is decided about it', async () => {
    await using t = cleanUp();
    const { service, opentill, done, take } = await setUp(t);
    const session = await createSession(service);
    assert.match((await opentill('bank', 'inbox')).stderr, /^opentill: nothing waits\n$/);
    await take(line, { ...line, amount: '3.50', text: 'Interest', reference: '2026020300000002', name: '' });
    const inbox = await done('bank', 'inbox');
    const [interest = '', money = ''] = idsIn(inbox);
    assert.ok(
      inbox.includes(`${money}  2026-02-03  25.00 EUR  eur  Ada Lovelace  Thank you  no_match  -  open\n`),
      inbox,
    );
    assert.ok(
      inbox.includes(`${interest}  2026-02-03  3.50 EUR  eur  ${PAYER_IBAN}  Interest  no_match  -  open\n`),
      inbox,
    );

    assert.equal(await done('bank', 'ignore', interest, '--reason', 'Interest.'), `${interest}  ignored\n`);
    assert.equal(await done('bank', 'assign', money, session.id), `${money}  done\n`);
    assert.equal((await fetchSession(service, session.id)).payment_status, 'paid');
    assert.match((await opentill('bank', 'inbox')).stderr, /nothing waits/);
    const all = await done('bank', 'inbox', '--all');
    assert.match(all, new RegExp(`^${interest} .* ignored\\n${money} .* done\\n$`));
    const one = await opentill('bank', 'inbox', '--all', '--limit', '1');
    assert.deepEqual(idsIn(one.stdout), [interest]);
    assert.match(one.stderr, /^opentill: there are more/);
  });

  test('shows the bank of a payer of whom nothing else is known', async () => {
    await using t = cleanUp();
    const { done, put } = await setUp(t);
    const bank = '<RltdAgts><DbtrAgt><FinInstnId><BIC>COBADEFFXXX</BIC></FinInstnId></DbtrAgt></RltdAgts>';
    const file = camt('S1', [line]).replace(/<RltdPties>.*?<\/RltdPties>/s, bank);
    await done('bank', 'import', put('statement.xml', file));
    assert.match(await done('bank', 'inbox'), / {2}eur {2}COBADEFFXXX {2}Thank you {2}/);
  });

  test('lets an entry be split, in the currency of the entry, and the rest be sent back', async () => {
    await using t = cleanUp();
    const { service, done, take } = await setUp(t);
    const [first, second] = [await createSession(service, { amount: 1000 }), await createSession(service)];
    await take(line);
    const [id = ''] = idsIn(await done('bank', 'inbox'));
    const settings = settingsFor(service);
    // Amounts without two decimals are refused: guessing could be wrong by a factor of a hundred.
    for (const amount of ['1000', '10.0', '10,00', '']) {
      const args = ['bank', 'assign', id, `${first.id}=${amount}`];
      await assertMistake(t, args, settings, /an amount in EUR has 2 digits .* such as 12\.50/);
    }
    const left = await done('bank', 'assign', id, `${first.id}=10.00`, `${second.id}=4.75`);
    assert.equal(left, `${id}  open  10.25 EUR is left\n`);
    assert.equal((await fetchSession(service, first.id)).payment_status, 'paid');
    assert.equal((await fetchSession(service, second.id)).amount_paid, 475);
    const row = `${id}  2026-02-03  10.25 EUR of 25.00 EUR  eur  Ada Lovelace  Thank you`;
    assert.equal(await done('bank', 'inbox'), `${row}  -  -  open\n`);
    assert.match(await done('bank', 'send-back', id, '--reason', 'Too much'), /10\.25 EUR goes back/);
  });

  test('shows what waits for the bank behind what waits for a person, until that is taken back', async () => {
    await using t = cleanUp();
    const { service, opentill, done, take } = await setUp(t);
    const session = await createSession(service);
    const other = { ...line, amount: '3.50', text: 'Interest', reference: '2026020300000002' };
    await take(line, other);
    const [interest = '', money = ''] = idsIn(await done('bank', 'inbox'));
    await done('bank', 'send-back', interest);
    const row = (id: string, status: string) => new RegExp(`^${id} .* ${status}$`);
    const [first = '', second = ''] = (await done('bank', 'inbox')).split('\n');
    assert.match(first, row(money, 'open'));
    assert.match(second, row(interest, 'waiting'));
    const one = await opentill('bank', 'inbox', '--limit', '1');
    assert.deepEqual(idsIn(one.stdout), [money]);
    assert.match(one.stderr, /there are more/);

    const reopened = await done('bank', 'reopen', interest, '--reason', 'Not carried out.');
    assert.equal(reopened, `${interest}  open  3.50 EUR is left\n`);
    assert.equal(await done('bank', 'assign', interest, session.id), `${interest}  done\n`);
    await done('bank', 'ignore', money, '--reason', 'Interest.');
    assert.equal(await done('bank', 'reopen', money), `${money}  open  25.00 EUR is left\n`);
    const settings = settingsFor(service);
    await assertFailure(t, ['bank', 'reopen', money], settings, /is already settled/);
  });
});

suite('opentill bank payments', () => {
  test('writes the file that a bank carries out, and writes over none', async () => {
    await using t = cleanUp();
    const { service, directory, opentill, done, take, put } = await setUp(t);
    const session = await createSession(service);
    await take(line);
    const [id = ''] = idsIn(await done('bank', 'inbox'));
    await done('bank', 'assign', id, session.id);
    const settings = settingsFor(service);
    for (const amount of ['1250', '12.5'])
      await assertMistake(t, ['refunds', 'create', session.id, amount], settings, /such as 12\.50/);
    const refunded = await done('refunds', 'create', session.id, '12.50', '--reason', 'Lost parcel');
    const refund = part(refunded, /^(rfd_\w{26}) {2}pending {2}12\.50 EUR\n$/);

    put('out.xml', 'of another day');
    const taken = await opentill('bank', 'payments', 'create', 'eur', '--out', 'out.xml');
    assert.deepEqual([taken.code, taken.stdout], [1, '']);
    assert.match(taken.stderr, /^opentill: out\.xml exists already; --force overwrites it\n$/);
    const nowhere = ['bank', 'payments', 'create', 'eur', '--out', join(directory, 'none', 'out.xml')];
    await assertFailure(t, nowhere, settings, /cannot be written: ENOENT/);

    // The failed runs made no file: an entry in one file is in no other.
    const made = await done(
      'bank',
      'payments',
      'create',
      'eur',
      '--out',
      'out.xml',
      '--force',
      '--execute-on',
      '2099-01-31',
    );
    const shape =
      /^(bfl_\w{26}) {2}1 payment {2}12\.50 EUR {2}to be carried out on 2099-01-31 {2}out\.xml\n$/;
    const file = part(made, shape);
    const content = readFileSync(join(directory, 'out.xml'), 'utf8');
    assert.match(content, /pain\.001\.001\.09/);
    assert.ok(content.includes(`<EndToEndId>${refund.replace('_', '')}</EndToEndId>`));
    assert.ok(content.includes(PAYER_IBAN) && content.includes('>12.50<') && content.includes('2099-01-31'));

    await assertFailure(t, ['bank', 'payments', 'create', 'eur'], settings, /refused the request: /);
    assert.ok((await done('bank', 'payments', 'write', file)).endsWith(`  ${file}.xml\n`));
    assert.equal(readFileSync(join(directory, `${file}.xml`), 'utf8'), content);
    assert.deepEqual(
      readdirSync(directory).filter((name) => name.endsWith('.part')),
      [],
    );
  });

  test('says what is left out, and why', async () => {
    await using t = cleanUp();
    const { service, done, put, opentill } = await setUp(t);
    const rows = [line, { ...line, text: 'Order 2', reference: '2026020300000002' }];
    await done('bank', 'import', put('a.csv', csv(rows.slice(0, 1))), '--mapping', 'my-bank');
    await done('bank', 'import', put('b.xml', camt('S2', rows.slice(1))));
    const [known = '', nobodys = ''] = idsIn(await done('bank', 'inbox'));
    await done('bank', 'send-back', known);
    const settings = settingsFor(service);
    await assertFailure(
      t,
      ['bank', 'send-back', nobodys],
      settings,
      /did not report the account of the sender/,
    );
    const session = await createSession(service);
    await done('bank', 'assign', nobodys, session.id);
    await done('refunds', 'create', session.id, '25.00');
    const said = await done('bank', 'payments', 'create', 'eur');
    assert.match(
      said,
      /^bfl_\w+ {2}1 payment {2}25\.00 EUR .*\nleft out: rfd_\w+ {2}the bank did not report .*\n$/,
    );
    const unknown = await opentill('bank', 'payments', 'create', 'usd');
    assert.match(unknown.stderr, /must be the id of a receiving account/);
  });
});

test('opentill refunds settle says what became of a refund that no statement tells of', async () => {
  await using t = cleanUp();
  const { service, done, take } = await setUp(t);
  const session = await createSession(service);
  await take(line);
  const [id = ''] = idsIn(await done('bank', 'inbox'));
  await done('bank', 'assign', id, session.id);
  const refund = async () => part(await done('refunds', 'create', session.id, '25.00'), /^(rfd_\w{26}) /);
  const withdrawn = await refund();
  const failed = await done('refunds', 'settle', withdrawn, 'failed', '--reason', 'Closed.');
  assert.equal(failed, `${withdrawn}  failed  25.00 EUR\n`);
  const paid = await refund();
  assert.equal(await done('refunds', 'settle', paid, 'succeeded'), `${paid}  succeeded  25.00 EUR\n`);
  const settings = settingsFor(service);
  await assertFailure(t, ['refunds', 'settle', paid, 'failed'], settings, /has already succeeded/);
  await assertMistake(
    t,
    ['refunds', 'settle', paid],
    settings,
    /<status> is missing: one of succeeded, failed/,
  );
  await assertMistake(
    t,
    ['refunds', 'settle', paid, 'pending'],
    settings,
    /<status> takes one of succeeded, failed/,
  );
  await assertMistake(
    t,
    ['refunds', 'settle', session.id, 'failed'],
    settings,
    /<refund> takes the id of a refund/,
  );
  await assertMistake(t, ['refunds', 'settle', paid, 'failed', 'x'], settings, /unexpected argument "x"/);
});

test('a mistake with the commands of the bank is one clear line', async () => {
  await using t = cleanUp();
  const { service } = await setUp(t);
  const settings = settingsFor(service);
  const narrow = await service.createKey({ permissions: ['read'] });
  const rows: ReadonlyArray<[string[], RegExp]> = [
    [['bank', 'transfer'], /there is no command "bank transfer"/],
    [['bank', 'inbox', 'all'], /unexpected argument "all"/],
    [['bank', 'inbox', '--limit', '0'], /--limit takes a whole number from 1/],
    [['bank', 'assign', entryId], /<payin> is missing/],
    [['bank', 'assign', payinId, payinId], /<entry> takes the id of a bank entry/],
    [['bank', 'assign', entryId, entryId], /<payin> takes the id of a payin/],
    [['bank', 'ignore', entryId], /--reason <text> is missing/],
    [['bank', 'ignore', entryId, 'Interest', '--reason', 'x'], /unexpected argument "Interest"/],
    [['bank', 'reopen', payinId], /<entry> takes the id of a bank entry/],
    [['bank', 'payments', 'create'], /<receiving-account> is missing/],
    [['bank', 'payments', 'create', 'eur', '--execute-on', 'soon'], /--execute-on takes a date/],
    [['bank', 'payments', 'write', 'eur'], /<file> takes the id of a payment file, bfl_…/],
    [['bank', 'payments', 'write', 'bfl_x', '--execute-on', '2099-01-01'], /no option --execute-on/],
    [['refunds', 'create', payinId], /<amount> is missing/],
  ];
  for (const [args, expected] of rows) await assertMistake(t, args, settings, expected);
  await assertFailure(t, ['bank', 'assign', entryId, payinId], settings, /no such bank entry/);
  await assertFailure(t, ['refunds', 'create', payinId, '1.00'], settings, /no such/);
  const readOnly = settingsFor({ ...service, key: narrow });
  await assertFailure(t, ['bank', 'send-back', entryId], readOnly, /permission "refund"/);
  await assertMistake(t, ['bank', 'inbox'], {}, /--key .* is missing: .*OPENTILL_API_KEY/);
});

test('the group bank alone prints its commands', async () => {
  await using t = cleanUp();
  const { code, stdout, stderr } = await runToEnd(t, ['bank'], {});
  assert.deepEqual([code, stderr], [0, '']);
  for (const each of [
    'account set',
    'import',
    'inbox',
    'assign',
    'ignore',
    'send-back',
    'reopen',
    'payments create',
  ])
    assert.match(stdout, new RegExp(`^ {2}bank ${each} `, 'm'));
  assert.doesNotMatch(stdout, /^ {2}(?!bank|opentill bank)\w/m);
});

for (const [currency, hundredths, part, refund] of [
  ['JPY', 240_000, '100', 10_000],
  ['KWD', 512, '0.120', 12],
] as const) {
  test(`in an account whose clients count hundredths, ${part} is ${part} ${currency}`, async () => {
    await using t = cleanUp();
    const { service, done } = await setUp(t);
    await configure(service, { compatibility: 'v3' });
    const { id } = await createSession(service, { invoice_currency: currency, amount: hundredths });
    await pay(service, id);
    const refunded = await done('refunds', 'create', id, part);
    assert.match(
      refunded,
      new RegExp(`^rfd_\\w{26} {2}pending {2}${part.replace('.', '\\.')} ${currency}\\n$`),
    );
    const { json } = await service.call('GET', `/v3/refund?payin=${id}`);
    assert.deepEqual(
      json.data.map(({ amount }: { amount: number }) => amount),
      [refund],
    );
  });
}
