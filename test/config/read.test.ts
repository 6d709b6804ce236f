/**
 * Settings of the database (addresses, and passwords that stay hidden), of retention, and those that would
 * leave payments unseen: half of a provider's keys, or a folder that does not exist.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { BadSetting, readConfig, secretNames, variableText } from '../../src/config/read.ts';
import { settings } from '../../src/config/settings.ts';
import { nameOf } from '../../src/store/postgres/unusable.ts';
import { freshDirectory } from '../support/process.ts';

const databaseOf = (url: string) => readConfig({ DATABASE_URL: url }).DATABASE_URL;

suite('the address of a database', () => {
  test('can be a file', () => {
    assert.deepEqual(databaseOf('sqlite:./data/till.db'), { kind: 'sqlite', path: './data/till.db' });
    assert.deepEqual(databaseOf('sqlite:///var/till.db'), { kind: 'sqlite', path: '/var/till.db' });
  });

  const addresses: ReadonlyArray<[url: string, name: string]> = [
    ['postgres://till:canary@db.example.com/shop', 'db.example.com/shop'],
    ['postgresql://till:canary@db.example.com:5433/shop', 'db.example.com:5433/shop'],
    ['postgres://till:canary@a:5432,b:5432/shop?target_session_attrs=read-write', 'a:5432,b:5432/shop'],
    ['postgres://till:canary@[::1]/shop?sslmode=verify-full&prepare=false', '[::1]/shop'],
    ['postgres://till:can@ary:canary@localhost/shop', 'localhost/shop'],
    ['postgres://till:%2Fcanary%23@localhost/shop', 'localhost/shop'],
    ['postgres://localhost/shop', 'localhost/shop'],
  ];
  for (const [url, name] of addresses) {
    test(`can be a PostgreSQL, which is called ${name}`, () => {
      assert.deepEqual(databaseOf(url), { kind: 'postgres', url });
      assert.equal(nameOf(url), name);
    });
  }

  for (const url of [
    'mysql://till:canary@localhost/shop',
    'postgres://till:canary@localhost',
    'postgres://till:canary@localhost/',
    'postgres:till:canary@localhost/shop',
    'postgres://till:can/ary@localhost/shop',
    'postgres://till:1#canary@localhost/shop',
    'postgres://till:1?canary@localhost/shop',
    'postgres://till:%xcanary@localhost/shop',
    'till:canary@localhost/shop',
  ]) {
    test(`cannot be ${url}, and the message does not repeat it`, () => {
      assert.throws(
        () => databaseOf(url),
        (error: Error) => {
          assert.ok(error instanceof BadSetting);
          assert.match(error.message, /^DATABASE_URL must be [^\n]+$/);
          assert.doesNotMatch(error.message, /canary/);
          return true;
        },
      );
    });
  }

  for (const [query, message] of [
    ['sslmode=canary', /^DATABASE_URL must have one of disable, require, verify-full as sslmode$/],
    ['prepare=no', /^DATABASE_URL must have one of true, false as prepare$/],
    ['sslmode=require&password=canary', /^DATABASE_URL has an unknown option; known options are sslmode, /],
    ['channel_binding=require', /^DATABASE_URL has an unknown option/],
  ] as const) {
    test(`cannot have the option ${query}`, () => {
      assert.throws(
        () => databaseOf(`postgres://till:canary@localhost/shop?${query}`),
        (error: Error) => {
          assert.ok(error instanceof BadSetting);
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /canary/);
          return true;
        },
      );
    });
  }
});

suite('how long events are kept', () => {
  const daysOf = (events: string, log?: string) => {
    const env = { EVENT_RETENTION_DAYS: events, ...(log === undefined ? {} : { WEBHOOK_LOG_DAYS: log }) };
    const config = readConfig(env);
    return [config.EVENT_RETENTION_DAYS, config.WEBHOOK_LOG_DAYS];
  };

  test('is for ever, or longer than deliveries are', () => {
    assert.deepEqual(daysOf(''), [0, 30]);
    assert.deepEqual(daysOf('0', '3650'), [0, 3650]);
    assert.deepEqual(daysOf('31'), [31, 30]);
    assert.deepEqual(daysOf('5', '4'), [5, 4]);
  });

  for (const [events, log] of [
    ['1', undefined],
    ['30', undefined],
    ['90', '90'],
    ['90', '91'],
  ] as const) {
    test(`cannot be ${events} days where deliveries are kept for ${log ?? '30'}`, () => {
      assert.throws(
        () => daysOf(events, log),
        (error: Error) => {
          assert.ok(error instanceof BadSetting);
          assert.equal(
            error.message,
            `EVENT_RETENTION_DAYS must be 0 or more than WEBHOOK_LOG_DAYS (${log ?? 30}), not "${events}"`,
          );
          return true;
        },
      );
    });
  }

  test('is a whole number', () => {
    for (const days of ['-1', '31.5', 'forever', '36501']) {
      assert.throws(() => daysOf(days), /^BadSetting: EVENT_RETENTION_DAYS must be a whole number [^\n]+$/);
    }
  });
});

suite('the keys of Stripe', () => {
  for (const mode of ['test', 'live'] as const) {
    const [key, secret] = [
      `STRIPE_${mode.toUpperCase()}_SECRET_KEY`,
      `STRIPE_${mode.toUpperCase()}_WEBHOOK_SECRET`,
    ];
    const both = { [key]: `sk_${mode}_canary`, [secret]: 'whsec_canary' };

    test(`are there together in ${mode} mode, or not at all`, () => {
      const config: Readonly<Record<string, unknown>> = readConfig(both);
      assert.deepEqual([config[key], config[secret]], [both[key], both[secret]]);
      const none: Readonly<Record<string, unknown>> = readConfig({ [key]: '', [secret]: ' ' });
      assert.deepEqual([none[key], none[secret]], ['', '']);
    });

    for (const [missing, there] of [
      [key, secret],
      [secret, key],
    ] as const) {
      test(`cannot be without ${missing}, and the message does not repeat the other`, () => {
        const message = `${missing} must be set, because ${there} is`;
        assert.throws(() => readConfig({ ...both, [missing]: '' }), { name: 'BadSetting', message });
      });
    }
  }
});

suite('the keys of credentials', () => {
  test('are the previous one only beside the current one', () => {
    const message = 'CREDENTIALS_KEY must be set, because CREDENTIALS_KEY_PREVIOUS is';
    assert.throws(() => readConfig({ CREDENTIALS_KEY_PREVIOUS: 'ab'.repeat(32) }), {
      name: 'BadSetting',
      message,
    });
  });
});

suite('the folder of statements', () => {
  test('is one that is there, or none', (t) => {
    const directory = freshDirectory(t);
    assert.equal(readConfig({ STATEMENT_DIR: directory }).STATEMENT_DIR, directory);
    assert.equal(readConfig({}).STATEMENT_DIR, '');
    const file = join(directory, 'file');
    writeFileSync(file, '');
    for (const wrong of [join(directory, 'nowhere'), file, join(file, 'below')]) {
      assert.throws(() => readConfig({ STATEMENT_DIR: wrong }), /^BadSetting: STATEMENT_DIR [^\n]+$/, wrong);
    }
  });
});

suite('a secret', () => {
  const good: Readonly<Record<string, string>> = {
    DATABASE_URL: 'postgres://till:canary@db.example.com/shop',
    BOOTSTRAP_API_KEY: 'ak_test_canary:sk_test_canary',
    STRIPE_TEST_SECRET_KEY: 'sk_test_canary',
    STRIPE_TEST_WEBHOOK_SECRET: 'whsec_canary1',
    STRIPE_LIVE_SECRET_KEY: 'rk_live_canary',
    STRIPE_LIVE_WEBHOOK_SECRET: 'whsec_canary2',
    CREDENTIALS_KEY: 'ca'.repeat(32),
    CREDENTIALS_KEY_PREVIOUS: 'cb'.repeat(32),
    OIDC_CLIENT_SECRET: 'canary3',
  };
  const named = Object.keys(settings).filter((name) =>
    /SECRET|API_KEY|DATABASE_URL|CREDENTIALS_KEY/.test(name),
  );

  test('can be in a file, and means the same there', (t) => {
    assert.deepEqual(Object.keys(good).sort(), named.sort());
    assert.deepEqual([...named, 'OPENTILL_API_KEY'].sort(), [...secretNames].sort());
    const directory = freshDirectory(t);
    const files = Object.entries(good).map(([name, text]) => {
      writeFileSync(join(directory, name), ` ${text}\r\n`);
      return [`${name}_FILE`, join(directory, name)];
    });
    const beside = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'opentill' };
    assert.deepEqual(
      readConfig({ ...beside, ...Object.fromEntries(files) }),
      readConfig({ ...beside, ...good }),
    );
    assert.deepEqual(readConfig({ DATABASE_URL_FILE: ' ' }), readConfig({}));
  });

  for (const name of named)
    test(`${name} is in a file or not, and the file has to be there with something in it`, (t) => {
      const directory = freshDirectory(t);
      const [full, empty] = [join(directory, 'full'), join(directory, 'empty')];
      writeFileSync(full, good[name] ?? '');
      writeFileSync(empty, '\n');
      for (const [file, other, message] of [
        [full, { [name]: good[name] }, `${name} and ${name}_FILE are both set; set only one of them`],
        [empty, {}, `${name}_FILE names ${empty}, which is empty`],
        [`${full}er`, {}, `${name}_FILE names ${full}er, which cannot be read: ENOENT`],
        [directory, {}, `${name}_FILE names ${directory}, which cannot be read: EISDIR`],
      ] as const)
        assert.throws(() => readConfig({ [`${name}_FILE`]: file, ...other }), {
          name: 'BadSetting',
          message,
        });
    });

  test('that is wrong in a file is not repeated', (t) => {
    const file = join(freshDirectory(t), 'secret');
    writeFileSync(file, 'canary');
    for (const name of named)
      assert.throws(
        () => readConfig({ [`${name}_FILE`]: file }),
        (error: Error) => error instanceof BadSetting && !error.message.includes('canary'),
        name,
      );
  });

  test('is all that can be in a file', (t) => {
    const file = join(freshDirectory(t), 'port');
    writeFileSync(file, '4000');
    assert.equal(readConfig({ PORT_FILE: file }).PORT, 3000);
  });
});

suite('a wrong setting is told, and what it was set to is not', () => {
  // Secrets in addresses, in lists and by themselves, and all of them where they do not belong.
  const values = [
    'sk_live_canary',
    'ak_test_canary:sk_live_canary',
    'https://till:canary@pay.example.com',
    'https://:canary@pay.example.com',
    'https://canary@pay.example.com',
    'https://pay.example.com/?token=canary',
    'https://pay.example.com/#canary',
    'http://till:canary@',
    'postgres://till:canary@db.example.com',
    'postgres://till:canary@db.example.com/shop?password=canary',
    '127.0.0.1,canary',
    '10.0.0.0/8, https://till:canary@proxy.example.com',
    `whsec canary${'y'.repeat(250)}`,
  ];
  /** Values that are not wrong. */
  const allowed: Readonly<Record<string, RegExp>> = {
    ACCOUNT_NAME: /^.{0,100}$/,
    HOST: /^[\w.-]+$/,
    OIDC_CLIENT_ID: /^[!-~]{0,500}$/,
    OIDC_CLIENT_SECRET: /^[!-~]{0,500}$/,
    STRIPE_LIVE_SECRET_KEY: /^sk_live_\w+$/,
  };

  for (const name of Object.keys(settings)) {
    test(name, () => {
      for (const value of values.filter((each) => !allowed[name]?.test(each))) {
        assert.throws(
          () => readConfig({ [name]: value }),
          (error: Error) => {
            assert.ok(error instanceof BadSetting, String(error));
            assert.match(error.message, new RegExp(`^${name} [^\\n]+$`));
            assert.doesNotMatch(error.message, /canary/);
            return true;
          },
          value,
        );
      }
    });
  }

  for (const name of secretNames) {
    test(`${name}_FILE, where the secret is and not the name of its file`, () => {
      for (const value of values) {
        assert.throws(
          () => variableText(name, { [`${name}_FILE`]: value }),
          (error: Error) => error instanceof BadSetting && !error.message.includes('canary'),
          value,
        );
      }
    });
  }
});

suite('an address for operators', () => {
  test('is none, or one beside that of the service', () => {
    assert.equal(readConfig({}).OPERATIONS_PORT, null);
    const { OPERATIONS_PORT, OPERATIONS_HOST } = readConfig({
      OPERATIONS_PORT: '9464',
      OPERATIONS_HOST: '::',
    });
    assert.deepEqual([OPERATIONS_PORT, OPERATIONS_HOST], [9464, '::']);
    assert.equal(readConfig({ OPERATIONS_PORT: '3000', HOST: '192.0.2.1' }).OPERATIONS_PORT, 3000);
    assert.throws(() => readConfig({ OPERATIONS_PORT: '3000' }), {
      name: 'BadSetting',
      message: 'OPERATIONS_PORT must differ from PORT, which is 3000 too',
    });
  });
});
