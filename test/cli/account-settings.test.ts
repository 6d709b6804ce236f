/** Account settings, changed on the command line beside a running server. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '../../src/accounts/account.ts';
import type { representReceivingAccount } from '../../src/accounts/representation.ts';
import { defaultSettings } from '../../src/accounts/settings.ts';
import { serializeMapping } from '../../src/statements/mapping.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { DE_IBAN } from '../methods/bank/build.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { png } from '../support/image.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshDirectory, run, runToEnd } from '../support/process.ts';
import { serveHere } from '../support/service.ts';
import { camt, csvMapping } from '../support/statements.ts';
import { assertFailure, assertMistake } from './developer.ts';

const KEY = 'ak_test_boot:sk_test_boot';

/** A database with one account, without a server. */
async function database(t: Ends) {
  const path = join(freshDirectory(t), 'till.db');
  const store = openSqliteStore(path, { serve: true });
  await createAccount(store, 'Shop', Date.now());
  await store.close();
  return { DATABASE_URL: `sqlite:${path}` };
}

async function done(t: Ends, settings: Readonly<Record<string, string>>, ...args: string[]) {
  const { code, stdout, stderr } = await runToEnd(t, args, settings);
  assert.deepEqual([code, stderr], [0, ''], args.join(' '));
  return stdout;
}

