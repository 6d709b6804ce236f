/**
 * Every parser of input gets valid input with some changes: statements, events of the provider,
 * credentials, forms, tokens, and the bodies and parameters of all operations. Nothing breaks, and no request takes the
 * serving thread for long. One request comes after the other, so that its time can be told.
 *
 * OPENTILL_SEED repeats the inputs of a run.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import Stripe from 'stripe';
import { sample } from '../../statements/support.ts';
import { evidence } from '../../support/evidence.ts';
import { scaled, usualSeed as seed } from '../../support/scale.ts';
import { readDocument } from '../document.ts';
import { createIds, startFuzzed } from './fuzzed.ts';
import { floodedBody, hostileAuthorization, hostileBody, hostileHeader } from './hostile.ts';
import { mutated } from './mutations.ts';
import { createRequests } from './requests.ts';
import { createWire, type WireRequest } from './wire.ts';

const onPostgres = process.env.OPENTILL_TEST_DATABASE === 'postgres';
const inputs = onPostgres ? scaled(5) : scaled(15, 8);
/** Compiling what has never run takes its time, once. */
const WARM_UP = Math.min(100, scaled(5));
/** Statements up to this size are read by the serving thread. */
const STATEMENT_RUN = 60_000;

const document = readDocument(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8')),
);
const samples = readdirSync(join(import.meta.dirname, '../../statements/samples')).map((name) => ({
  name,
  bytes: sample(name),
}));

const text = (bytes: Buffer): string => bytes.toString('latin1');

/**
 * Bytes that would break the frame of a request are left out: they test the HTTP parser, which is not ours.
 */
const inHead = (bytes: Buffer): string =>
  text(bytes)
    .replaceAll(/[\r\n\0 ]/g, '_')
    .slice(0, 12_000);

