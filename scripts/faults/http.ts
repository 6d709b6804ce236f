/** Faults in HTTP: who calls, which version they mean, what was asked before, and how lists and feeds go on. */
import type { Fault } from './fault.ts';

const http = (file: string, ...tests: readonly string[]) => ({
  file: `src/http/${file}.ts`,
  tests: tests.map((name) => `test/api/${name}.test.ts`),
});

export const httpFaults: readonly Fault[] = [
  {
    name: 'the log has the body of a request that fails',
    ...http('app', 'canaries/canaries', 'trouble'),
    find: "request.log.error({ err: error, request_id: request.id }, 'request failed');",
    replace:
      "request.log.error({ err: error, request_id: request.id, body: request.body }, 'request failed');",
  },
  {
    name: 'a key that was revoked goes on working',
    ...http('auth', 'auth'),
    find: 'key === null || key.revokedAt !== null',
    replace: 'key === null',
  },
  {
    name: 'what removes metadata of a customer counts as more of it',
    ...http('routes/customer', 'clients/customers'),
    find: 'schemaProblems(request), readPatch)',
    replace: 'schemaProblems(request), readMetadata)',
  },
  {
    name: 'a contact of a customer is known by the address beside its name',
    ...http('routes/customer', 'clients/customers'),
    find: '{ ...beside, ...within }',
    replace: '{ ...within, ...beside }',
  },
  {
    name: 'methods are offered to payers of any country',
    file: 'src/methods/method.ts',
    tests: ['test/api/clients/methods.test.ts', 'test/api/records.test.ts'],
    find: ' || method.country === country',
    replace: ' || method.country !== null',
  },
  {
    name: 'an amount that no method takes is no obstacle',
    ...http('routes/checkout-input', 'clients/methods'),
    find: 'if (isMistaken || offersAmong(ids, rails, occasion).length > 0) return null;',
    replace:
      'if (isMistaken || offersAmong(ids, rails, { ...occasion, amount: null }).length > 0) return null;',
  },
  {
    name: 'a repeated request is refused for what has changed since',
    ...http('routes/checkout-input', 'clients/methods'),
    find: 'if (problems.length > 0) throw fieldsError(obstacle ? [...problems, obstacle] : problems);',
    replace:
      'if (problems.length > 0 || obstacle) throw fieldsError(obstacle ? [...problems, obstacle] : problems);',
  },
  {
    name: 'payers of live sessions read the names of settings',
    file: 'src/pages/panel.ts',
    tests: ['test/pages/render.test.ts'],
    find: "checkout.tenant.mode === 'live' || missing",
    replace: 'missing',
  },
  {
    name: 'a header that was verified once is good for ever',
    ...http('auth', 'keys'),
    find: 'if (version !== rememberedVersion) {',
    replace: "if (rememberedVersion === '') {",
  },
  {
    name: 'an operation without a body is refused for the type of none',
    ...http('body', 'bad-http'),
    find: 'if (noBody || upload) request',
    replace: 'if (upload) request',
  },
  {
    name: 'what was refused as too late is done when the rest of it comes',
    file: 'src/http/connections.ts',
    tests: ['test/http/connections.test.ts'],
    find: ' || connection.isRefused',
    replace: '',
  },
  {
    name: 'a request that waited while the process stood still is too late',
    file: 'src/http/connections.ts',
    tests: ['test/http/connections.test.ts'],
    find: 'setImmediate(() => {',
    replace: '[0].forEach(() => {',
  },
  {
    name: 'a request that came in the last moment is served, and refused behind that',
    file: 'src/http/connections.ts',
    tests: ['test/http/connections.test.ts'],
    find: 'if (latest === null || !latest[0].complete || (latest === before && !isBody)) isLate();',
    replace: 'if (latest !== undefined) isLate();',
  },
  {
    name: 'a client takes the refusal of its next request for the answer to the one before',
    file: 'src/http/connections.ts',
    tests: ['test/http/connections.test.ts'],
    find: 'if (response.closed) sayOfNone();',
    replace: 'if (response.closed || connection.isRefused) sayOfNone();',
  },
  {
    name: 'payment files are shown to keys that only read',
    ...http('routes/payment-file', 'auth'),
    find: "permission: 'bank',",
    replace: "permission: 'read',",
  },
  {
    name: 'an expectation that nobody knows is answered past all limits',
    ...http('connections', 'bad-http'),
    find: "server.on('checkExpectation', (request, response) => server?.emit('request', request, response));",
    replace: '',
  },
  {
    name: 'a key is known by its id, whatever its secret',
    ...http('auth', 'auth'),
    find: 'key !== null && matches ? key : null',
    replace: 'key',
  },
  {
    name: 'another body with the idempotency key of the first one is answered like it',
    ...http('answer', 'idempotency'),
    find: "requestHash: hash('sha256', request.bodyBytes ?? '')",
    replace: "requestHash: hash('sha256', '')",
  },
  {
    name: 'an idempotency key is shared by all operations of a method',
    ...http('answer', 'idempotency'),
    find: '`${request.method} ${pathOf(request)}`',
    replace: 'request.method',
  },
  {
    name: 'an If-Match that no version can match is ignored',
    ...http('answer', 'bad-http'),
    find: 'versions[0] ?? -1',
    replace: 'versions[0] ?? null',
  },
  {
    name: 'of several versions in If-Match the first one counts',
    ...http('answer', 'concurrency'),
    find: 'if (versions.length <= 1) return',
    replace: 'if (versions.length >= 1) return',
  },
  {
    name: 'a weak ETag is not known again',
    ...http('answer', 'concurrency', 'session'),
    find: "['*', etag, `W/${etag}`]",
    replace: "['*', etag]",
  },
  {
    name: 'a name that is there twice overwrites the first one',
    ...http('json', 'bad-input'),
    find: 'if (seen.has(key))',
    replace: 'if (seen.size < 0)',
  },
  {
    name: 'a number is rounded without a word',
    ...http('json', 'bad-input'),
    find: '!Number.isSafeInteger(value) : !isExact(literal, digits, value)',
    replace: '!Number.isFinite(value) : digits.length > 99',
  },
  {
    name: 'live payers may be sent to addresses without TLS',
    ...http('input', 'bad-input', 'create'),
    find: "if (mode === 'test') return [];",
    replace: "if (mode === 'live') return [];",
  },
  {
    name: 'a list that is read backwards begins anew on every page',
    ...http('list', 'lists'),
    find: 'page.before === undefined ? rows.at(-1) : rows[0]',
    replace: 'rows.at(-1)',
  },
  {
    name: 'a stream that has ended goes on counting',
    ...http('connection-limit', 'event-wait', 'event-stream'),
    find: "          response.off('close', end);\n",
    replace: "          response.off('close', end);\n          return;\n",
  },
  {
    name: 'who waits for events gets those of other types too',
    ...http('event-feed', 'event-wait', 'event-stream'),
    find: 'event.position > position && (types?.includes(event.type) ?? true)',
    replace: 'event.position > position',
  },
  {
    name: 'what an upload took is never given back',
    ...http('upload', 'uploads'),
    find: '      underWay.delete(upload);\n',
    replace: '',
  },
  {
    name: 'a full temporary folder is called a bug',
    file: 'src/http/failure.ts',
    tests: ['test/crash/disk-full.test.ts'],
    find: 'if (error instanceof CopyFailed) return',
    replace: 'if (error instanceof CopyFailed && error.cause === undefined) return',
  },
  {
    name: 'payers are refused where too many changes wait',
    file: 'src/http/overload.ts',
    tests: ['test/http/overload.test.ts'],
    find: " || !url.startsWith('/v3/')",
    replace: '',
  },
  {
    name: 'a stop forgets the answers that are held back',
    file: 'src/http/overload.ts',
    tests: ['test/http/overload.test.ts'],
    find: 'for (let left = heldTicks; left > 0; left--) tick();',
    replace: '',
  },
];
