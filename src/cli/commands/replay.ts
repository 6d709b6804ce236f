import { hash } from 'node:crypto';
import { randomText } from '../../lib/id.ts';
import { isObject } from '../../lib/json-values.ts';
import type { Client } from '../client.ts';
import { apiCommand } from '../declare/access.ts';
import { linesOf, type RecordOf } from '../declare/json.ts';
import { required } from '../declare/parameter.ts';
import { file } from '../declare/values.ts';
import { exitStatus, Failure } from '../failure.ts';
import type { Output } from '../output.ts';
import { printable } from '../printable.ts';
import { createIds } from '../replay/ids.ts';
import { jsonOf, type Logged, readLog } from '../replay/log.ts';

const json = linesOf({
  refused: {
    line: 'Number of the line in the log.',
    method: 'Method of the request.',
    path: 'Its path, with the ids of the log.',
    status: 'Status of the answer.',
    reasons: 'Reasons for the refusal, a sentence each.',
  },
  ignored: {
    line: 'Number of the line in the log.',
    method: 'Method of the request.',
    path: 'Its path, with the ids of the log.',
    fields: 'Fields that are unknown here, and were ignored.',
  },
  summary: {
    requests: 'Number of requests that were sent.',
    refused: 'Number of requests that would be refused.',
    ignored: 'Number of requests with ignored fields.',
    skipped: 'Number of lines that are not about this API.',
  },
});
type Record = RecordOf<typeof json>;

export const command = apiCommand(
  'read',
  'write',
  'refund',
)({
  purpose: 'Send a shop’s logged requests to a test account, and report which would be refused.',
  details: [
    'The log has a line of JSON for each request: `method`, `path`, and, where present, `headers`, `body`, `at` (the time, ISO 8601) and `response`. Ids are translated where the log has the answers that first named them.',
    'Webhooks are not sent: addresses for them are left out. Sessions are paid before they are refunded, and expiry times move with the clock. The exit status is 0 if nothing would be refused and 3 if something would.',
  ],
  options: { log: required(file('requests.jsonl'), 'The log; `-` is standard input.') },
  json,
  examples: [['opentill replay --log requests.jsonl', 'Try a day of a shop that comes from another service']],
  async run({ log }, { client, output }) {
    if (client.mode === 'live')
      throw new Failure('replay takes a key of test mode: it creates sessions and pays them');
    const { refused } = await replay(client, log, output);
    if (refused > 0) process.exitCode = exitStatus.found;
  },
});

async function replay(
  client: Client,
  log: string,
  output: Output<Record>,
): Promise<{ readonly refused: number }> {
  const ids = createIds();
  const paid = new Set<string>();
  // The keys of a log that was sent before would be answered with the sessions of then.
  const run = randomText(6);
  const counts = { requests: 0, refused: 0, ignored: 0, skipped: 0 };

  /** A refund takes money back, which payers of the log have paid elsewhere. */
  async function payFirst(path: string, body: unknown): Promise<void> {
    const payin = path.startsWith('/refund') && isObject(body) ? body.payin : undefined;
    if (typeof payin !== 'string' || paid.has(payin)) return;
    paid.add(payin);
    await client.exchange('POST', `/test_helpers/checkout/${encodeURIComponent(payin)}/pay`, {});
  }

  for await (const { line, request } of readLog(log)) {
    const method = request.method.toUpperCase();
    const theirs = /\/v3(\/.*)$/.exec(request.path)?.[1];
    if (theirs === undefined || !/^(GET|POST|PUT|DELETE)$/.test(method)) {
      counts.skipped++;
      continue;
    }
    counts.requests++;
    const path = ids.translated(theirs);
    const body = bodyOf(request, ids.translated);
    if (method === 'POST') await payFirst(path, body);
    const key = Object.entries(request.headers ?? {}).find(([name]) => /^idempotency-key$/i.test(name))?.[1];
    const answer = await client.exchange(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { headers: { 'idempotency-key': keyOf(key, run) } }),
    });
    const said = jsonOf(answer.text);
    const about = { line, method, path: printable(theirs) };
    const heading = `${line}  ${method} ${about.path}`;
    if (answer.status >= 400) {
      counts.refused++;
      const reasons = reasonsIn(said);
      const lines = [`${heading}  refused with ${answer.status}`, ...reasons.map((each) => `    ${each}`)];
      output.record({ record: 'refused', ...about, status: answer.status, reasons }, lines);
    } else ids.learn(jsonOf(request.response), said);
    if (answer.ignored !== null) {
      counts.ignored++;
      const fields = answer.ignored.split(', ').map((each) => each.slice(1, -1));
      output.record({ record: 'ignored', ...about, fields }, `${heading}  ignored: ${fields.join(', ')}`);
    }
  }
  output.record({ record: 'summary', ...counts }, [
    `${counts.requests} sent, ${counts.refused} would be refused`,
    ...(counts.ignored > 0 ? [`${counts.ignored} with fields that are ignored`] : []),
    ...(counts.skipped > 0 ? [`${counts.skipped} left out, about something else`] : []),
  ]);
  return counts;
}

/** A key of this run in place of a logged one, whatever its length. One that is none is sent as it is, and refused. */
function keyOf(logged: string, run: string): string {
  const text = logged.trim();
  const key = /^"(.*)"$/.exec(text)?.[1] ?? text;
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return `${run}-${hash('sha256', key)}`;
  // As bytes, which is what a header has.
  return Buffer.from(logged).toString('latin1');
}

/** The body as it would be sent today, without addresses of webhooks. */
function bodyOf({ body, at }: Logged, translated: (text: string) => string): unknown {
  const value = jsonOf(body);
  if (!isObject(value)) return value;
  const { webhook_url: _, ...fields } = JSON.parse(translated(JSON.stringify(value)));
  const agoMs = Date.now() - Date.parse(at ?? '');
  const expiresMs = Date.parse(fields.expires_at);
  if (Number.isFinite(agoMs) && Number.isFinite(expiresMs)) {
    fields.expires_at = new Date(expiresMs + agoMs).toISOString();
  }
  return fields;
}

function reasonsIn(said: unknown): string[] {
  const errors = isObject(said) && Array.isArray(said.errors) ? said.errors : [];
  return errors.map((each) => printable(String(Object(each).message)));
}