test(`${inputs} inputs of each kind break nothing`, { timeout: 180_000 + 500 * inputs }, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const service = await startFuzzed(t, { subjects: 1 });
  const { shop, providerSecret } = service;
  const wire = createWire(service.port);
  t.after(() => wire.close());
  const ids = createIds(service);
  const { requestTo } = createRequests(document);

  const authorized = ['Authorization', shop.authorization] as const;
  const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
  const post = (target: string, body: Buffer, ...headers: WireRequest['headers']): WireRequest => ({
    method: 'POST',
    target,
    headers,
    body,
  });
  const get = (target: string, ...headers: WireRequest['headers']): WireRequest => ({
    method: 'GET',
    target,
    headers,
    body: null,
  });

  const statements = (pattern: RegExp, query: string): fc.Arbitrary<WireRequest> =>
    mutated(
      samples.filter(({ name }) => pattern.test(name)).map(({ bytes }) => bytes),
      STATEMENT_RUN,
    ).map((body) => post(`/v3/bank_statement${query}`, body, authorized));

  function signatureOf(body: Buffer): string {
    return Stripe.webhooks.generateTestHeaderString({ payload: body.toString(), secret: providerSecret });
  }
  const event = Buffer.from(
    JSON.stringify({
      id: 'evt_1',
      object: 'event',
      type: 'payment_intent.succeeded',
      created: 1,
      livemode: false,
      data: { object: { id: 'pi_1', object: 'payment_intent', metadata: { attempt: shop.ids.pat?.[0] } } },
    }),
  );
  const eventBody = fc.oneof(mutated([event], 60_000), hostileBody(text(event)));
  const signature = mutated(
    [Buffer.from('t=1700000000,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd')],
    6_000,
  );

  const payForm = Buffer.from(
    'once=aaaaaaaaaaaaaaaaaaaaaaaaaa&shown=2500-aaaaaaaaaaaaaaaaaaaaaa&method=card&outcome=succeeds',
  );
  const steps = ['pay', 'step', 'cancel_attempt'];
  const parts = Buffer.from(
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.xml"\r\nContent-Type: text/xml\r\n\r\n<a/>\r\n--x--\r\n',
  );
  const tokens = [
    shop.page.split('/').at(-1) ?? '',
    '999999999999999t01k9zq4tn30000x5r7m2c9w1he6hqk2v9w4d8r7m3xc5n1tbyzpe',
  ];
  const views = [
    '',
    '/receipt',
    '/receipt.pdf',
    '/invoice.pdf',
    '/go',
    '/return',
    '/pay',
    '?lang=xx',
    '?choose',
  ];
  const cursors = ['chk', 'evt', 'cus'].map((kind) => Buffer.from(shop.ids[kind]?.[0] ?? ''));

  /** Requests by kind, each with one mutated input. */
  const kinds: Readonly<Record<string, fc.Arbitrary<WireRequest>>> = {
    camt: statements(/camt/, ''),
    mt940: statements(/mt940|sta$/, ''),
    csv: statements(/[ct]sv$/, '?mapping=swiss'),
    provider_events: fc.oneof(
      eventBody.map((body) => post('/notices/stripe', body, ['Stripe-Signature', signatureOf(body)])),
      signature.map((value) => post('/notices/stripe', event, ['Stripe-Signature', inHead(value)])),
    ),
    credentials: fc.oneof(
      hostileAuthorization.map((value) => get('/v3/checkout?limit=1', ['Authorization', value])),
      mutated([Buffer.from(shop.authorization)], 8_000).map((value) =>
        get('/v3/checkout?limit=1', ['Authorization', inHead(value).replace('_', ' ')]),
      ),
    ),
    headers: fc
      .array(hostileHeader, { minLength: 1, maxLength: 4 })
      .map((all) => get('/v3/checkout?limit=1', authorized, ...all)),
    multipart: fc
      .tuple(
        mutated([parts], 100_000),
        fc.constantFrom('/v3/bank_statement', '/v3/checkout', `${shop.page}/pay`),
      )
      .map(([body, target]) =>
        post(target, body, authorized, ['Content-Type', 'multipart/form-data; boundary=x']),
      ),
    forms: fc
      .tuple(mutated([payForm], 4_000), fc.constantFrom(...steps))
      .map(([body, step]) => post(`${shop.page}/${step}`, body, form)),
    tokens: fc
      .tuple(
        mutated(
          tokens.map((token) => Buffer.from(token)),
          300,
        ),
        fc.constantFrom(...views),
      )
      .map(([token, view]) => get(`/transaction/${inHead(token)}${view}`)),
    cursors: fc
      .tuple(mutated(cursors, 2_000), fc.constantFrom('checkout', 'event', 'customer'))
      .map(([cursor, list]) =>
        get(`/v3/${list}?limit=1&after=${inHead(cursor).replaceAll(/[#&]/g, '_')}`, authorized),
      ),
    floods: fc
      .tuple(
        fc
          .oneof(
            ...document.operations
              .filter(({ spec }) => spec.requestBody?.content['application/json'])
              .map((operation) => requestTo(operation, 'valid')),
          )
          .chain((request) =>
            floodedBody(request.body?.toString() ?? '{}').map((body) => ids.wire({ ...request, body })),
          ),
        fc.constantFrom(shop.authorization, service.lenient),
      )
      .map(([{ target, method, body }, authorization]) => ({
        method,
        target,
        headers: [['Authorization', authorization] as const, ['Content-Type', 'application/json'] as const],
        body,
      })),
    operations: fc
      .oneof(...document.operations.map((operation) => requestTo(operation, 'hostile')))
      .map((request) => ids.wire({ ...request, caller: 'shop' })),
  };

  async function ask(request: WireRequest): Promise<void> {
    const { status, text: said } = await wire.send(request);
    const told = `${request.method} ${request.target.slice(0, 300)} ${JSON.stringify(request.headers).slice(0, 300)} ${JSON.stringify(request.body?.toString('latin1').slice(0, 3000))} was answered with ${status}: ${said.slice(0, 500)}`;
    assert.ok(status < 500, told);
  }

  const figures: Record<string, number> = { inputs: 0, longest_ms: 0 };
  for (const [name, requests] of Object.entries(kinds)) {
    for (const request of fc.sample(requests, { seed: seed + 1, numRuns: WARM_UP })) await ask(request);
    service.forget();
    const begun = performance.now();
    for (let made = 0; made < inputs; made += 50) {
      const numRuns = Math.min(50, inputs - made);
      for (const request of fc.sample(requests, { seed: seed + 2 + made, numRuns })) await ask(request);
    }
    const { ms, request } = await service.longest();
    t.diagnostic(
      `${name}: at most ${ms.toFixed(1)} ms (${request}) ${Math.round(performance.now() - begun)} ms`,
    );
    figures[`${name}_ms`] = Math.ceil(ms);
    figures.inputs = (figures.inputs ?? 0) + inputs;
    figures.longest_ms = Math.max(figures.longest_ms ?? 0, Math.ceil(ms));
  }
  evidence(t, 'openapi-fuzz', figures);
});