async function receivingAccounts(
  t: Ends,
  settings: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<ReadonlyArray<ReturnType<typeof representReceivingAccount>>> {
  const { code, stdout } = await runToEnd(t, ['bank', 'account', 'list', '--json', ...args], settings);
  assert.equal(code, 0);
  return JSON.parse(stdout);
}

function fileOf(t: Ends, content: unknown): string {
  const file = join(freshDirectory(t), 'settings.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

for (const [name, freshOne] of [
  ['SQLite', async (t) => `sqlite:${join(freshDirectory(t), 'till.db')}`],
  ['PostgreSQL', freshDatabase],
] as const satisfies ReadonlyArray<readonly [string, typeof freshDatabase]>) {
  test(`a server on ${name} takes notice of a receiving account at once`, async () => {
    await using t = cleanUp();
    const settings = { DATABASE_URL: await freshOne(t) };
    const server = await serveHere(t, { ...settings, BOOTSTRAP_API_KEY: KEY });
    const upload = async () => {
      const body = camt(
        'S1',
        [{ amount: '25.00', text: 'Order 1001', reference: '2026020300000001' }],
        DE_IBAN,
      );
      const headers = { authorization: `Basic ${btoa(KEY)}` };
      return (await fetch(`${server.url}/v3/bank_statement`, { method: 'POST', headers, body })).status;
    };
    assert.equal(await upload(), 400);
    const set = ['bank', 'account', 'set', 'eur', '--currency', 'EUR', '--iban', DE_IBAN];
    await done(t, settings, ...set, '--holder-name', 'Shop', '--holder-country', 'DE');
    // Another process may take a moment to hear of it.
    for (let status = await upload(); status !== 200; status = await upload()) assert.equal(status, 400);
    await server.stop();
  });
}

test('receiving accounts that are set at the same time are all kept', async () => {
  await using t = cleanUp();
  const settings = await database(t);
  const numbers = ['100001', '100002', '100003', '100004'];
  await Promise.all(
    numbers.map((number) => {
      const holder = ['--holder-name', 'Shop', '--holder-country', 'US'];
      const fields = ['--currency', 'USD', '--account-number', number, ...holder];
      return done(t, settings, 'bank', 'account', 'set', `n${number}`, ...fields);
    }),
  );
  assert.deepEqual((await receivingAccounts(t, settings)).map(({ id }) => id).sort(), [
    'n100001',
    'n100002',
    'n100003',
    'n100004',
  ]);
});

test('a command waits for somebody who writes for longer than a server would wait', async () => {
  await using t = cleanUp();
  const settings = await database(t);
  const path = settings.DATABASE_URL.slice('sqlite:'.length);
  // Another command, whose commit takes its time.
  const store = openSqliteStore(path);
  const other = new DatabaseSync(path);
  t.after(async () => {
    other.close();
    await store.close();
  });
  other.exec('BEGIN IMMEDIATE');
  const renamed = done(t, settings, 'accounts', 'rename', 'Till');
  // The command is at its commit by then, on all but very slow machines.
  await pause(1_500);
  other.exec('COMMIT');
  await renamed;
});

suite('opentill accounts settings and configure', () => {
  test('show everything, take it back, and change what is given', async () => {
    await using t = cleanUp();
    const settings = await database(t);
    const show = async (...args: string[]) =>
      JSON.parse(await done(t, settings, 'accounts', 'settings', ...args));
    const configure = (content: unknown, ...args: string[]) =>
      done(t, settings, 'accounts', 'configure', '--file', fileOf(t, content), ...args);
    assert.deepEqual(await show(), {
      object: 'account_settings',
      name: 'Shop',
      business: { address_lines: [], tax_id: '', email: '' },
      branding: { accent_color: '' },
      policy: {
        underpayment_tolerance_basis_points: 0,
        underpayment_tolerance_at_most: 0,
        excess: defaultSettings.policy.excess,
        late: defaultSettings.policy.late,
        unreferenced: defaultSettings.policy.unreferenced,
        grace_minutes: {},
      },
      csv_mappings: {},
      compatibility: 'strict',
      webhook_url_events: null,
    });
    const said = await configure({ policy: { late: 'hold' } });
    assert.equal(said, 'the settings are changed\n');
    const shown = await show();
    assert.equal(shown.policy.late, 'hold');
    await configure({ policy: { excess: 'refund' }, csv_mappings: { bank: serializeMapping(csvMapping) } });
    const { policy, csv_mappings } = await show();
    assert.deepEqual([policy.late, policy.excess], ['hold', 'refund']);
    assert.deepEqual(Object.keys(csv_mappings), ['bank']);
    await configure({ policy: { excess: null }, csv_mappings: { bank: null } });
    await configure(shown);
    assert.deepEqual(await show(), shown);
    await configure({ policy: null });
    assert.deepEqual(await show(), { ...shown, policy: { ...shown.policy, late: 'accept' } });
    const other = { business: { tax_id: 'DE123456789' } };
    await configure(other, '--live');
    const live = await show('--live');
    assert.equal(live.business.tax_id, 'DE123456789');
    assert.equal((await show()).business.tax_id, '');
    await done(t, settings, 'accounts', 'configure', '--compatibility', 'v3');
    assert.equal((await show()).compatibility, 'v3');
    assert.equal((await show('--live')).compatibility, 'strict');
  });

  test('take standard input', async () => {
    await using t = cleanUp();
    const settings = await database(t);
    const running = run(t, ['accounts', 'configure', '--file', '-'], settings);
    running.child.stdin?.end('\uFEFF{"business": {"email": "shop@example.com"}}');
    assert.equal((await running.ended).code, 0, running.output.stderr);
    assert.match(await done(t, settings, 'accounts', 'settings'), /"email": "shop@example\.com"/);
  });

  test('tell all mistakes of a file, and change nothing then', async () => {
    await using t = cleanUp();
    const settings = await database(t);
    const before = await done(t, settings, 'accounts', 'settings');
    const file = fileOf(t, {
      business: { tax_id: 'DE123456789' },
      receiving_accounts: [],
      name: 1,
      policy: { late: 'never' },
    });
    const { code, stdout, stderr } = await runToEnd(t, ['accounts', 'configure', '--file', file], settings);
    assert.deepEqual([code, stdout], [1, '']);
    const [head, ...mistakes] = stderr.trimEnd().split('\n');
    assert.equal(head, `opentill: ${file} has 3 mistakes, and nothing is changed:`);
    assert.deepEqual(mistakes.sort(), [
      '  name must be a string',
      '  policy/late must be one of accept, hold',
      '  receiving_accounts are set by opentill bank account set',
    ]);
    assert.equal(await done(t, settings, 'accounts', 'settings'), before);
  });

  test('say in one line what is wrong', async () => {
    await using t = cleanUp();
    const settings = await database(t);
    const file = (content: unknown) => ['--file', fileOf(t, content)];
    const rows: ReadonlyArray<[string[], RegExp]> = [
      [['settings', '--account', '7'], /there is no account 7/],
      [['configure', '--file', '/nowhere.json'], /\/nowhere\.json cannot be read: ENOENT/],
      [['configure', ...file('{"business": ')], /cannot be read: .*JSON/],
      [['configure', ...file({})], /has none of the parts/],
      [['configure', ...file({ object: 'account_settings' })], /has none of the parts/],
      [
        ['configure', ...file({ name: 'Other', policy: { late: 'hold' } })],
        /: name is of both modes: only a key of live mode changes it; nothing is changed/,
      ],
      [['configure', ...file([])], /it must be an object; nothing is changed/],
      [
        ['configure', ...file({ policy: { late: 'x' } })],
        /: policy\/late must be one of accept, hold; nothing/,
      ],
    ];
    for (const [args, expected] of rows) await assertFailure(t, ['accounts', ...args], settings, expected);
    await assertMistake(t, ['accounts', 'configure'], settings, /takes --file, --compatibility or both/);
  });
});

suite('opentill bank account', () => {
  test('makes receiving accounts, changes and removes them', async () => {
    await using t = cleanUp();
    const settings = await database(t);
    const account = (...args: string[]) => done(t, settings, 'bank', 'account', ...args);
    const holder = ['--holder-name', 'Muster Handels GmbH', '--holder-country', 'de'];
    const iban = ['--currency', 'eur', '--iban', 'DE89 3704 0044 0532 0130 00'];
    const line = `eur  EUR  ${DE_IBAN}  COBADEFF  Muster Handels GmbH  local_bank_transfer_eur,wire_transfer\n`;
    assert.equal(await account('set', 'eur', ...iban, '--bic', 'COBADEFF', ...holder), line);
    const sgd = ['--currency', 'SGD', '--paynow', '201912345K', ...holder];
    assert.equal(await account('set', 'sg', ...sgd), 'sg  SGD  Muster Handels GmbH  paynow_sgd\n');
    const changed = `eur  EUR  ${DE_IBAN}  Muster Handels GmbH  local_bank_transfer_eur\n`;
    assert.equal(await account('set', 'eur', '--bic', '', '--holder-city', 'Köln'), changed);
    assert.equal(await account('list'), `${changed}sg  SGD  Muster Handels GmbH  paynow_sgd\n`);
    const [shown] = await receivingAccounts(t, settings);
    assert.deepEqual([shown?.holder.city, shown?.bic, shown?.iban], ['Köln', null, DE_IBAN]);
    await account('set', 'sg', '--first');
    assert.match(await account('list'), /^sg .*\neur .*\n$/);
    const twin = ['bank', 'account', 'set', 'other', ...iban, ...holder];
    const isTwice = /--iban is used by another receiving account/;
    await assertMistake(t, [...twin, '--first'], settings, isTwice);
    await assertMistake(t, twin, settings, isTwice);

    assert.equal(await account('remove', 'sg'), 'sg is removed\n');
    assert.equal(await account('list'), changed);
    const live = await runToEnd(t, ['bank', 'account', 'list', '--live'], settings);
    assert.deepEqual([live.code, live.stdout], [0, '']);
    assert.match(live.stderr, /^opentill: there are no receiving accounts; .*\n$/);
  });

  test('says what is wrong by the options that were typed, all of it, and changes nothing then', async () => {
    await using t = cleanUp();
    const settings = await database(t);
    const rows: ReadonlyArray<[string[], RegExp]> = [
      [['set', '--first'], /<id> is missing: an id that you choose/],
      [['set', 'eur'], /needs fields to set/],
      [['set', 'eur', '--ibam', DE_IBAN, '--first'], /no option --ibam; did you mean --iban\?/],
      [['list', 'eur'], /unexpected argument "eur"/],
      [['list', '--iban', DE_IBAN], /--iban/],
      [
        ['set', 'eur', '--currency', 'EUR', '--holder-name', 'S', '--holder-country', 'DE'],
        /the account must have at/,
      ],
    ];
    for (const [args, expected] of rows)
      await assertMistake(t, ['bank', 'account', ...args], settings, expected);
    const none = ['bank', 'account', 'remove', 'usd'];
    await assertFailure(t, none, settings, /there is no receiving account usd/);
    const elsewhere = ['bank', 'account', 'list', '--account', '7'];
    await assertFailure(t, elsewhere, settings, /there is no account 7/);
    const wrong = ['--currency', 'EUR', '--iban', 'DE88370400440532013000', '--holder-country', 'Germany'];
    const several = await runToEnd(t, ['bank', 'account', 'set', 'e_r', ...wrong], settings);
    assert.deepEqual([several.code, several.stdout], [2, '']);
    const [head, ...lines] = several.stderr.trimEnd().split('\n');
    assert.equal(head, 'opentill: bank account set has 4 mistakes:');
    for (const mistake of [
      /^ {2}<id> must have only/m,
      /^ {2}--iban has wrong check digits/m,
      /^ {2}--holder-name is required/m,
      /^ {2}--holder-country must/m,
    ])
      assert.match(lines.join('\n'), mistake);
    assert.deepEqual(await receivingAccounts(t, settings), []);
  });
});

/** A server, keys for it, and ways to run a command there or on its database. */
async function begin(t: Ends) {
  const settings = { DATABASE_URL: `sqlite:${join(freshDirectory(t), 'till.db')}` };
  const server = await serveHere(t, settings);
  const keyOf = async (...args: string[]) => {
    const words = ['keys', 'create', '--permissions', 'manage', '--json', ...args];
    const { id, secret } = JSON.parse(await done(t, settings, ...words));
    return { OPENTILL_API_KEY: `${id}:${secret}` };
  };
  const [test, live] = [await keyOf(), await keyOf('--live')];
  const there = (key: typeof test, ...args: string[]) => done(t, key, ...args, '--url', server.url);
  const here = (...args: string[]) => done(t, settings, ...args);
  return { test, live, there, here, settings, url: server.url };
}

suite('settings and receiving accounts at a server, without its database', () => {
  test('are shown and changed as on the database, for the account and mode of the key', async () => {
    await using t = cleanUp();
    const { test, live, there, here, settings } = await begin(t);
    const configure = ['accounts', 'configure', '--file'];
    const patch = fileOf(t, {
      policy: { late: 'hold' },
      csv_mappings: { bank: serializeMapping(csvMapping) },
    });
    assert.equal(await there(test, ...configure, patch), 'the settings are changed\n');
    await there(test, ...configure, fileOf(t, { policy: { excess: 'refund' } }), '--compatibility', 'v3');
    const shown = await there(test, 'accounts', 'settings');
    assert.equal(shown, await here('accounts', 'settings'));
    const { policy, compatibility, csv_mappings } = JSON.parse(shown);
    assert.deepEqual([policy.late, policy.excess, compatibility], ['hold', 'refund', 'v3']);
    assert.deepEqual(Object.keys(csv_mappings), ['bank']);
    assert.equal(await there(live, 'accounts', 'rename', 'Till'), 'the account is now called Till\n');
    assert.equal(JSON.parse(await here('accounts', 'settings', '--live')).name, 'Till');
    assert.match(
      await there(live, 'accounts', 'rotate-webhook-secret', '--overlap', '0'),
      /^Webhook secret {2}whsec_.*\n.*\nThe previous secret no longer signs\.\n$/,
    );
    const set = ['bank', 'account', 'set', 'eur', '--holder-name', 'Shop', '--holder-country', 'DE'];
    const line = await there(test, ...set, '--currency', 'EUR', '--iban', DE_IBAN, '--first');
    assert.equal(line, `eur  EUR  ${DE_IBAN}  Shop  local_bank_transfer_eur\n`);
    for (const list of [await there(test, 'bank', 'account', 'list'), await here('bank', 'account', 'list')])
      assert.equal(list, line);
    assert.equal(await there(test, 'bank', 'account', 'remove', 'eur'), 'eur is removed\n');
    assert.deepEqual(await receivingAccounts(t, settings), []);
  });

  test('refuse in the same words, and change nothing then', async () => {
    await using t = cleanUp();
    const { test, there, here, url } = await begin(t);
    const before = await here('accounts', 'settings');
    const configure = (content: unknown) => ['accounts', 'configure', '--file', fileOf(t, content)];
    const set = ['bank', 'account', 'set', 'eur', '--currency', 'EUR'];
    const place = /--account and --live do not go with --url: the API key says both/;
    for (const [args, status, ...expected] of [
      [
        configure({ policy: { late: 'x' } }),
        1,
        /json: policy\/late must be one of accept, hold, null; nothing/,
      ],
      [configure([]), 1, /it must be/],
      [configure({ policy: { late: 'x' }, business: { x: 1 } }), 1, /has 2 mistakes/, /business\/x is/],
      [[...set, '--iban', 'DE1'], 2, /--iban must/, /--holder-name is required/],
      [['bank', 'account', 'remove', 'usd'], 1, /There is no such receiving account/],
      [['accounts', 'rename', 'Till'], 1, /only a key of live mode changes it/],
      [['accounts', 'rename', 'Till', '--account', '2'], 2, place],
      [['accounts', 'settings', '--live'], 2, place],
      [['bank', 'account', 'list', '--account', '1'], 2, place],
    ] as ReadonlyArray<readonly [string[], number, ...RegExp[]]>) {
      const { code, stdout, stderr } = await runToEnd(t, [...args, '--url', url], test);
      assert.deepEqual([code, stdout], [status, ''], stderr);
      for (const each of expected) assert.match(stderr, each);
    }
    assert.equal(await there(test, 'accounts', 'settings'), before);
  });
});

suite('opentill accounts set-logo and remove-logo', () => {
  const image = png({ width: 320, height: 96 });
  function imageIn(t: Ends, content: Uint8Array): string {
    const file = join(freshDirectory(t), 'logo.png');
    writeFileSync(file, content);
    return file;
  }

  test('work on the database and at a server alike, for one mode', async () => {
    await using t = cleanUp();
    const { test, live, there, here, url } = await begin(t);
    const shown = async (env: Readonly<Record<string, string>>) => {
      const headers = { authorization: `Basic ${btoa(env.OPENTILL_API_KEY ?? '')}` };
      const response = await fetch(`${url}/v3/logo`, { headers });
      return response.ok ? Buffer.from(await response.arrayBuffer()) : null;
    };
    const file = imageIn(t, image);
    assert.equal(await there(test, 'accounts', 'set-logo', file), 'the logo is set\n');
    assert.deepEqual(await shown(test), image);
    assert.equal(await shown(live), null);
    assert.equal(await here('accounts', 'set-logo', file, '--live'), 'the logo is set\n');
    // Another process may take a moment to hear of it.
    while ((await shown(live)) === null) await pause(10);
    assert.equal(await here('accounts', 'remove-logo'), 'the logo is removed\n');
    assert.equal(await there(live, 'accounts', 'remove-logo'), 'the logo is removed\n');
    assert.deepEqual([await shown(test), await shown(live)], [null, null]);
  });

  test('read standard input', async () => {
    await using t = cleanUp();
    const settings = await database(t);
    const reading = run(t, ['accounts', 'set-logo', '-', '--json'], settings);
    reading.child.stdin?.end(image);
    assert.equal((await reading.ended).code, 0);
    const shown = { object: 'logo', media_type: 'image/png', width: 320, height: 96, bytes: image.length };
    assert.deepEqual(JSON.parse(reading.output.stdout), shown);
  });

  test('say what is wrong, and change nothing then', async () => {
    await using t = cleanUp();
    const { test, url, settings } = await begin(t);
    const wrong = [
      [
        imageIn(t, image.subarray(0, -1)),
        /logo\.png: it ends too early: it was cut off; nothing is changed\n$/,
      ],
      [imageIn(t, png({ width: 1001 })), /logo\.png: it has 1001 × 32 pixels, but may have 1000 × 1000; /],
      [imageIn(t, Buffer.alloc(65_537)), /logo\.png cannot be read: it has more than 64 KiB\n$/],
      ['nowhere.png', /nowhere\.png cannot be read: /],
    ] as const;
    const both = [
      [settings, []],
      [test, ['--url', url]],
    ] as const;
    for (const [env, place] of both) {
      for (const [file, expected] of wrong) {
        const { code, stdout, stderr } = await runToEnd(t, ['accounts', 'set-logo', file, ...place], env);
        assert.deepEqual([code, stdout], [1, ''], stderr);
        assert.match(stderr, expected);
      }
      const none = await runToEnd(t, ['accounts', 'remove-logo', ...place], env);
      assert.equal(none.code, 1);
      assert.match(none.stderr, /has no logo/);
    }
    const live = await runToEnd(t, ['accounts', 'remove-logo', '--live', '--url', url], test);
    assert.match(live.stderr, /--account and --live do not go with --url/);
  });
});
