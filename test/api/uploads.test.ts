/** Uploads at once: there are only so many, and who goes away in the midst of one leaves the place to others. */
import assert from 'node:assert/strict';
import { type ClientRequest, request } from 'node:http';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { withUpload } from '../../src/http/upload.ts';
import { startService } from '../support/service.ts';
import { camt, configure, upload } from './bank.ts';
import { assertRefused, succeeded, until } from './shop.ts';

const service = await startService({ after });
const { authorization } = service.key;
await configure(service);
const content = Buffer.from(camt([{ amount: 17 }]));

type Begun = { readonly sent: ClientRequest; readonly status: Promise<number | undefined> };

/** Sends all of the statement but its end. */
function begin(): Begun {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const headers = { authorization, 'content-length': content.length };
  const sent = request(`${service.url}/v3/bank_statement`, { method: 'POST', headers }, (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  sent.on('error', () => resolve(undefined));
  sent.write(content.subarray(0, -10));
  return { sent, status: promise };
}

/** The answer to one more, once all places are taken. */
async function isFull() {
  const answer = await upload(service, camt([{ amount: 18 }]));
  if (answer.status !== 503) return null;
  return answer;
}

test('more than four are refused, until one of them has ended', async () => {
  const begun = [begin(), begin(), begin(), begin()];
  const answer = await until(isFull);
  assertRefused(answer, { status: 503, message: 'BANK_STATEMENT.IMPORT.UNAVAILABLE', errors: [[101]] });
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  for (const { sent } of begun) sent.end(content.subarray(-10));
  assert.deepEqual(await Promise.all(begun.map(({ status }) => status)), [200, 200, 200, 200]);
  succeeded(await upload(service, content));
});

test('those that are broken off are none any more', async () => {
  const begun = [begin(), begin(), begin(), begin()];
  await until(isFull);
  for (const { sent } of begun) sent.destroy();
  await until(async () => (await upload(service, content)).status === 200);
});

test('one that was broken off before anybody read it ends as well', async () => {
  for (const isGone of [true, false]) {
    const raw = new Readable({ read() {} });
    raw.on('error', () => {});
    if (isGone) raw.destroy();
    const upload = withUpload({ raw, headers: {} } as unknown as FastifyRequest, 10, async () => {});
    if (!isGone) raw.destroy(new Error('the client has gone'));
    await assert.rejects(upload);
  }
});
