/** Names, as a real resolver asks a DNS that the test speaks for. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Resolve } from '../../src/webhooks/guard.ts';
import { hostsFileOf } from '../../src/webhooks/resolve.ts';
import { delivery, receiver, scriptedResolver, sender } from './build.ts';
import { dnsServer, resolverWith } from './build-dns.ts';

const NOW = Date.parse('2030-01-31T12:00:00Z');
const v4 = { address: '93.184.216.34', family: 4 };
const v6 = { address: '2606:4700::1', family: 6 };
const both = (_name: string, family: 4 | 6) => [family === 6 ? v6.address : v4.address];

async function codeOf(resolving: ReturnType<Resolve>): Promise<unknown> {
  return resolving.then(
    () => 'resolved',
    (error: NodeJS.ErrnoException) => error.code,
  );
}

// Their tests wait for most of their time, so they do that side by side.
suite('a name of the DNS', { concurrency: true }, () => {
  test('has the addresses of both families', async (t) => {
    const { servers, asked } = await dnsServer(t, both);
    for (const name of ['shop.example', 'Shop.Example.']) {
      assert.deepEqual(await resolverWith({ servers })(name), [v6, v4]);
    }
    assert.deepEqual(asked.toSorted(), [
      'shop.example 4',
      'shop.example 4',
      'shop.example 6',
      'shop.example 6',
    ]);
  });

  test('may have several of one family, and none of the other', async (t) => {
    const { servers } = await dnsServer(t, (_name, family) =>
      family === 4 ? ['93.184.216.34', '1.1.1.1'] : [],
    );
    assert.deepEqual(await resolverWith({ servers })('shop.example'), [
      v4,
      { address: '1.1.1.1', family: 4 },
    ]);
  });

  test('is resolved although nobody answers for one of the families, before all time is up', async (t) => {
    const { servers } = await dnsServer(t, (name, family) =>
      family === 6 || name.startsWith('hangs') ? 'hangs' : [v4.address],
    );
    const hanging = codeOf(resolverWith({ servers, limitMs: 3_000 })('hangs.example'));
    assert.deepEqual(await Promise.race([hanging, resolverWith({ servers })('shop.example')]), [v4]);
    await hanging;
  });

  test('is resolved although a packet is lost', async (t) => {
    const { servers } = await dnsServer(t, (name, family, before) =>
      before === 0 ? 'hangs' : both(name, family),
    );
    assert.deepEqual(await resolverWith({ servers })('shop.example'), [v6, v4]);
  });

  test('is asked for each time: what was public may have become something else', async (t) => {
    const { servers } = await dnsServer(t, (_name, family, before) =>
      family === 6 ? [] : [before === 0 ? v4.address : '10.0.0.1'],
    );
    const resolve = resolverWith({ servers });
    assert.deepEqual(await resolve('shop.example'), [v4]);
    assert.deepEqual(await resolve('shop.example'), [{ address: '10.0.0.1', family: 4 }]);
  });
});

suite('a DNS that does not answer', { concurrency: true }, () => {
  const hangs = (name: string) => name.startsWith('hangs');
  const names = Array.from({ length: 20 }, (_, n) => `hangs${n}.example`);

  test('is waited for until the limit', async (t) => {
    const { servers } = await dnsServer(t, () => 'hangs');
    const ended: number[] = [];
    const waiting = [1_000, 50].map(async (limitMs) => {
      const code = await codeOf(resolverWith({ servers, limitMs })('shop.example'));
      ended.push(limitMs);
      return code;
    });
    assert.deepEqual(await Promise.all(waiting), ['EAI_AGAIN', 'EAI_AGAIN']);
    assert.deepEqual(ended, [50, 1_000]);
  });

  test('for twenty names does not hold up another', async (t) => {
    const { servers, asked } = await dnsServer(t, (name, family) =>
      hangs(name) ? 'hangs' : both(name, family),
    );
    const resolve = resolverWith({ servers, limitMs: 1_500 });
    let settled = 0;
    const hanging = names.map((name) => codeOf(resolve(name)).finally(() => settled++));
    assert.deepEqual(await resolve('shop.example'), [v6, v4]);
    assert.equal(settled, 0, 'the others still wait');
    assert.ok(names.every((name) => asked.includes(`${name} 4`) && asked.includes(`${name} 6`)));
    assert.deepEqual(
      new Set(await Promise.all(hanging)),
      new Set(['EAI_AGAIN']),
      'and none of them waits for ever',
    );
  });

  test('for twenty names does not hold up a delivery to another', async (t) => {
    const { port } = await receiver(t, (response) => response.end());
    const { servers } = await dnsServer(t, (name, family) =>
      hangs(name) ? 'hangs' : family === 4 ? ['127.0.0.1'] : [],
    );
    const { send } = sender(t, { resolve: resolverWith({ servers, limitMs: 1_500 }) });
    let settled = 0;
    const hanging = names.map((name) =>
      send(delivery(`http://${name}:${port}/`), NOW).finally(() => settled++),
    );
    assert.equal((await send(delivery(`http://shop.example:${port}/`), NOW)).outcome, 'delivered');
    assert.equal(settled, 0);
    const errors = new Set((await Promise.all(hanging)).map(({ error }) => error));
    assert.deepEqual(errors, new Set(['name not resolved']));
  });
});

suite('the system', () => {
  const own = [
    'shop',
    'shop.',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'shop.localhost',
    'printer.local',
    'PRINTER.local.',
  ];
  for (const name of own) {
    test(`is asked for ${name}, and the DNS is not`, async (t) => {
      const { servers, asked } = await dnsServer(t, both);
      const system = scriptedResolver(['192.168.0.1']);
      const found = await resolverWith({ servers, system: system.resolve })(name);
      assert.deepEqual(found, [{ address: '192.168.0.1', family: 4 }]);
      assert.deepEqual([system.asked, asked], [[name], []]);
    });
  }

  for (const answer of ['unknown', [], 'refuses'] as const) {
    test(`is asked for a name to which the DNS says ${JSON.stringify(answer)}`, async (t) => {
      const { servers } = await dnsServer(t, () => answer);
      const system = scriptedResolver(['10.1.2.3']);
      const found = await resolverWith({ servers, system: system.resolve })('shop.namespace');
      assert.deepEqual(found, [{ address: '10.1.2.3', family: 4 }]);
      assert.deepEqual(system.asked, ['shop.namespace']);
      assert.equal(await codeOf(resolverWith({ servers })('shop.namespace')), 'ENOTFOUND');
    });
  }

  test('is asked where there is no DNS', async () => {
    // Port 1 is where nobody listens.
    const system = scriptedResolver(['10.1.2.3']);
    const resolve = resolverWith({ servers: ['127.0.0.1:1'], system: system.resolve });
    assert.deepEqual(await resolve('shop.example'), [{ address: '10.1.2.3', family: 4 }]);
    assert.deepEqual(system.asked, ['shop.example']);
  });

  for (const [what, answer] of [
    ['fails', () => 'fails'],
    ['hangs', () => 'hangs'],
    ['fails for one family', (_name, family) => (family === 4 ? 'fails' : 'unknown')],
  ] as const satisfies readonly [string, Parameters<typeof dnsServer>[1]][]) {
    test(`is not asked where the DNS ${what}: it would wait for the same`, async (t) => {
      const { servers } = await dnsServer(t, answer);
      const system = scriptedResolver(['10.1.2.3']);
      const resolve = resolverWith({ servers, system: system.resolve, limitMs: 200 });
      assert.equal(await codeOf(resolve('shop.example')), 'EAI_AGAIN');
      assert.deepEqual(system.asked, []);
    });
  }

  for (const name of ['a..example', `${'a'.repeat(64)}.example`]) {
    test(`is not asked for what is no name: ${name}`, async (t) => {
      const { servers, asked } = await dnsServer(t, both);
      const system = scriptedResolver(['10.1.2.3']);
      const resolve = resolverWith({ servers, system: system.resolve });
      assert.equal(await codeOf(resolve(name)), 'ENOTFOUND');
      assert.deepEqual([system.asked, asked], [[], []]);
    });
  }

  test('is asked for one unknown name at a time, and its own names need not wait for them', async (t) => {
    const { servers } = await dnsServer(t, () => 'unknown');
    const first = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const counts = { asked: 0, underWay: 0, most: 0 };
    const resolve = resolverWith({
      servers,
      async system(name) {
        if (name === 'shop') return [v4];
        counts.asked += 1;
        counts.underWay += 1;
        counts.most = Math.max(counts.most, counts.underWay);
        first.resolve();
        await release.promise;
        await setImmediate();
        counts.underWay -= 1;
        return [v6];
      },
    });
    const slow = [1, 2, 3].map((n) => resolve(`slow${n}.example`));
    await first.promise;
    assert.deepEqual(await resolve('shop'), [v4]);
    release.resolve();
    assert.deepEqual(await Promise.all(slow), [[v6], [v6], [v6]]);
    assert.deepEqual(counts, { asked: 3, underWay: 0, most: 1 });
  });

  test('is asked for the next name although it did not know the one before', async (t) => {
    const { servers } = await dnsServer(t, () => 'unknown');
    const resolve = resolverWith({
      servers,
      async system(name) {
        if (name === 'lost.example') throw Object.assign(new Error('lost'), { code: 'ENOTFOUND' });
        return [v4];
      },
    });
    assert.equal(await codeOf(resolve('lost.example')), 'ENOTFOUND');
    assert.deepEqual(await resolve('shop.example'), [v4]);
  });

  test('is not asked any more for a name that has waited too long for its turn', async (t) => {
    const { servers } = await dnsServer(t, () => 'unknown');
    const limitMs = 50;
    let asked = 0;
    const resolve = resolverWith({
      servers,
      limitMs,
      async system() {
        asked += 1;
        return setTimeout(2 * limitMs, [v6]);
      },
    });
    const codes = await Promise.all(['a', 'b', 'c'].map((name) => codeOf(resolve(`${name}.example`))));
    assert.deepEqual(codes.toSorted(), ['EAI_AGAIN', 'EAI_AGAIN', 'resolved']);
    assert.equal(asked, 1);
  });
});

suite('the hosts file', () => {
  test('is where the system has it', () => {
    for (const [platform, systemRoot, file] of [
      ['linux', undefined, '/etc/hosts'],
      ['darwin', undefined, '/etc/hosts'],
      ['win32', undefined, 'C:\\Windows\\System32\\drivers\\etc\\hosts'],
      ['win32', 'D:\\Win', 'D:\\Win\\System32\\drivers\\etc\\hosts'],
    ] as const) {
      assert.equal(hostsFileOf(platform, systemRoot), file);
    }
  });

  test('goes before the DNS, and is read again when it has changed', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'opentill-hosts-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const hostsFile = join(folder, 'hosts');
    const { servers } = await dnsServer(t, both);
    const system = scriptedResolver(['10.1.2.3']);
    const resolve = resolverWith({ servers, system: system.resolve, hostsFile });

    assert.deepEqual(await resolve('shop.example'), [v6, v4], 'there is none yet');
    writeFileSync(
      hostsFile,
      '# 10.1.2.3 www.example\r\n10.1.2.3\tApi.Example  shop.example # www.example\r\n',
    );
    utimesSync(hostsFile, 1, 1);
    for (const name of ['shop.example', 'SHOP.example.', 'api.example']) {
      assert.deepEqual(await resolve(name), [{ address: '10.1.2.3', family: 4 }], name);
    }
    assert.deepEqual(await resolve('www.example'), [v6, v4], 'what stands in a comment is not there');
    writeFileSync(hostsFile, '');
    utimesSync(hostsFile, 2, 2);
    assert.deepEqual(await resolve('shop.example'), [v6, v4]);
  });
});
