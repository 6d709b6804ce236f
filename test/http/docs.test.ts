/** The API document and the reference, as the service serves them; `docs-in-browser.test.ts` reads them. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { eventTypes } from '../../src/events/types.ts';
import { DOCUMENTED_URL } from '../../src/http/docs.ts';
import { errorTable } from '../../src/http/error-table.ts';
import { resources } from '../../src/http/schemas/answers.ts';
import { readDocument } from '../api/document.ts';
import { launchBrowser } from '../support/browser.ts';
import { startService } from '../support/service.ts';

const publicUrl = 'https://pay.shop.example/till';
const service = await startService({ after }, { env: { PUBLIC_URL: publicUrl } });
const documents = { '/openapi.json': 'application/json', '/docs': 'text/html', '/docs/errors': 'text/html' };

type Got = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer };

/** Requests without decompression, which `fetch` would do. */
function get(path: string, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = request(`${service.url}${path}`, { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
      );
    });
    asked.on('error', reject).end();
  });
}

for (const [path, type] of Object.entries(documents)) {
  suite(path, () => {
    test('is compressed for clients that accept it', async () => {
      const plain = await get(path);
      assert.equal(plain.status, 200);
      assert.equal(plain.headers['content-type'], `${type}; charset=utf-8`);
      assert.equal(plain.headers['content-encoding'], undefined);
      for (const accepted of ['gzip', 'br;q=1, gzip;q=0.5', 'deflate,  GZIP']) {
        const packed = await get(path, { 'accept-encoding': accepted });
        assert.equal(packed.headers['content-encoding'], 'gzip', accepted);
        assert.equal(packed.headers.vary, 'accept-encoding');
        assert.deepEqual(gunzipSync(packed.body), plain.body);
      }
      for (const refused of ['br', 'gzip;q=0', 'gzip;q=0.000', 'x-gzip']) {
        assert.deepEqual((await get(path, { 'accept-encoding': refused })).body, plain.body, refused);
      }
    });

    test('is not sent again to clients that have it', async () => {
      const { etag } = (await get(path)).headers;
      const again = await get(path, { 'if-none-match': String(etag) });
      assert.deepEqual([again.status, again.body.length], [304, 0]);
      assert.equal((await get(path, { 'if-none-match': 'W/"other"' })).status, 200);
    });

    test('names the address of this service', async () => {
      const text = (await get(path)).body.toString();
      assert.equal(text.includes(DOCUMENTED_URL), false);
      if (path !== '/docs/errors') assert.ok(text.includes(publicUrl));
    });

    test('may load nothing, and run nothing', async () => {
      const policy = String((await get(path)).headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; /);
      assert.doesNotMatch(policy, /script-src|connect-src|unsafe|https?:|\*/);
    });
  });
}

test('the root leads to the reference, under whatever path a proxy puts it', async () => {
  for (const [path, target] of [
    ['/', '/docs'],
    ['/docs/', '/docs'],
  ] as const) {
    const { status, headers } = await get(path);
    assert.equal(status, 302);
    const from = new URL(`/till${path}`, publicUrl);
    assert.equal(new URL(String(headers.location), from).pathname, `/till${target}`);
  }
});

suite('the reference in a browser', async () => {
  const browser = await launchBrowser();
  after(() => browser.close());

  test('its policy allows its style sheet, and every link has a target', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    for (const path of ['/docs', '/docs/errors']) {
      await page.goto(`${service.url}${path}`);
      assert.equal(await page.evaluate('getComputedStyle(document.body).margin'), '0px');
    }
    assert.deepEqual(complaints, []);
    await context.close();

    const pages = new Map<string, string>();
    const textOf = async (path: string) => {
      if (!pages.has(path)) {
        const { status, body } = await get(path);
        assert.equal(status, 200, path);
        pages.set(path, body.toString());
      }
      return pages.get(path) ?? '';
    };
    for (const from of ['/docs', '/docs/errors']) {
      const links = [...(await textOf(from)).matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(
        ([, link]) => link ?? '',
      );
      assert.ok(links.length > 20);
      for (const link of new Set(links)) {
        const { pathname, hash, origin } = new URL(link, `${service.url}${from}`);
        assert.equal(origin, service.url, link);
        const target = await textOf(pathname);
        if (hash !== '') assert.ok(target.includes(`id="${decodeURIComponent(hash.slice(1))}"`), link);
      }
    }
  });

  test('it has every operation, event, resource and reason', async () => {
    const reference = (await get('/docs')).body.toString();
    const document = JSON.parse((await get('/openapi.json')).body.toString());
    const ids = [
      ...readDocument(document).operations.map(({ spec }) => spec.operationId),
      ...eventTypes.map((type) => `webhook-${type}`),
      ...Object.keys(resources),
    ];
    assert.deepEqual(
      ids.filter((id) => !reference.includes(`<article id="${id}"`)),
      [],
    );
    const errors = (await get('/docs/errors')).body.toString();
    assert.deepEqual(
      Object.keys(errorTable).filter((reason) => !errors.includes(`<section id="${reason}"`)),
      [],
    );
    // The path of a request, its method and a provider's signature belong to no operation.
    const unlisted = ['bad_path', 'method_not_allowed', 'bad_signature'];
    assert.deepEqual(
      Object.keys(errorTable).filter((reason) => !reference.includes(`href="docs/errors#${reason}"`)),
      unlisted,
    );
  });
});
