/** The API document: complete, and true of what the service answers. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { sample } from '../../scripts/reference/api/examples.ts';
import { eventTypes } from '../../src/events/types.ts';
import { BODY_LIMIT_BYTES } from '../../src/http/body.ts';
import { errorTable } from '../../src/http/error-table.ts';
import { UPLOAD_LIMIT_BYTES } from '../../src/http/routes/bank-statement.ts';
import { png } from '../support/image.ts';
import { routesOf } from '../support/routes.ts';
import { startService } from '../support/service.ts';
import { type DocumentedOperation, isUpload, ofAny, readDocument, takesImage } from './document.ts';
import { operations as matrix } from './every-operation.ts';
import { startReceiver } from './receiver.ts';
import { createSession, type Data, order, pay, WELL_FORMED_ID } from './shop.ts';
import { subjectsOf } from './subjects.ts';

const service = await startService({ after }, { pollMs: 20 });
const { call, url } = service;
const document: Data = (await call('GET', '/openapi.json')).json;

const { operations, follow, assertFits, assertDocumented } = readDocument(document);

/** Answers by status, without references. */
const responsesOf = (spec: Data): Array<[status: string, response: Data]> =>
  Object.entries<Data>(spec.responses).map(([status, response]) => [status, follow(response)]);

suite('the document', () => {
  test('says which body is a file', () => {
    const uploads = operations.filter(({ spec }) => isUpload(spec));
    assert.deepEqual(
      uploads.map(({ path }) => path),
      ['/v3/bank_statement', '/v3/bank_statement/preview'],
    );
    for (const { spec } of uploads) {
      assert.deepEqual(Object.keys(spec.requestBody.content), ['application/octet-stream']);
      assert.equal(spec.requestBody.required, true);
    }
    const images = operations.filter(({ spec }) => takesImage(spec));
    assert.deepEqual(
      images.map(({ method, path }) => `${method} ${path}`),
      ['PUT /v3/logo'],
    );
    const body = images[0]?.spec.requestBody;
    assert.deepEqual(body, {
      description: 'File.',
      required: true,
      content: { 'image/png': { schema: {} }, 'image/jpeg': { schema: {} } },
    });
  });

  test('is OpenAPI 3.1 with what a client needs to begin', () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.equal(document.info.title, 'opentill');
    assert.match(document.info.version, /^\d+\.\d+\.\d+/);
    assert.deepEqual(document.servers, [{ url }]);
    assert.deepEqual(Object.keys(document.components.securitySchemes), ['basic', 'bearer']);
    assert.deepEqual(document.security, [{ basic: [] }, { bearer: [] }]);
  });

  test('has every path of the API, and no other', () => {
    const paths = routesOf(service.service.app).map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
    const served = new Set(paths.filter((path) => path.startsWith('/v3/')));
    assert.deepEqual([...served].sort(), Object.keys(document.paths).sort());
  });

  test('has every code that an answer can have', () => {
    const known = new Set(
      operations.flatMap(({ spec }) =>
        responsesOf(spec).flatMap(([, { content }]) =>
          Object.values<Data>(content?.['application/json']?.examples ?? {}).flatMap((example) =>
            (follow(example).value.errors ?? []).map(({ code }: Data) => code),
          ),
        ),
      ),
    );
    // Errors that belong to no operation: an unreadable path, a wrong method, and provider events.
    const { bad_path, method_not_allowed, bad_signature } = errorTable;
    const outside = new Set<number>([bad_path, method_not_allowed, bad_signature].map(({ code }) => code));
    const missing = Object.values(errorTable).filter(({ code }) => !known.has(code) && !outside.has(code));
    assert.deepEqual(missing, []);
  });

  test('says of every change of what has versions that it can be made for one of them', () => {
    const versioned = operations.filter(
      ({ method, spec }) => method === 'GET' && spec.responses['200'].headers?.ETag,
    );
    const isOfOne = (path: string) =>
      versioned.some((each) => path === each.path || path.startsWith(`${each.path}/`));
    const changes = operations.filter(({ method, path }) => method !== 'GET' && isOfOne(path));
    assert.ok(changes.length > versioned.length);
    for (const { method, path, spec } of changes) {
      const names = (spec.parameters ?? []).map((each: Data) => follow(each).name);
      assert.ok(names.includes('If-Match'), `${method} ${path} takes no If-Match`);
      assert.ok(spec.responses['412'], `${method} ${path} has no 412`);
      assert.equal(names.includes('If-None-Match'), method === 'PUT' && '201' in spec.responses, path);
    }
  });

  test('has no name twice', () => {
    const names = operations.map(({ spec }) => spec.operationId);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^[a-z][A-Za-z]+$/);
  });
});

