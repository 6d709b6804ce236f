import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { suite, test } from 'node:test';
import {
  addressProblem,
  guardedLookup,
  isForbidden,
  literalAddress,
  networkRules,
  type Resolve,
} from '../../src/webhooks/guard.ts';
import { createResolve } from '../../src/webhooks/resolve.ts';
import { onlyPublic, scriptedResolver, withLoopback } from './build.ts';

const forbidden: Record<string, readonly string[]> = {
  loopback: ['127.0.0.1', '127.0.0.53', '127.255.255.255', '::1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'unique local': ['fc00::1', 'fd00::1', 'fdff:ffff::1'],
  'link-local': ['169.254.0.1', '169.254.255.255', 'fe80::1', 'febf::1', 'fe80::1%eth0', 'fec0::1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'metadata of a cloud': [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
  ],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  broadcast: ['255.255.255.255'],
  reserved: ['240.0.0.1', '254.255.255.255', '192.0.0.1', '192.88.99.1', '100::1', '5f00::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'not assigned': ['4000::1', 'fb00::1', '1::1'],
  'IPv4-mapped': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:8.8.8.8',
  ],
  'IPv4-compatible': ['::127.0.0.1', '::10.0.0.1', '::8.8.8.8'],
  'IPv4-translated': ['::ffff:0:127.0.0.1'],
  NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::169.254.169.254', '64:ff9b:1::8.8.8.8'],
  '6to4': ['2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'],
  Teredo: ['2001:0:53aa:64c::1', '2001::1'],
  'not an address': ['', 'localhost', 'example.com', '2130706433', '0x7f.1', '127.1', '[::1]', '1.1.1.1/8'],
};

const allowed = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '169.253.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:800::200e',
  '64:ff9b::8.8.8.8',
];

suite('an address that is forbidden', () => {
  for (const [kind, addresses] of Object.entries(forbidden)) {
    for (const address of addresses) {
      test(`${kind}: ${address}`, () => assert.ok(isForbidden(address, onlyPublic)));
    }
  }
});

suite('an address that is public', () => {
  for (const address of allowed) test(address, () => assert.ok(!isForbidden(address, onlyPublic)));
});

suite('while loopback is allowed', () => {
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
    test(`${address} is`, () => assert.ok(!isForbidden(address, withLoopback)));
  }
  const others = [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '169.254.169.254',
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    '2002:7f00:1::',
  ];
  for (const address of others)
    test(`${address} is not`, () => assert.ok(isForbidden(address, withLoopback)));
});

suite("the operator's list", () => {
  const rules = networkRules(['10.1.0.0/16', '192.168.7.9/32', 'fd12::/32'], false);
  for (const address of [
    '10.1.0.1',
    '10.1.255.255',
    '192.168.7.9',
    'fd12::5',
    '::ffff:10.1.0.1',
    '8.8.8.8',
  ]) {
    test(`allows ${address}`, () => assert.ok(!isForbidden(address, rules)));
  }
  const others = [
    '10.0.255.255',
    '10.2.0.0',
    '192.168.7.8',
    'fd13::1',
    '127.0.0.1',
    '::1',
    '::ffff:10.2.0.1',
    '64:ff9b::10.1.0.1',
  ];
  for (const address of others)
    test(`does not allow ${address}`, () => assert.ok(isForbidden(address, rules)));

  test('of something else is refused', () => assert.throws(() => networkRules(['intranet'], false)));
});

/** However a number is written, the URL parser makes the address of it that is then vetted. */
suite('a spelling of a forbidden number', () => {
  const spellings = [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://127.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://0X7F.0x0.0x0.0x1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.0.0.1./',
    'http://%31%32%37.0.0.1/',
    'http://１２７.０.０.１/',
    'http://127。0。0。1/',
    'http:\\\\127.0.0.1\\',
    'http://0/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::FFFF:7F00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://3232235777/',
    'http://0xa9fea9fe/',
    'https://user@10.0.0.1:8443/path',
  ];
  for (const spelling of spellings) {
    test(spelling, () => {
      const literal = literalAddress(new URL(spelling).hostname);
      assert.ok(literal !== null && isForbidden(literal, onlyPublic), String(literal));
    });
  }
  for (const name of [
    'localhost',
    'localhost.',
    'example.com',
    '127.0.0.1.example.com',
    '1.2.3.4.5.example',
  ]) {
    test(`${name} is a name`, () => assert.equal(literalAddress(new URL(`http://${name}/`).hostname), null));
  }
});

type Answer = {
  readonly code: string | undefined;
  readonly found: string | LookupAddress[];
  readonly family: unknown;
};

