/** Settings and their values: the default of each, the ends of its range, and what is just beyond. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type BadSetting, readConfig } from '../../src/config/read.ts';
import { type Config, settings } from '../../src/config/settings.ts';

type Row = {
  readonly standard: unknown;
  /** Texts and what they mean; a number alone stands for itself. */
  readonly accepted: ReadonlyArray<number | readonly [text: string, value: unknown]>;
  readonly refused: ReadonlyArray<number | string>;
};

const url = (text: string) => [text, text] as const;
const long = 'x'.repeat(100);
const addresses = {
  standard: 'http://127.0.0.1:3000',
  accepted: [['https://pay.example.com/', 'https://pay.example.com'], url('http://[::1]:8080/till')],
  refused: [
    'pay.example.com',
    'ftp://pay.example.com',
    'https://a@pay.example.com',
    'https://a.example/?b',
    'https://a.example/#b',
  ],
} as const;
const lists = {
  standard: [],
  accepted: [
    ['10.1.0.0/16, 192.0.2.7,,::1', ['10.1.0.0/16', '192.0.2.7/32', '::1/128']],
    ['2001:db8::/32', ['2001:db8::/32']],
  ],
  refused: ['10.1.0.0/33', 'example.com', '10.1.0.0/16;10.2.0.0/16'],
} as const;
const keyOf = (mode: string): Row => ({
  standard: '',
  accepted: [url(`sk_${mode}_a`), url(`rk_${mode}_${'a'.repeat(250)}`)],
  refused: [`sk_${mode}_`, `pk_${mode}_a`, 'sk_other_a', `rk_${mode}_${'a'.repeat(251)}`],
});
const signing: Row = {
  standard: '',
  accepted: [url('whsec_a'), url(`whsec_${'a'.repeat(250)}`)],
  refused: ['whsec_', 'a', `whsec_${'a'.repeat(251)}`],
};
const encryption: Row = {
  standard: null,
  accepted: [
    ['ab'.repeat(32), Buffer.alloc(32, 0xab)],
    [Buffer.alloc(32, 0xab).toString('base64'), Buffer.alloc(32, 0xab)],
    [Buffer.alloc(32, 0xfb).toString('base64').replace('=', ''), Buffer.alloc(32, 0xfb)],
  ],
  refused: ['a', 'ab'.repeat(31), 'ab'.repeat(33), 'g'.repeat(64), Buffer.alloc(33).toString('base64')],
};
const rate = (standard: number): Row => ({ standard, accepted: [0, 1_000_000], refused: [-1, 1_000_001] });

const rows: { readonly [Name in keyof Config]: Row } = {
  PORT: { standard: 3000, accepted: [0, 65_535], refused: [-1, 65_536, '1e3', '80 80'] },
  HOST: {
    standard: '127.0.0.1',
    accepted: [url('::'), url('localhost'), url('a'.repeat(253))],
    refused: ['a b', 'http://localhost', 'a'.repeat(254)],
  },
  OPERATIONS_PORT: { standard: null, accepted: [1, 65_535], refused: [0, 65_536] },
  OPERATIONS_HOST: {
    standard: '127.0.0.1',
    accepted: [url('::1'), url('localhost')],
    refused: ['example.com'],
  },
  PUBLIC_URL: addresses,
  CHECKOUT_URL: addresses,
  DATABASE_URL: {
    standard: { kind: 'sqlite', path: './data/opentill.db' },
    accepted: [['sqlite:a', { kind: 'sqlite', path: 'a' }]],
    refused: ['sqlite:', 'a'],
  },
  DATABASE_COMMITS: { standard: 4, accepted: [1, 64], refused: [0, 65] },
  BOOTSTRAP_API_KEY: {
    standard: null,
    accepted: [['ak_test_a:sk_test_b', { id: 'ak_test_a', secret: 'sk_test_b' }]],
    refused: ['ak_test_a', 'ak_test_a:sk_test_', 'ak_live_a:sk_live_b', ` ak_test_a:sk_test_b:`],
  },
  ACCOUNT_NAME: {
    standard: 'My shop',
    accepted: [url(long)],
    refused: [`${long}x`, 'a\tb', 'a\u202eb', '\u200b'],
  },
  WEBHOOK_ALLOW: lists,
  WEBHOOK_CONCURRENCY: { standard: 256, accepted: [0, 1000], refused: [-1, 1001] },
  WEBHOOK_LOG_DAYS: { standard: 30, accepted: [4, 3650], refused: [3, 3651] },
  EVENT_RETENTION_DAYS: { standard: 0, accepted: [0, 31, 36_500], refused: [30, 36_501] },
  STRIPE_TEST_SECRET_KEY: keyOf('test'),
  STRIPE_TEST_WEBHOOK_SECRET: signing,
  STRIPE_LIVE_SECRET_KEY: keyOf('live'),
  STRIPE_LIVE_WEBHOOK_SECRET: signing,
  STRIPE_ACCOUNT: { standard: 1, accepted: [1, 999_999_999], refused: [0, 1_000_000_000] },
  STRIPE_API_URL: { ...addresses, standard: 'https://api.stripe.com' },
  CREDENTIALS_KEY: encryption,
  CREDENTIALS_KEY_PREVIOUS: encryption,
  OIDC_ISSUER: {
    standard: '',
    accepted: [
      ['https://login.example.com/', 'https://login.example.com/'],
      url('https://login.example.com/realms/one'),
      url('http://127.0.0.1:9/'),
    ],
    refused: [
      'login.example.com',
      'http://login.example.com',
      'https://a@login.example.com',
      'https://a.example/?b',
      'https://a.example/#b',
      'https://a.example/#',
      'https://a.example/?',
      'https://a.example/.well-known/openid-configuration',
    ],
  },
  OIDC_CLIENT_ID: {
    standard: '',
    accepted: [url('opentill'), url('x'.repeat(500))],
    refused: ['a b', 'x'.repeat(501)],
  },
  OIDC_CLIENT_SECRET: {
    standard: '',
    accepted: [url('~!@'), url('x'.repeat(500))],
    refused: ['ä', 'x'.repeat(501)],
  },
  STATEMENT_DIR: { standard: '', accepted: [url('.')], refused: ['nowhere'] },
  LOG_LEVEL: {
    standard: 'info',
    accepted: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map(url),
    refused: ['verbose', 'INFO'],
  },
  TRUST_PROXY: lists,
  RATE_LIMIT: rate(50_000),
  ADDRESS_RATE_LIMIT: rate(100),
  ADDRESS_CONNECTION_LIMIT: rate(500),
};