const schemas = new Map<string, Data>(Object.entries(document.components.schemas));

/** The example of a body: the one that stands with it, or else what the examples of its schema make. */
const exampleOf = ({ schema, example }: Data): unknown => example ?? sample(schema, schemas);

const rowOf = ({ method, path }: DocumentedOperation) =>
  matrix.find((row) => row.method === method && row.path === path);

suite('the key that an operation needs', () => {
  for (const operation of operations) {
    const { method, path, spec } = operation;
    test(`${method} ${path}`, () => {
      const row = rowOf(operation);
      assert.ok(row, 'test/api/every-operation.ts has no row for it');
      assert.ok(!('security' in spec), 'it has a key of its own kind');
      assert.equal(spec['x-permission'], row.permission);
      assert.ok(spec.description.includes(`the permission \`${row.permission}\``));
      assert.equal(spec.description.endsWith(', in test mode.'), row.testOnly === true);
      assert.equal(spec.description.endsWith(', in live mode.'), row.liveOnly === true);
    });
  }
});

/** Types of successes that are no JSON, by their operations; none of those without a body. */
const withoutEnvelope: Readonly<Record<string, readonly string[]>> = {
  fetchLogo: ['image/png', 'image/jpeg'],
  deleteLogo: [],
};

/** A POST that changes nothing: it has no key, and tells what is wrong with a file as its answer. */
const isPreview = ({ operationId }: Data): boolean => operationId === 'previewBankStatement';

for (const { method, path, spec } of operations) {
  test(`${method} ${path} is described`, () => {
    assert.ok(spec.summary && spec.tags.length === 1);
    const [success] = Object.keys(spec.responses).filter((status) => status.startsWith('2'));
    const { content } = spec.responses[success ?? ''];
    const bare = withoutEnvelope[spec.operationId];
    if (bare !== undefined) assert.deepEqual(Object.keys(content ?? {}), bare);
    else {
      const answer = content['application/json'];
      assert.ok(follow(answer.schema).properties.data);
      assertFits(exampleOf(answer), answer.schema);
      assert.notDeepEqual(
        answer.example,
        sample(answer.schema, schemas),
        'says what its schema says already',
      );
    }
    const expected: Array<number | 'default'> = [400, 401, 403, 'default'];
    if (path.includes('{id}') && !rowOf({ method, path, spec })?.creates) expected.push(404);
    if (method !== 'GET') expected.push(413, ...(isPreview(spec) ? [] : [422]));
    if (spec.requestBody && !isUpload(spec)) expected.push(415);
    for (const status of expected) assert.ok(spec.responses[status], String(status));
    for (const [status, { content, description }] of responsesOf(spec)) {
      assert.ok(description, status);
      if (!content || Number(status) < 400) continue;
      assert.deepEqual(Object.keys(content), ['application/json', 'application/problem+json']);
      const examples = Object.values<Data>(content['application/json'].examples);
      assert.ok(examples.length > 0, status);
      for (const each of examples) {
        const { value } = follow(each);
        assertFits(value, { $ref: '#/components/schemas/Error' });
        for (const { code } of value.errors) {
          const row = Object.values(errorTable).find(
            (known) =>
              known.code === code &&
              (status === 'default' ? ofAny.has(known.status) : String(known.status) === status),
          );
          assert.ok(row, `${code} with ${status}`);
        }
      }
    }
    const body = spec.requestBody?.content['application/json'];
    if (body) assertFits(exampleOf(body), body.schema);
    for (const each of spec.parameters ?? []) assert.ok(follow(each).description, each.name);
  });
}

