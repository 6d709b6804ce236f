/** Statements that somebody puts into the watched folder: which are ingested, refused or left alone. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { pino } from 'pino';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { until } from '../api/shop.ts';
import { freshDirectory } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { camt, csv, receiveEuros } from '../support/statements.ts';
import { line, page, setUp } from './watched-folder.ts';

suite('a statement in the watched folder', () => {
  test('is ingested once it has come to rest, and moved to done', async (t) => {
    const { folder, wait, put, files, entries, statements, logged } = await setUp(t);
    put('february.xml', camt('S1', [line]));
    await folder.look();
    wait(9_999);
    await folder.look();
    assert.deepEqual(files(), ['february.xml']);
    // Another program is still writing the file.
    put('february.xml', camt('S1', [line, { ...line, text: 'Order 1002', reference: '2026020300000002' }]));
    wait(1);
    await folder.look();
    wait(9_999);
    await folder.look();
    assert.deepEqual([files(), await entries()], [['february.xml'], []]);
    wait(1);
    await folder.look();
    assert.deepEqual(files(), ['done/february.xml']);
    assert.deepEqual(await entries(), ['Order 1001', 'Order 1002']);
    const [statement] = await statements();
    assert.deepEqual(statement?.data, {
      ...statement?.data,
      name: 'february.xml',
      entries: 2,
      new: 2,
      settled: 0,
      open: 2,
    });
    assert.deepEqual(logged, ['a bank statement was ingested']);
  });

  test('takes nobody’s place in done, and changes nothing if it comes twice', async (t) => {
    const { put, look, path, files, entries, statements, logged } = await setUp(t);
    for (const text of ['Order 1001', 'Order 1002']) {
      put('camt.xml', camt(text, [{ ...line, text, reference: `2026020300-${text}` }]));
      await look();
    }
    const again = readFileSync(path('done', 'camt-2.xml'), 'utf8');
    put('camt.xml', again);
    await look();
    assert.deepEqual(files(), ['done/camt-2.xml', 'done/camt-3.xml', 'done/camt.xml']);
    assert.deepEqual(await entries(), ['Order 1001', 'Order 1002']);
    assert.equal((await statements()).length, 2);
    assert.equal(logged.at(-1), 'a bank statement was ingested before');
  });

  test('that cannot be accepted goes to failed, with the reason beside it', async (t) => {
    const { put, look, path, files, entries, logged } = await setUp(t);
    put('broken.xml', camt('S1', [line]).slice(0, -20));
    put('foreign.xml', camt('S2', [line], 'FR1420041010050500013M02606'));
    put('good.xml', camt('S3', [line]));
    await look();
    const names = ['broken.xml', 'broken.xml.error.txt', 'foreign.xml', 'foreign.xml.error.txt'];
    assert.deepEqual(files(), ['done/good.xml', ...names.map((name) => `failed/${name}`)]);
    assert.deepEqual(await entries(), ['Order 1001']);
    assert.match(readFileSync(path('failed', 'broken.xml.error.txt'), 'utf8'), /^line \d+.*\n$/);
    const why = readFileSync(path('failed', 'foreign.xml.error.txt'), 'utf8');
    assert.match(
      why,
      /^the statement is about FR1420041010050500013M02606 in EUR, which is not a receiving account\n$/,
    );
    assert.ok(logged.includes(`! a bank statement was not ingested: ${why.trim()}`));
    put('foreign.xml', 'nothing at all');
    await look();
    assert.notEqual(readFileSync(path('failed', 'foreign-2.xml.error.txt'), 'utf8'), why);
  });

  test('in CSV is read by the mapping that its name begins with', async (t) => {
    const { put, look, path, files, entries } = await setUp(t);
    const other = { ...line, text: 'Order 1002', reference: '2026020300000002' };
    put('my-bank.2026-02.csv', csv([line]));
    put('my-bank.CSV', csv([other]));
    put('your-bank.2026-02.csv', csv([line]));
    put('constructor.csv', csv([line]));
    await look();
    assert.deepEqual(await entries(), ['Order 1001', 'Order 1002']);
    const failed = ['constructor.csv', 'your-bank.2026-02.csv'].flatMap((name) => [
      name,
      `${name}.error.txt`,
    ]);
    assert.deepEqual(files(), [
      'done/my-bank.2026-02.csv',
      'done/my-bank.CSV',
      ...failed.map((name) => `failed/${name}`),
    ]);
    assert.match(
      readFileSync(path('failed', 'your-bank.2026-02.csv.error.txt'), 'utf8'),
      /must begin with the name of a saved mapping, one of my-bank, such as/,
    );
  });

  test('belongs to the account and mode of its folder', async (t) => {
    const { store, live, directory, put, look, entries } = await setUp(t);
    await receiveEuros(store, live);
    mkdirSync(join(directory, `${live.account}-live`));
    mkdirSync(join(directory, 'elsewhere'));
    writeFileSync(
      join(directory, `${live.account}-live`, 'a.xml'),
      camt('S1', [{ ...line, text: 'real money' }]),
    );
    writeFileSync(join(directory, 'elsewhere', 'b.xml'), camt('S2', [line]));
    put('c.xml', camt('S3', [{ ...line, text: 'a test' }]));
    await look();
    assert.deepEqual(await entries(live), ['real money']);
    assert.deepEqual(await entries(), ['a test']);
    assert.ok(existsSync(join(directory, 'elsewhere', 'b.xml')));
  });

  test('is left alone while it has the name of one that is being written, or is no file', async (t) => {
    const { put, look, path, files, entries, directory } = await setUp(t);
    const outside = join(directory, 'outside.xml');
    writeFileSync(outside, camt('S1', [line]));
    symlinkSync(outside, path('link.xml'));
    mkdirSync(path('folder.xml'));
    const unfinished = ['.february.xml', 'february.xml.part', 'march.TMP'];
    for (const name of unfinished) put(name, camt('S2', [line]));
    await look();
    await look();
    assert.deepEqual(files(), [...unfinished, 'link.xml'].sort());
    assert.deepEqual(await entries(), []);
    renameSync(path('february.xml.part'), path('february.xml'));
    await look();
    assert.deepEqual(await entries(), ['Order 1001']);
  });
});

test('files beside the folders of accounts are named once', async (t) => {
  const { directory, look, logged } = await setUp(t);
  const named = 'ignored, because not an account folder such as 1-live or 1-test';
  mkdirSync(join(directory, 'live'));
  for (const name of ['a.xml', '.hidden', 'b.xml.part']) writeFileSync(join(directory, name), '');
  await look();
  await look();
  assert.deepEqual(logged, [`! ${named}: a.xml, live`]);
  rmSync(join(directory, 'live'), { recursive: true });
  mkdirSync(join(directory, '1-LIVE'));
  await look();
  assert.deepEqual(logged.slice(1), [`! ${named}: 1-LIVE`]);
});

suite('while something is in the way', () => {
  test('of a folder, one line says so, and one that it is over', async (t) => {
    const { put, look, directory, path, files, logged } = await setUp(t);
    const elsewhere = freshDirectory(t);
    rmSync(path(), { recursive: true });
    symlinkSync(elsewhere, path());
    writeFileSync(join(elsewhere, 'a.xml'), camt('S1', [line]));
    mkdirSync(join(directory, '99-live'));
    writeFileSync(join(directory, '99-live', 'a.xml'), camt('S1', [line]));
    await look();
    await look();
    assert.deepEqual(logged.sort(), [
      `! bank statements cannot be ingested: ${path()} is not a folder; links are not followed`,
      '! bank statements cannot be ingested: there is no account 99',
    ]);
    assert.deepEqual(readdirSync(elsewhere), ['a.xml']);
    logged.length = 0;
    rmSync(path());
    mkdirSync(path());
    rmSync(join(directory, '99-live', 'a.xml'));
    put('a.xml', camt('S1', [line]));
    await look();
    await look();
    assert.deepEqual(logged, [
      'bank statements can be ingested again',
      'bank statements can be ingested again',
      'a bank statement was ingested',
    ]);
    assert.deepEqual(files(), ['done/a.xml']);
  });

  test('of the whole folder, others are ingested when it is there again', async (t) => {
    const { put, look, directory, entries, logged } = await setUp(t);
    renameSync(directory, `${directory}-away`);
    t.after(() => rmSync(`${directory}-away`, { recursive: true, force: true }));
    await look();
    assert.equal(logged.length, 1);
    assert.match(logged[0] ?? '', /^! bank statements cannot be ingested: ENOENT/);
    renameSync(`${directory}-away`, directory);
    put('a.xml', camt('S1', [line]));
    await look();
    assert.deepEqual(logged.slice(1), [
      'bank statements can be ingested again',
      'a bank statement was ingested',
    ]);
    assert.deepEqual(await entries(), ['Order 1001']);
  });

  test('of moving the file, it is ingested once, and moved as soon as that is possible', async (t) => {
    const { put, look, path, files, entries, logged } = await setUp(t);
    put('a.xml', camt('S1', [line]));
    // A link to another place stands where the folder should be.
    symlinkSync(freshDirectory(t), path('done'));
    await look();
    await look();
    assert.deepEqual(await entries(), ['Order 1001']);
    assert.equal(logged.filter((text) => text === 'a bank statement was ingested').length, 1);
    assert.equal(logged.filter((text) => text.startsWith('!')).length, 1, logged.join('\n'));
    assert.deepEqual(readdirSync(path('done')), []);
    assert.ok(existsSync(path('a.xml')));
    rmSync(path('done'));
    await look();
    assert.deepEqual(files(), ['done/a.xml']);
    assert.equal(logged.at(-1), 'bank statements can be ingested again');
    assert.equal(logged.filter((text) => text.startsWith('a bank statement')).length, 1);
  });

  test('of the database, everything stays, and is ingested when it is back', async (t) => {
    let isAway = true;
    const { put, look, folder, files, entries, logged } = await setUp(t, ({ commit }) => ({
      commit: async (...args) => {
        if (isAway) throw new StoreUnavailable('no answer');
        return commit(...args);
      },
    }));
    put('a.xml', camt('S1', [line]));
    put('b.xml', camt('S2', [{ ...line, text: 'Order 1002', reference: '2026020300000002' }]));
    await look();
    await look();
    assert.deepEqual(files(), ['a.xml', 'b.xml']);
    assert.deepEqual(logged, ['! bank statements cannot be ingested: no answer']);
    isAway = false;
    // Both files have come to rest long ago, also the one that was not looked at meanwhile.
    await folder.look();
    assert.deepEqual(files(), ['done/a.xml', 'done/b.xml']);
    assert.deepEqual(await entries(), ['Order 1001', 'Order 1002']);
    assert.equal(logged.filter((text) => text === 'bank statements can be ingested again').length, 1);
  });
});

test('two watchers of one folder ingest a statement once, and neither complains', async (t) => {
  const { put, start, wait, files, entries, statements, logged } = await setUp(t);
  const both = [start(), start()];
  put('a.xml', camt('S1', [line]));
  put('b.xml', 'no statement');
  await Promise.all(both.map((each) => each.look()));
  wait(10_000);
  await Promise.all(both.map((each) => each.look()));
  assert.deepEqual(await entries(), ['Order 1001']);
  assert.equal((await statements()).length, 1);
  assert.deepEqual(files(), ['done/a.xml', 'failed/b.xml', 'failed/b.xml.error.txt']);
  assert.deepEqual(
    logged.filter((text) => text.includes('cannot be ingested')),
    [],
  );
});

test('the service watches the folder of its settings', async (t) => {
  const directory = freshDirectory(t);
  mkdirSync(join(directory, '1-test'));
  const before = await startService(t);
  await receiveEuros(before.service.store, { account: 1, mode: 'test' });
  await before.stop();
  writeFileSync(join(directory, '1-test', 'a.xml'), camt('S1', [line]));
  const logged: { folder?: string; msg: string }[] = [];
  // A second passes whenever somebody asks for the time, so that the file soon has come to rest.
  let time = Date.now();
  const { service } = await startService(t, {
    env: { STATEMENT_DIR: directory },
    database: before.database,
    realNow: () => (time += 1_000),
    statementLookMs: 10,
    logger: pino({ level: 'info' }, { write: (text: string) => logged.push(JSON.parse(text)) }),
  });
  const [said] = logged.filter(({ folder }) => folder === directory);
  assert.equal(said?.msg, 'watching this folder for bank statements');
  await until(async () => existsSync(join(directory, '1-test', 'done', 'a.xml')));
  const { rows } = await service.store.bankEntries.list({ account: 1, mode: 'test' }, {}, page);
  assert.deepEqual(
    rows.map(({ account }) => account),
    ['eur'],
  );
});
