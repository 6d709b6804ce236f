/** Error pages: the database does not serve, or something is broken. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { TOKEN_SECRET_LENGTH, tokenOf } from '../../src/checkout/token.ts';
import { newId, randomText } from '../../src/lib/id.ts';
import { createRateLimiter } from '../../src/lib/rate-limit.ts';
import type { PageDependencies } from '../../src/pages/dependencies.ts';
import { pageRoutes } from '../../src/pages/routes.ts';
import { DamagedRow, StoreClosed, StoreUnavailable } from '../../src/store/errors.ts';

/** The answer to a payer where each look at the database ends so. */
async function answerTo(error: Error) {
  const app = fastify();
  const dependencies = {
    checkoutUrl: 'https://pay.example.com',
    store: { checkouts: { fetch: () => Promise.reject(error) } },
    rails: [],
  } as unknown as PageDependencies;
  app.register(async (pages) => pageRoutes(pages, dependencies, createRateLimiter(0, Date.now)));
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
