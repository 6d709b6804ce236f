/**
 * Requests that are made from the API document alone: valid, nearly valid, and hostile, to every operation. None has an
 * answer that the document does not tell of, what breaks the document is refused, and what is refused writes nothing.
 *
 * OPENTILL_SEED repeats the requests of a run.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { evidence } from '../../support/evidence.ts';
import { scaled, usualSeed as seed } from '../../support/scale.ts';
import { startService } from '../../support/service.ts';
import { readDocument } from '../document.ts';
import { startReceiver } from '../receiver.ts';
import { createSession, until } from '../shop.ts';
import { prefixes, type Subject, subjectsOf } from '../subjects.ts';
import { createIds, kindOf, startFuzzed } from './fuzzed.ts';
import { createRequests, type Kind, type Request } from './requests.ts';
import { createWire, type WireAnswer, type WireRequest } from './wire.ts';

const onPostgres = process.env.OPENTILL_TEST_DATABASE === 'postgres';
/** Fewer on PostgreSQL: nearly everything is decided before the database is asked. */
const requests = onPostgres ? scaled(100) : scaled(700, 350);
const sampled = scaled(onPostgres ? 20 : 80);
const PARALLEL = 8;
const BATCH = 100;

const document = readDocument(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8')),
);
const { some, requestTo } = createRequests(document);

/** Holds an answer to the document, and to what kind of request it is for. */
function check({ operation, kind }: Request, sent: WireRequest, answer: WireAnswer): void {
  const { status, headers, text } = answer;
  const told = `${sent.method} ${sent.target.slice(0, 200)} ${printed(sent)} was answered with ${status}: ${text.slice(0, 600)}`;
  assert.ok(status < 500, told);
  if (kind === 'nearly') assert.ok(status >= 400, told);
  const isJson = headers.get('content-type')?.includes('json') === true;
  try {
    const json = isJson ? JSON.parse(text) : null;
    if (status >= 400 && json?.message?.startsWith('API.REQUEST.')) {
      // Requests that fit no operation get the general errors, such as GET where an id is the name of another path.
      assert.ok([400, 401, 404, 405, 414, 431].includes(status), String(status));
      document.assertFits(json, { $ref: '#/components/schemas/Error' });
    } else document.assertDocumented(operation, { status, headers, json });
  } catch (error) {
    throw new Error(told, { cause: error });
  }
}

function printed({ headers, body }: WireRequest): string {
  const shown = headers.filter(([name, value]) => name !== 'Authorization' || !value.startsWith('Basic '));
  return `${JSON.stringify(shown).slice(0, 400)} ${JSON.stringify(body?.toString().slice(0, 500) ?? '')}`;
}

/** Requests by what they were and came to. */
function createTally() {
  const counts = { requests: 0, valid: 0, valid_that_succeeded: 0, nearly_valid: 0, hostile: 0, refused: 0 };
  const names: Record<Kind, 'valid' | 'nearly_valid' | 'hostile'> = {
    valid: 'valid',
    nearly: 'nearly_valid',
    hostile: 'hostile',
  };
  const operations = new Map<string, { tried: number; succeeded: number }>();
  return {
    counts,
    operations,
    add({ kind, operation }: Request, { status }: WireAnswer): void {
      counts.requests++;
      counts[names[kind]]++;
      if (status >= 400) counts.refused++;
      if (kind !== 'valid') return;
      const name = operation.spec.operationId;
      const { tried, succeeded } = operations.get(name) ?? { tried: 0, succeeded: 0 };
      const success = status < 400 ? 1 : 0;
      counts.valid_that_succeeded += success;
      operations.set(name, { tried: tried + 1, succeeded: succeeded + success });
    },
  };
}

test(`${requests} requests have answers as documented`, { timeout: 180_000 + 20 * requests }, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const service = await startFuzzed(t, { subjects: Math.min(5, scaled(1)) });
  const ids = createIds(service);
  const wires = Array.from({ length: PARALLEL }, () => createWire(service.port));
  t.after(() => wires.forEach((wire) => void wire.close()));
  const tally = createTally();

  async function ask(wire: (typeof wires)[number], request: Request): Promise<void> {
    const sent = ids.wire(request);
    const answer = await wire.send(sent);
    tally.add(request, answer);
    check(request, sent, answer);
    ids.learn(request, sent, answer);
  }

  async function askAll(left: Request[]): Promise<void> {
    const client = async (wire: (typeof wires)[number]) => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await ask(wire, next);
    };
    await Promise.all(wires.map(client));
  }

  // Every operation is tried, however few requests there are, and while all is in the state that it was made in.
  const [wire] = wires as [(typeof wires)[number]];
  for (const operation of document.operations)
    for (const request of fc.sample(requestTo(operation, 'valid'), { seed, numRuns: 1 }))
      await ask(wire, request);
  for (let made = 0; made < requests; made += BATCH)
    await askAll(fc.sample(some, { seed: seed + made, numRuns: BATCH }));

  const { counts, operations } = tally;
  evidence(t, 'openapi-fuzz', counts);
  const share = counts.valid_that_succeeded / counts.valid;
  assert.ok(share > 0.5, `only ${share} of the valid requests have succeeded`);
  const barren = [...operations].filter(([, { tried, succeeded }]) => tried >= 50 && succeeded === 0);
  assert.deepEqual(barren, []);
});

test(`${sampled} requests that are refused write nothing`, {
  timeout: 180_000 + 100 * sampled,
}, async (t) => {
  const service = await startService(t, { pollMs: 20 });
  const receiver = await startReceiver(t);
  const subjects = subjectsOf(service, receiver);
  const own: Record<string, string[]> = {};
  for (const name of Object.keys(prefixes) as Subject[]) {
    const id = await subjects[name]();
    const kind = kindOf(name, id);
    own[kind] = [...(own[kind] ?? []), id];
  }
  const shop = {
    authorization: service.key.authorization,
    ids: own,
    page: (await createSession(service)).url,
  };
  const { authorization: reader } = await service.createKey({ permissions: ['read'] });
  const { authorization: live } = await service.createKey({ mode: 'live' });
  const ids = createIds({ shop, elsewhere: shop, hook: receiver.url, reader, live });
  const wire = createWire(service.config.PORT);
  t.after(() => wire.close());
  const { database } = service;
  let refused = 0;

  /** Work in the background writes too, but not again and again. */
  async function writes(sent: WireRequest): Promise<boolean> {
    for (let tries = 0; tries < 10; tries++) {
      const before = await quiet();
      const { status } = await wire.send(sent);
      if (status < 400) return false;
      if (tries === 0) refused++;
      if (JSON.stringify(await database.state()) === before) return false;
    }
    return true;
  }

  /** The rows of the database, once writing has stopped. */
  async function quiet(): Promise<string> {
    let state = '';
    await until(async () => {
      const before = state;
      state = JSON.stringify(await database.state());
      return state === before;
    });
    return state;
  }

  const changing = document.operations.filter(({ method }) => method !== 'GET');
  const request = fc.oneof(
    ...changing.flatMap((operation) => [requestTo(operation, 'nearly'), requestTo(operation, 'hostile')]),
  );
  for (const each of fc.sample(request, { seed, numRuns: sampled })) {
    const sent = ids.wire(each);
    assert.equal(await writes(sent), false, `${sent.method} ${sent.target.slice(0, 200)} ${printed(sent)}`);
  }
  evidence(t, 'openapi-fuzz', { refused_and_nothing_written: refused });
  assert.ok(refused > sampled * 0.7, `only ${refused} were refused`);
});