suite('the webhooks', () => {
  test('are one for each type of event', () => {
    assert.deepEqual(Object.keys(document.webhooks), eventTypes);
  });

  for (const [type, { post }] of Object.entries<Data>(document.webhooks)) {
    test(`${type} has a payload`, () => {
      const { schema, example: own } = post.requestBody.content['application/json'];
      const made = sample(schema, schemas) as Data;
      const example = own ?? made;
      assert.equal(example.type, type);
      assert.ok(
        own?.type !== made.type || !isDeepStrictEqual(own.data, made.data),
        'says what its schema says',
      );
      assertFits(example, schema);
      assertFits(example, { $ref: '#/components/schemas/Event' });
      assert.ok(follow(schema).properties.type.enum.includes(type));
    });
  }
});

test('every group of operations is described', () => {
  const tags = new Map<string, string>(
    document.tags.map(({ name, description }: Data) => [name, description]),
  );
  for (const { spec } of operations) assert.ok(tags.get(spec.tags[0]), spec.tags[0]);
});

test('filters by metadata are one parameter, with keys that the client chooses', () => {
  const list = operations.find(({ spec }) => spec.operationId === 'listCheckout');
  const metadata = list?.spec.parameters.find(({ name }: Data) => name === 'metadata');
  assert.equal(metadata.style, 'deepObject');
  assert.equal(metadata.explode, true);
});

/** Bodies that say more than those by which other tests ask for the operation. */
const fuller: Readonly<Record<string, object>> = {
  updateCheckout: { items: order.items, metadata: { a: null } },
  createPayin: order,
  settleRefund: { status: 'succeeded', reason: 'In cash.' },
  createCustomer: { name: 'Grace', phone: { calling_code: '1', number: '5550100' } },
  updateCustomer: { reference_id: 'c-1' },
  createWebhookEndpoint: {
    url: 'https://shop.example.com/hook',
    events: ['payin.*'],
    status: 'disabled',
  },
  rotateSecretWebhookEndpoint: { overlap_seconds: 60 },
  rotateWebhookSecret: { overlap_seconds: 60 },
  payTestHelper: { amount: 10_000 },
};

