/** Answers that need no session: errors of the database and of ours, and stylesheets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { TOKEN_SECRET_LENGTH, tokenOf } from '../../src/checkout/token.ts';
import { newId, randomText } from '../../src/lib/id.ts';
import { accentSheet } from '../../src/pages/accent.ts';
import type { PageDependencies } from '../../src/pages/dependencies.ts';
import { createPayerPages } from '../../src/pages/payer-pages.ts';
import { pageRoutes } from '../../src/pages/routes.ts';
import { DamagedRow, StoreClosed, StoreUnavailable } from '../../src/store/errors.ts';

function appOf(fetch: () => Promise<never>) {
  const app = fastify();
  const dependencies = {
    checkoutUrl: 'https://pay.example.com',
    store: { checkouts: { fetch } },
    rails: [],
  } as unknown as PageDependencies;
  app.register(async (pages) =>
    pageRoutes(pages, dependencies, createPayerPages(dependencies), {
      waitOf: () => 0,
      found: () => undefined,
    }),
  );
  return app;
}

/** The answer to a payer where each look at the database ends so. */
async function answerTo(error: Error) {
  const app = appOf(() => Promise.reject(error));
  const secret = randomText(TOKEN_SECRET_LENGTH);
  const token = tokenOf({ account: 1, mode: 'test' }, newId('chk', Date.now()), secret);
  const { statusCode, headers, body } = await app.inject(`/transaction/${token}`);
  await app.close();
  return { statusCode, retryAfter: headers['retry-after'], body };
}

test('a database that cannot serve now is said to be worth another try, and a mistake of ours is not', async () => {
  const full = await answerTo(new StoreUnavailable('the disk is full'));
  assert.deepEqual([full.statusCode, full.retryAfter], [503, '1']);
  const closed = await answerTo(new StoreClosed());
  assert.deepEqual([closed.statusCode, closed.retryAfter], [503, '1']);
  const damaged = await answerTo(new DamagedRow('the row chk_1 is not what was written'));
  assert.deepEqual([damaged.statusCode, damaged.retryAfter], [503, '60']);
  const broken = await answerTo(new TypeError('x is not a function'));
  assert.deepEqual([broken.statusCode, broken.retryAfter], [500, undefined]);
  for (const { body } of [full, closed, damaged, broken]) {
    assert.match(body, /<h1>Something went wrong/);
    assert.doesNotMatch(body, /disk|closed|row|function/);
  }
});

test('a stylesheet of a color is kept for good at the address that names its content, and nowhere else', async (t) => {
  const app = appOf(() => assert.fail('no session is asked for'));
  t.after(() => app.close());
  const { path, body: css } = accentSheet('#e8590c');
  const { statusCode, headers, body } = await app.inject(path);
  assert.deepEqual([statusCode, body], [200, css.toString()]);
  assert.match(String(headers['content-type']), /^text\/css/);
  assert.match(String(headers['cache-control']), /immutable/);
  const others = ['e8590d', 'E8590C', 'e8590', 'red'].map((color) => path.replace('e8590c', color));
  for (const other of [
    ...others,
    path.replace(/[0-9a-f]{16}/, '0'.repeat(16)),
    `${path}?x`,
    '/assets/x.css',
  ]) {
    assert.equal((await app.inject(other)).statusCode, 404, other);
  }
});
