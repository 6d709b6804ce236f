/** The logo over the API: which images are taken, and what payers, other keys and repetitions see of them. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { logoFacts, MAX_LOGO_BYTES } from '../../src/accounts/logo.ts';
import { BODY_LIMIT_BYTES } from '../../src/http/body.ts';
import { contentsOf } from '../support/database.ts';
import { jpeg, png } from '../support/image.ts';
import { startService } from '../support/service.ts';
import { assertRefused, createSession, succeeded, writesNothing } from './shop.ts';

// The clock stands still: the worker has nothing to write while a request is shown to write nothing.
const startedAt = Date.now();
const service = await startService({ after }, { realNow: () => startedAt, pollMs: 20 });
const { call, url, key, account } = service;
const { store } = service.service;
const test1 = { account: account.number, mode: 'test' } as const;

const put = (body: unknown, headers: Record<string, string> = {}) =>
  call('PUT', '/v3/logo', { body, headers });
const remove = (headers: Record<string, string> = {}) => call('DELETE', '/v3/logo', { headers });
const nameOf = async (mode: 'test' | 'live' = 'test') =>
  (await store.accounts.fetch(account.number))?.logos[mode];

async function fetched(headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/v3/logo`, {
    headers: { authorization: key.authorization, ...headers },
  });
  const { status } = response;
  return {
    status,
    type: response.headers.get('content-type'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** The account has this logo, and no other. */
async function begin(image: Buffer | null = null): Promise<void> {
  const { status } = image === null ? await remove() : await put(image);
  assert.ok([200, 201, 204, 404].includes(status), String(status));
}

suite('a logo', () => {
  test('is what was sent, byte for byte, and another one takes its place', async () => {
    await begin();
    const image = png({ width: 320, height: 96 });
    const first = await put(image);
    assert.equal(first.headers.get('location'), '/v3/logo');
    const shown = { object: 'logo', media_type: 'image/png', width: 320, height: 96, bytes: image.length };
    assert.deepEqual(succeeded(first, 201), shown);
    assert.deepEqual(await fetched(), { status: 200, type: 'image/png', bytes: image });
    const second = await put(jpeg({ width: 640, height: 480 }), { 'content-type': 'Image/JPEG; q=1' });
    assert.equal(second.headers.get('location'), null);
    assert.deepEqual(succeeded(second), {
      object: 'logo',
      media_type: 'image/jpeg',
      width: 640,
      height: 480,
      bytes: jpeg().length,
    });
    assert.deepEqual(await fetched(), {
      status: 200,
      type: 'image/jpeg',
      bytes: jpeg({ width: 640, height: 480 }),
    });
  });

  test('that is there already changes nothing', async () => {
    await begin(png());
    const answer = await writesNothing(service, () => put(png()));
    assert.equal(succeeded(answer).media_type, 'image/png');
  });

  test('is gone when it was removed, which is nothing to remove again', async () => {
    await begin(png());
    const { status, text, headers } = await remove();
    assert.deepEqual([status, text, headers.get('content-type')], [204, '', null]);
    assert.equal(await nameOf(), null);
    assert.equal(await store.logos.fetch(test1), null);
    assert.equal((await fetched()).status, 404);
    const refusal = { status: 404, message: 'LOGO.DELETE.NOT_FOUND', errors: [[105]] } as const;
    assertRefused(await writesNothing(service, () => remove()), refusal);
  });

  test('is of one account and mode', async () => {
    await begin(png());
    const neighbour = await store.accounts.create(
      { name: 'Neighbour', webhookSecrets: account.webhookSecrets, testClockOffsetMs: 0 },
      Date.now(),
    );
    const keys = [
      await service.createKey({ mode: 'live' }),
      await service.createKey({ account: neighbour.number }),
    ];
    for (const [index, { authorization }] of keys.entries()) {
      assert.equal((await fetched({ authorization })).status, 404);
      assert.equal((await remove({ authorization })).status, 404);
      const own = png({ width: 10 + index });
      assert.equal((await put(own, { authorization })).status, 201);
      assert.deepEqual((await fetched({ authorization })).bytes, own);
    }
    assert.deepEqual((await fetched()).bytes, png());
    assert.notEqual(await nameOf('live'), await nameOf());
    assert.equal((await remove({ authorization: keys[0]?.authorization ?? '' })).status, 204);
    assert.equal(await nameOf('live'), null);
    assert.deepEqual((await fetched()).bytes, png());
  });

  test('is answered to whoever takes its kind of image, or JSON', async () => {
    await begin(png());
    const accepted = [
      'image/png',
      'image/*',
      'image/jpeg',
      '*/*',
      'application/json',
      'text/html, image/png;q=0.1',
    ];
    for (const accept of accepted) assert.equal((await fetched({ accept })).status, 200, accept);
    for (const accept of ['image/gif', 'text/html', 'image/png;q=0']) {
      assert.equal((await fetched({ accept })).status, 406, accept);
    }
  });

  test('leaves a line in the log of changes, without the image', async () => {
    await begin(png());
    await remove();
    const { json } = await call('GET', '/v3/audit?limit=2');
    const lines = json.data.map(({ action, subject, actor }: Record<string, unknown>) => [
      action,
      subject,
      actor,
    ]);
    assert.deepEqual(lines, [
      ['remove_logo', 'account', key.id],
      ['set_logo', 'account', key.id],
    ]);
    for (const [table, rows] of await contentsOf(service.database)) {
      if (table !== 'logo') assert.ok(!rows.includes(png().toString('base64').slice(0, 60)), table);
    }
  });
});

