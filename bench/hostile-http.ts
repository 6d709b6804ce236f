/**
 * Requests that are too large, too deep or too slow, from somebody with a key and from somebody without: all of them are
 * refused, and a tenant beside them waits hardly longer.
 *
 *     node bench/hostile-http.ts [words]
 *
 * Figures are said as a campaign's; words choose rows. Memory is known on Linux alone. OPENTILL_TEST_SCALE=0.1 measures
 * for a second each.
 */
import { isShort } from '../test/support/scale.ts';
import type { Attack, Counts, Message } from './neighbours/attack.ts';
import {
  type Bench,
  figuresOf,
  type Measured,
  measureBeside,
  measureRows,
  type Row,
  say,
  start,
  untilEnded,
} from './neighbours/bench.ts';

const CAMPAIGN = 'hostile-http';
/** Connections of each attack, one request after the other. */
const AT_ONCE = 20;
const BODY_BYTES = 10_000_000;
const DEPTH = 100_000;
const HEAD_BYTES = 17 * 1024;
const SLOW = 500;

/** Answers that are no refusal: a connection that is closed is one. */
const notRefused = (counts: Counts): number =>
  Object.entries(counts).reduce((sum, [status, count]) => (/^4|^closed/.test(status) ? sum : sum + count), 0);

const row = (measure: Row['measure']): Row => ({
  measure,
  say: (measured) => {
    for (const [name, each] of measured) sayOf(name, each);
  },
});

function sayOf(name: string, beside: Measured): void {
  const { counts } = beside;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  say(CAMPAIGN, {
    [`${name}_sent`]: all,
    [`${name}_not_refused`]: notRefused(counts),
    [`${name}_closed_without_answer`]: counts.closed ?? 0,
    ...figuresOf(name, beside),
  });
}

/** Heads with a key, and without one. */
const headsOf = (secret: string, path: string, more: string): string[] =>
  [`authorization: Bearer ${secret}\r\n`, ''].map(
    (key) => `POST ${path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n${key}${more}\r\n`,
  );

const flood = (name: string, messagesFor: (bench: Bench) => readonly Message[]): Row =>
  row(async (bench, take) => {
    const messages = messagesFor(bench);
    const attack: Attack = { kind: 'hostile', url: bench.service.url, secret: '', messages, count: AT_ONCE };
    await take(name, () => measureBeside(bench, attack));
  });

/** Bodies of ten megabytes, with a length and in chunks, to operations, pages and providers' routes. */
const bodies = flood('bodies', (bench) => {
  const paths = ['/v3/checkout', '/v3/customer', '/notices/stripe', '/transaction/none/pay'];
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  return paths.flatMap((path) => [
    ...headsOf(bench.otherSecret, path, `content-length: ${BODY_BYTES}\r\n`).map((head) => ({
      head,
      fill: 'x'.repeat(1000),
      times: BODY_BYTES / 1000,
    })),
    ...headsOf(bench.otherSecret, path, 'transfer-encoding: chunked\r\n').map((head) => ({
      head,
      fill: chunk,
      times: Math.ceil(BODY_BYTES / 0x10000),
      end: '0\r\n\r\n',
    })),
  ]);
});

/** Bodies that nest lists, and objects, as often as there is room; and metadata that do, as text. */
const deep = flood('deep', (bench) => {
  const objects = Math.floor(DEPTH / 5);
  const shapes: readonly [fill: string, times: number, end: string][] = [
    ['[', DEPTH, ''],
    ['[', DEPTH, ']'.repeat(DEPTH)],
    ['{"a":', objects, `1${'}'.repeat(objects)}`],
    ['{"metadata":', 1, `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`],
    ['{"metadata":"', 1, `${'['.repeat(30_000)}${']'.repeat(30_000)}"}`],
  ];
  return shapes.flatMap(([fill, times, end]) =>
    headsOf(bench.otherSecret, '/v3/checkout', `content-length: ${fill.length * times + end.length}\r\n`).map(
      (head) => ({ head, fill, times, end }),
    ),
  );
});

/** Heads of 17 KiB: one long field, many short ones, a long target. */
const heads = flood('heads', (bench) => {
  const long = `x-long: ${'x'.repeat(HEAD_BYTES)}\r\n`;
  const many = Array.from(
    { length: HEAD_BYTES / 16 },
    (_, at) => `x-${String(at).padStart(5, '0')}: 12345\r\n`,
  );
  const target = `/v3/checkout?q=${'x'.repeat(HEAD_BYTES)}`;
  const all = [
    ...headsOf(bench.otherSecret, '/v3/checkout', long),
    ...headsOf(bench.otherSecret, '/v3/checkout', many.join('')),
    ...headsOf(bench.otherSecret, target, ''),
  ];
  return all.map((head) => ({ head, fill: '', times: 0 }));
});

/** Heads and bodies that come byte by byte: how long until the last of these connections is closed. */
const slow = row(async (bench, take) => {
  const { url } = bench.service;
  const attack: Attack = {
    kind: 'slow',
    url,
    secret: bench.otherSecret,
    count: SLOW,
    kinds: ['head', 'body'],
  };
  await take('slow', async () => {
    const beside = await measureBeside(bench, attack);
    const startedAt = performance.now();
    const attacker = await start(attack);
    await untilEnded(attacker, SLOW);
    const closedMs = Math.round(performance.now() - startedAt);
    const counts = await attacker.counts();
    await attacker.end();
    const further = {
      slow_clients: SLOW,
      slow_clients_told_408: counts['408'] ?? 0,
      slow_clients_not_refused: notRefused(counts),
      slow_closed_ms: closedMs,
    };
    return { ...beside, further };
  });
});

await measureRows({ bodies, deep, heads, ...(isShort ? {} : { slow }) }, process.argv.slice(2));
