/** Uploads at once: there are only so many, and who goes away in the midst of one leaves the place to others. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { after, suite, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { RequestError } from '../../src/http/errors.ts';
import { createUploads } from '../../src/http/upload.ts';
import { startService } from '../support/service.ts';
import { mockTimers } from '../support/timers.ts';
import { camt, configure, upload } from './bank.ts';
import { assertRefused, succeeded, writesNothing } from './shop.ts';

const service = await startService({ after });
const { authorization } = service.key;
await configure(service);
const content = Buffer.from(camt([{ amount: 17 }]));

const tenant = { account: 1, mode: 'live' } as const;
const trial = { account: 2, mode: 'test' } as const;

/** An upload of which the test decides when it goes on. */
function begin(withUpload: ReturnType<typeof createUploads>, of: Tenant = tenant) {
  const raw = new Readable({ read() {} });
  raw.on('error', () => {});
  const request = { raw, headers: {} } as unknown as FastifyRequest;
  const result = withUpload(request, of, 1_000, async ({ hash }) => hash);
  result.catch(() => {});
  return { raw, result };
}

/** Waits for as long as a file takes to be written and removed. */
async function aWhile(withUpload: ReturnType<typeof createUploads>): Promise<void> {
  const { raw, result } = begin(withUpload);
  raw.push(null);
  await result;
}

/** Refused as something that may be asked again in a few seconds. */
const refusedAs = (reason: string) => (error: unknown) =>
  error instanceof RequestError && error.reason === reason && error.headers['retry-after'] === '5';

test('idle uploads of one merchant hold up nobody, however large they say they are', async () => {
  const begun = [1, 2, 3, 4, 5, 6].map(() => {
    const headers = { authorization, 'content-length': 64 * 2 ** 20 };
    const sent = httpRequest(`${service.url}/v3/bank_statement`, { method: 'POST', headers }, (response) =>
      response.resume(),
    );
    sent.on('error', () => {});
    sent.write(content.subarray(0, -10));
    return sent;
  });
  await Promise.all(begun.map((sent) => once(sent, 'socket')));
  succeeded(await upload(service, camt([{ amount: 18 }])));
  for (const sent of begun) sent.destroy();
});

test('a merchant has a bounded number of uploads at once, and others have their own', async () => {
  const withUpload = createUploads({ maxOfTenant: 2 });
  const begun = [begin(withUpload), begin(withUpload)];
  await assert.rejects(begin(withUpload).result, refusedAs('rate_limited'));
  const other = begin(withUpload, trial);
  for (const { raw, result } of [...begun, other]) {
    raw.push(null);
    await result;
  }
  const next = begin(withUpload);
  next.raw.push(null);
  await next.result;
});

test('test mode never takes the room of live mode', async () => {
  const withUpload = createUploads({ maxUploads: 4, maxBytes: 400 });
  const trials = [begin(withUpload, trial), begin(withUpload, trial)];
  await assert.rejects(begin(withUpload, trial).result, refusedAs('unavailable'));
  const live = [begin(withUpload), begin(withUpload)];
  await assert.rejects(begin(withUpload).result, refusedAs('unavailable'));
  trials[0]?.raw.push(Buffer.alloc(150));
  trials[1]?.raw.push(Buffer.alloc(51));
  await assert.rejects(Promise.race(trials.map(({ result }) => result)), refusedAs('unavailable'));
  for (const { raw, result } of live) {
    raw.push(Buffer.alloc(150));
    raw.push(null);
    await result;
  }
});

test('an upload that stalls is given up', async () => {
  const { result } = begin(createUploads({ stallMs: 20 }));
  await assert.rejects(result, refusedAs('unavailable'));
});

test('all uploads share one rate, and one that waits for its share has not stalled', async (t) => {
  const timers = mockTimers(t, ['setTimeout']);
  const withUpload = createUploads({ stallMs: 50, bytesPerSecond: 1_000 });
  const [first, second] = [begin(withUpload), begin(withUpload)];
  const taken: string[] = [];
  for (const [name, { raw, result }] of Object.entries({ first, second })) {
    raw.push(Buffer.alloc(100));
    raw.push(null);
    void result.then(() => taken.push(name));
  }
  await aWhile(withUpload);
  timers.tick(110);
  await first.result;
  await aWhile(withUpload);
  assert.deepEqual(taken, ['first'], 'a tenth of a second for each');
  timers.tick(100);
  await second.result;
});

test('uploads have eight MiB a second by default', async (t) => {
  const timers = mockTimers(t, ['setTimeout']);
  const content = Readable.from([Buffer.alloc(8 * 2 ** 20)]);
  const request = { raw: content, headers: {} } as unknown as FastifyRequest;
  let isTaken = false;
  const result = createUploads()(request, tenant, 2 ** 30, async () => {
    isTaken = true;
  });
  for (const elapsedMs of [10, 980]) {
    await aWhile(createUploads());
    timers.tick(elapsedMs);
  }
  await aWhile(createUploads());
  assert.equal(isTaken, false);
  timers.tick(20);
  await result;
});

test('small uploads are taken many at once', async () => {
  const uploads = Array.from({ length: 20 }, (_, n) => upload(service, camt([{ amount: 100 + n }])));
  for (const answer of await Promise.all(uploads)) succeeded(answer);
});

test('an upload that was aborted before anybody read it ends as well', async () => {
  for (const isGone of [true, false]) {
    const raw = new Readable({ read() {} });
    raw.on('error', () => {});
    if (isGone) raw.destroy();
    const upload = createUploads()(
      { raw, headers: {} } as unknown as FastifyRequest,
      tenant,
      10,
      async () => {},
    );
    if (!isGone) raw.destroy(new Error('the client has gone'));
    await assert.rejects(upload);
  }
});

suite('too much', () => {
  test('is refused before it is read where it is said', async () => {
    const answer = await writesNothing(service, () => upload(service, Buffer.alloc(65 * 2 ** 20, ' ')));
    const message = 'BANK_STATEMENT.IMPORT.TOO_LARGE';
    assertRefused(answer, { status: 413, message, errors: [[116]] });
  });

  test('is refused where it comes without a length', async () => {
    const status = await writesNothing(service, () => {
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      const headers = { authorization, 'transfer-encoding': 'chunked' };
      const sent = httpRequest(
        `${service.url}/v3/bank_statement`,
        { method: 'POST', headers },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      sent.on('error', reject);
      const piece = Buffer.alloc(2 ** 20, ' ');
      for (let i = 0; i < 65; i++) sent.write(piece);
      sent.end();
      return promise;
    });
    assert.equal(status, 413);
  });
});