/** The setting without which one is refused. */
const oidc = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' };
const companions: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries([
  ...Object.keys(oidc).map((name) => [name, oidc]),
  ['CREDENTIALS_KEY_PREVIOUS', { CREDENTIALS_KEY: 'ab'.repeat(32) }],
  ...['TEST', 'LIVE'].flatMap((mode) => {
    const [key, secret] = [`STRIPE_${mode}_SECRET_KEY`, `STRIPE_${mode}_WEBHOOK_SECRET`];
    return [
      [key, { [secret]: 'whsec_a' }],
      [secret, { [key]: `sk_${mode.toLowerCase()}_a` }],
    ];
  }),
]);

suite('a setting', () => {
  test('has a row below', () => assert.deepEqual(Object.keys(rows).sort(), Object.keys(settings).sort()));

  for (const [name, { standard, accepted, refused }] of Object.entries(rows)) {
    const read = (text: string) => {
      const config: Readonly<Record<string, unknown>> = readConfig({ ...companions[name], [name]: text });
      return config[name];
    };
    test(name, () => {
      const config: Readonly<Record<string, unknown>> = readConfig({});
      assert.deepEqual(config[name], standard);
      for (const each of accepted) {
        const [text, value] = typeof each === 'number' ? [String(each), each] : each;
        assert.deepEqual(read(text), value);
        assert.deepEqual(read(` ${text}\n`), value, 'blanks around it are none of it');
      }
      for (const each of refused) {
        const isOfName = ({ name: kind, message }: BadSetting) =>
          kind === 'BadSetting' && message.startsWith(`${name} `);
        assert.throws(() => read(String(each)), isOfName, String(each));
      }
    });
  }

  test('for the address of the service follows where it listens', () => {
    const urlsOf = (env: Record<string, string>) => {
      const { PUBLIC_URL, CHECKOUT_URL } = readConfig(env);
      return [PUBLIC_URL, CHECKOUT_URL];
    };
    assert.deepEqual(urlsOf({ HOST: '::', PORT: '80' }), ['http://[::]', 'http://[::]']);
    assert.deepEqual(urlsOf({ HOST: '192.0.2.7' }), ['http://192.0.2.7:3000', 'http://192.0.2.7:3000']);
    const both = ['https://a.example', 'https://a.example'];
    assert.deepEqual(urlsOf({ PUBLIC_URL: 'https://a.example' }), both);
    assert.deepEqual(urlsOf({ PUBLIC_URL: ' ', PORT: ' 80 ' }), ['http://127.0.0.1', 'http://127.0.0.1']);
    assert.deepEqual(urlsOf({ CHECKOUT_URL: 'https://a.example' }), ['http://127.0.0.1:3000', both[1]]);
  });
});