suite('real answers', async () => {
  const limited = {
    refund: await service.createKey({ permissions: ['refund'] }),
    webhooks: await service.createKey({ permissions: ['webhooks'] }),
  };
  const live = await service.createKey({ mode: 'live' });
  const session = async () => (await createSession(service, order)).id;
  const subjects = subjectsOf(service, await startReceiver({ after }));

  for (const operation of operations) {
    const { method, path, spec } = operation;
    const row = rowOf(operation);
    const id = subjects[row?.subject ?? 'none'];
    const given = fuller[spec.operationId] ?? row?.body;
    const query = row?.query ?? '';
    const ask = async (
      asked: Record<string, string> = {},
      changed: { id?: string; body?: unknown; query?: string } = {},
    ) => {
      const subject = changed.id ?? (await id());
      const target = path.replace('{id}', subject) + (changed.query ?? query);
      const usual = typeof given === 'function' ? given(subject) : given;
      const headers = row?.liveOnly ? { authorization: live.authorization, ...asked } : asked;
      const answer = await call(method, target, { body: 'body' in changed ? changed.body : usual, headers });
      assertDocumented(operation, answer);
      return answer.status;
    };

    test(`of ${spec.operationId} are as documented`, async () => {
      assert.ok(row, 'test/api/every-operation.ts has no row for it');
      assert.ok((await ask()) < 300);
      assert.equal(await ask({ authorization: '' }), 401);
      assert.equal(await ask({ authorization: '', accept: 'application/problem+json' }), 401);
      assert.equal(await ask({ authorization: 'Bearer x' }), 401);
      const { authorization } = limited[row.permission === 'refund' ? 'webhooks' : 'refund'];
      assert.equal(await ask({ authorization }), 403);
      assert.equal(await ask({ accept: 'text/html' }), 406);
      if (path.includes('{id}')) {
        const prefix = (await id()).split('_')[0];
        const unknown = row.creates ? 400 : 404;
        assert.equal(await ask({}, { id: `${prefix}_${WELL_FORMED_ID}` }), unknown);
        assert.equal(await ask({}, { id: 'x' }), unknown);
      }
      if (method === 'GET') {
        if (spec.parameters?.some((each: Data) => each.in === 'query'))
          assert.equal(await ask({}, { query: '?x=1' }), 400);
        return;
      }
      const limit = isUpload(spec) ? UPLOAD_LIMIT_BYTES : BODY_LIMIT_BYTES;
      assert.equal(await ask({}, { body: { a: 'x'.repeat(limit) } }), 413);
      if (isPreview(spec)) return;
      const unreadable = takesImage(spec) ? 415 : 400;
      assert.equal(await ask({ 'content-type': 'application/json' }, { body: '{' }), unreadable);
      assert.equal(await ask({}, { body: { nothing_known: 1 } }), unreadable);
      assert.equal(await ask({ 'idempotency-key': 'x'.repeat(256) }), 400);
      if (!spec.requestBody) return;
      if (!isUpload(spec)) assert.equal(await ask({ 'content-type': 'text/plain' }), 415);
      const once = { 'idempotency-key': `key-${spec.operationId}` };
      const sameId = await id();
      const body = typeof given === 'function' ? given(sameId) : given;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const other = takesImage(spec) ? png({ color: '#ffffff' }) : `${text} `;
      assert.ok((await ask(once, { id: sameId })) < 300);
      assert.equal(await ask(once, { id: sameId, body: other }), 422);
    });
  }

  const find = (operationId: string) =>
    operations.find(({ spec }) => spec.operationId === operationId) as DocumentedOperation;
  const states = [
    ['expireCheckout', 'POST', '/expire', undefined],
    ['updateCheckout', 'PUT', '', { items: order.items }],
  ] as const;
  for (const [operationId, method, suffix, body] of states) {
    test(`of ${operationId} to states and versions are as documented`, async () => {
      const id = await session();
      const ask = (headers = {}) => call(method, `/v3/checkout/${id}${suffix}`, { body, headers });
      const stale = await ask({ 'if-match': '"9"' });
      await pay(service, id, { outcome: 'processing', payment_id: operationId });
      const inProgress = await ask();
      await pay(service, id, { payment_id: operationId });
      const over = await ask();
      assert.deepEqual([stale.status, inProgress.status, over.status], [412, 409, 409]);
      for (const answer of [stale, inProgress, over]) assertDocumented(find(operationId), answer);
    });
  }

  test('of every state of a session have the documented shape', async () => {
    const made: string[] = [];
    for (const outcome of ['succeeded', 'failed', 'requires_action', 'processing', 'unknown']) {
      const id = await session();
      await pay(service, id, { outcome });
      made.push(id);
    }
    for (const id of made) {
      const bySession = { fetchCheckout: '', timelineCheckout: '/timeline' };
      for (const [name, suffix] of Object.entries(bySession)) {
        assertDocumented(find(name), await call('GET', `/v3/checkout/${id}${suffix}`));
      }
      assertDocumented(find('fetchPayin'), await call('GET', `/v3/payin/${id}`));
    }
    for (const cursor of ['', '&after=100']) {
      assertDocumented(find('listEvent'), await call('GET', `/v3/event?limit=100${cursor}`));
    }
  });
});