function look(resolve: Resolve, { all = true, rules = onlyPublic, name = 'shop.example' } = {}) {
  return new Promise<Answer>((done) => {
    guardedLookup(rules, resolve)(name, { all }, (error, found, family) =>
      done({ code: error?.code, found, family }),
    );
  });
}

suite('a name', () => {
  const one = { address: '93.184.216.34', family: 4 };
  const two = { address: '2606:4700::1', family: 6 };

  test('that is public leads to all of its addresses', async () => {
    const { resolve, asked } = scriptedResolver([one.address, two.address]);
    assert.deepEqual((await look(resolve)).found, [one, two]);
    assert.deepEqual(asked, ['shop.example']);
  });

  test('leads to its first address where one is wanted', async () => {
    const { found, family } = await look(scriptedResolver([one.address, two.address]).resolve, {
      all: false,
    });
    assert.deepEqual([found, family], [one.address, 4]);
  });

  const refused = [
    ['127.0.0.1'],
    ['::1'],
    [one.address, '10.0.0.1'],
    ['169.254.169.254', one.address],
    [one.address, two.address, '::ffff:127.0.0.1'],
  ];
  for (const addresses of refused) {
    for (const all of [true, false]) {
      test(`with ${addresses.join(' and ')} is refused (all: ${all})`, async () => {
        const { code, found } = await look(scriptedResolver(addresses).resolve, { all });
        assert.deepEqual([code, found], ['ADDRESS_FORBIDDEN', []]);
      });
    }
  }

  test('is vetted at each look', async () => {
    const { resolve } = scriptedResolver([one.address], ['127.0.0.1'], [one.address]);
    const lookup = guardedLookup(onlyPublic, resolve);
    const codes = [];
    for (let n = 0; n < 3; n += 1) {
      codes.push(
        await new Promise((done) => lookup('shop.example', { all: true }, (error) => done(error?.code))),
      );
    }
    assert.deepEqual(codes, [undefined, 'ADDRESS_FORBIDDEN', undefined]);
  });

  test('without an address fails', async () =>
    assert.equal((await look(scriptedResolver([]).resolve)).code, 'ENOTFOUND'));

  test('that cannot be resolved fails as the resolver says', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'EAI_AGAIN' }));
    assert.equal((await look(resolve)).code, 'EAI_AGAIN');
  });

  test("of this machine is refused with the system's resolver too", async () =>
    assert.equal((await look(createResolve(), { name: 'localhost' })).code, 'ADDRESS_FORBIDDEN'));
});

suite('of an address that is given, what is known without asking', () => {
  const special = 'must not be an address in a private or otherwise special network';
  const here = 'must not be a name of this machine';
  const other = 'must be an absolute http or https address';
  const rows: readonly [address: string, problem: string | null][] = [
    ['https://shop.example/hook', null],
    ['http://shop.example:8080/hook?a=1', null],
    ['https://8.8.8.8/', null],
    ['https://[2606:4700::1]/', null],
    ['https://localhost.example/', null],
    ['https://notlocalhost/', null],
    // Names that other machines resolve are judged when they are asked.
    ['https://printer.local/', null],
    ['https://intranet/', null],
    ['https://127.0.0.1/', special],
    ['https://0x7f.1/', special],
    ['https://10.0.0.1:8443/', special],
    ['https://169.254.169.254/latest/meta-data/', special],
    ['https://[::1]/', special],
    ['https://[::ffff:7f00:1]/', special],
    ['https://user@192.168.0.1/', special],
    ['https://localhost/', here],
    ['https://LOCALHOST./', here],
    ['https://shop.localhost:3000/', here],
    ['https://a.b.localhost./', here],
    ['', other],
    ['shop.example', other],
    ['/hook', other],
    ['ftp://shop.example/', other],
    ['mailto:zoe@shop.example', other],
    ['https://', other],
    ['https://[fe80::1%25eth0]/', other],
  ];
  for (const [address, problem] of rows) {
    test(`of ${JSON.stringify(address)}: ${problem}`, () =>
      assert.equal(addressProblem(address, onlyPublic), problem));
  }

  test('follows the rules', () => {
    for (const host of ['localhost', 'shop.localhost', '127.0.0.1', '[::1]']) {
      assert.equal(addressProblem(`http://${host}/`, withLoopback), null);
    }
    assert.equal(addressProblem('http://10.0.0.1/', withLoopback), special);
    const listed = networkRules(['10.0.0.0/8', '127.0.0.1/32'], false);
    assert.equal(addressProblem('http://10.0.0.1/', listed), null);
    assert.equal(addressProblem('http://localhost/', listed), null, 'one of its addresses is allowed');
    assert.equal(
      addressProblem('http://localhost/', networkRules(['::1/128'], false)),
      null,
      'the other one',
    );
    assert.equal(addressProblem('http://192.168.0.1/', listed), special);
  });
});