suite('what is no logo', () => {
  const refused = async (body: unknown, detail: string, headers: Record<string, string> = {}) => {
    const answer = await writesNothing(service, () => put(body, headers));
    assertRefused(answer, { status: 400, message: 'LOGO.SET.FIELD_INVALID', errors: [[15502, '']] });
    assert.equal(answer.json.errors[0].message, `The body ${detail}.`);
  };

  test('is refused with what is wrong', async () => {
    await begin(png());
    await refused(Buffer.alloc(0), 'is empty');
    await refused(png().subarray(0, -1), 'ends too early: it was cut off');
    await refused(Buffer.concat([png(), Buffer.from('x')]), 'goes on behind the end of its image');
    await refused(jpeg(), 'is image/jpeg, but is declared as image/png', { 'content-type': 'image/png' });
    await refused(png(), 'is image/png, but is declared as image/jpeg', { 'content-type': 'image/jpeg' });
    await refused(png({ width: 1001 }), 'has 1001 × 32 pixels, but may have 1000 × 1000');
    for (const text of ['GIF89a', '<svg/>'])
      await refused(Buffer.from(text), 'must be a PNG or JPEG image, and begins as neither');
    assert.deepEqual((await fetched()).bytes, png());
  });

  test('is refused with all that is wrong', async () => {
    const answer = await put(jpeg({ width: 0, height: 1001 }), { 'content-type': 'image/png' });
    assertRefused(answer, {
      status: 400,
      message: 'LOGO.SET.FIELD_INVALID',
      errors: [
        [15502, ''],
        [15502, ''],
        [15502, ''],
      ],
    });
  });

  test('is refused where it is no body, or of a type that is declared otherwise', async () => {
    const none = await fetch(`${url}/v3/logo`, {
      method: 'PUT',
      headers: { authorization: key.authorization },
    });
    assert.equal(none.status, 400);
    for (const type of [
      'image/gif',
      'image/svg+xml',
      'application/json',
      'application/octet-stream',
      'image',
    ]) {
      const answer = await writesNothing(service, () => put(png(), { 'content-type': type }));
      assertRefused(answer, { status: 415, message: 'LOGO.SET.UNSUPPORTED_MEDIA_TYPE', errors: [[117]] });
    }
    const { json } = await put(png(), { 'content-type': 'image/gif' });
    assert.equal(json.errors[0].message, 'The request body must be image/png or image/jpeg.');
  });

  test('is refused where it is too long', async () => {
    const largest = png({ padding: MAX_LOGO_BYTES - png().length - 12 });
    assert.ok((await put(largest)).status < 300);
    assert.deepEqual((await fetched()).bytes, largest);
    const longer = await writesNothing(service, () =>
      put(png({ padding: MAX_LOGO_BYTES - png().length - 11 })),
    );
    assertRefused(longer, { status: 413, message: 'LOGO.SET.TOO_LARGE', errors: [[116, '']] });
    assert.equal(longer.json.errors[0].message, 'The body has 65537 bytes, but may have 65536.');
    const longest = await put(Buffer.alloc(BODY_LIMIT_BYTES + 1));
    assertRefused(longest, { status: 413, message: 'LOGO.SET.TOO_LARGE', errors: [[116]] });
  });
});

suite('requests that are repeated or meet each other', () => {
  test('have the same answer under the same key, and none with another image', async () => {
    await begin();
    const once = { 'idempotency-key': 'logo-1' };
    const first = await put(png(), once);
    const again = await writesNothing(service, () => put(png(), once));
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const other = await writesNothing(service, () => put(png({ width: 5 }), once));
    assertRefused(other, { status: 422, message: 'LOGO.SET.KEY_REUSED', errors: [[19031]] });
    const gone = { 'idempotency-key': 'logo-2' };
    for (const replayed of [null, 'true']) {
      const { status, text, headers } = await remove(gone);
      assert.deepEqual([status, text, headers.get('idempotent-replayed')], [204, '', replayed]);
    }
  });

  test('leave one image under its own name, however many come at once', async () => {
    for (let round = 0; round < 5; round++) {
      await begin(png({ color: '#000000' }));
      const images = Array.from({ length: 8 }, (_, index) => png({ width: 10 + index }));
      const answers = await Promise.all([...images.map((image) => put(image)), remove(), remove()]);
      assert.ok(answers.every(({ status }) => [200, 201, 204, 404].includes(status)));
      const row = await store.logos.fetch(test1);
      const name = await nameOf();
      assert.equal(row?.name ?? null, name);
      if (row === null) continue;
      const { bytes } = await fetched();
      assert.deepEqual(bytes, images[logoFacts(row.name).width - 10]);
    }
  });

  test('never leave a page without an image for longer than it takes to look again', async () => {
    await begin(png());
    const session = await createSession(service);
    const look = async () => {
      const page = await (await fetch(session.url)).text();
      const [, path = ''] = / src="([^"]+\/logo\/[^"]+)"/.exec(page) ?? [];
      const { status } = await fetch(url + path);
      // Whoever has the page of a moment ago may find the image gone.
      assert.ok(status === 200 || status === 404, String(status));
      return status;
    };
    const changing = Promise.all(Array.from({ length: 20 }, (_, index) => put(png({ width: 10 + index }))));
    await Promise.all(Array.from({ length: 20 }, look));
    await changing;
    assert.equal(await look(), 200);
  });
});
