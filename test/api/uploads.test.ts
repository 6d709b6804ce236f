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

const LARGEST_BYTES = 64 * 2 ** 20;

/** Sends the beginning of what says that it is as large as an upload may be. */
function begin(): ClientRequest {
  const headers = { authorization, 'content-length': LARGEST_BYTES };
  const sent = request(`${service.url}/v3/bank_statement`, { method: 'POST', headers }, (response) =>
    response.resume(),
  );
  sent.on('error', () => {});
  sent.write(content.subarray(0, -10));
  return sent;
}

/** The answer to one more, once all places are taken. */
async function isFull() {
  const answer = await upload(service, camt([{ amount: 18 }]));
  if (answer.status !== 503) return null;
  return answer;
}

test('more than fit into the temporary folder together are refused, until those before are broken off', async () => {
  const begun = [begin(), begin(), begin(), begin()];
  const answer = await until(isFull);
  assertRefused(answer, { status: 503, message: 'BANK_STATEMENT.IMPORT.UNAVAILABLE', errors: [[101]] });
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  for (const sent of begun) sent.destroy();
  await until(async () => (await upload(service, content)).status === 200);
});

test('small ones are taken in many at once', async () => {
  const uploads = Array.from({ length: 20 }, (_, n) => upload(service, camt([{ amount: 100 + n }])));
  for (const answer of await Promise.all(uploads)) succeeded(answer);
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
