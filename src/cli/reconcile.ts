/** `reconcile`: which events a receiver has missed, and on demand these once more. Works in pages of any number. */
import { parseArgs } from 'node:util';
import { type Client, clientOptions, createClient, Refused } from './client.ts';
import { momentOf } from './moment.ts';
import type { Missed } from './reconcile/delivery.ts';
import { endpointsOf } from './reconcile/endpoints.ts';
import { createGroups } from './reconcile/groups.ts';
import {
  type Aside,
  firstKept,
  notReceived,
  type Question,
  undelivered,
  unknown,
} from './reconcile/missed.ts';
import { type Received, readReceived } from './reconcile/received.ts';
import { parsed, UsageError } from './usage-error.ts';

/** For scripts: there was something that the receiver has missed. */
const SOMETHING_MISSED = 2;

export async function reconcile(args: readonly string[]): Promise<void> {
  const { values } = parsed(() =>
    parseArgs({
      args: [...args],
      options: {
        ...clientOptions,
        since: { type: 'string' },
        endpoint: { type: 'string' },
        received: { type: 'string' },
        resend: { type: 'boolean', default: false },
      },
    }),
  );
  if (values.since === undefined)
    throw new UsageError('reconcile needs --since, such as --since 2h or --since 2030-01-31T12:00:00Z');
  const sinceMs = momentOf('--since', values.since, Date.now());
  const receiver = values.endpoint === undefined ? null : receiverOf(values.endpoint);
  const client = createClient(values);
  const received = values.received === undefined ? null : await readReceived(values.received);
  try {
    const endpoints = await endpointsOf(client);
    await report(client, { sinceMs, receiver, endpoints }, received, values.resend);
  } finally {
    received?.close();
  }
}

async function report(
  client: Client,
  question: Question,
  received: Received | null,
  resend: boolean,
): Promise<void> {
  const { sinceMs } = question;
  const groups = createGroups((line) => console.log(line));
  const again = resend ? createResender(client) : null;
  const aside: Aside = { removed: 0, off: [], comparedFromMs: null };
  const headings = new Map<string, string>();
  let missed = 0;
  try {
    for await (const each of received
      ? notReceived(client, question, received)
      : undelivered(client, question, aside)) {
      missed++;
      // Health may change meanwhile; the lines of a receiver still stand together.
      const heading = headings.get(each.receiver) ?? headingOf(each);
      headings.set(each.receiver, heading);
      const outcome = (await again?.send(each)) ?? '';
      groups.add(heading, [each.event, each.type, each.subject, `${each.problem}${outcome}`].join('  '));
    }
  } finally {
    // What was found and sent before it broke off has been found and sent.
    groups.end();
  }

  if (received) {
    const keptMs = await firstKept(client, sinceMs);
    if (keptMs > sinceMs) console.log(`The feed has events only from ${new Date(keptMs).toISOString()} on.`);
    for (const id of unknown(received, keptMs)) console.log(`not in the feed: ${id}`);
  }
  for (const line of linesOf(aside)) console.log(line);
  console.log(`${missed} missed since ${new Date(sinceMs).toISOString()}`);
  if (again) console.log(`${again.count()} sent again`);
  if (again && again.impossible() > 0) console.log(`${again.impossible()} cannot be sent again`);
  if (missed > 0) process.exitCode = SOMETHING_MISSED;
}

function headingOf({ receiver, isSuspended }: Missed): string {
  return isSuspended ? `${receiver}  suspended` : receiver;
}

/** What is not in the list, and why. */
function linesOf({ removed, off, comparedFromMs }: Aside): readonly string[] {
  return [
    ...(removed > 0 ? [`Left out: ${removed} to endpoints that were removed.`] : []),
    ...off.map(
      (id) =>
        `${id} is off: what happened meanwhile is not held against it; --endpoint ${id} shows what it would be.`,
    ),
    ...(comparedFromMs === null
      ? []
      : [
          `Events before ${new Date(comparedFromMs).toISOString()} may have had deliveries that are no longer kept; --received compares them too.`,
        ]),
  ];
}

/** One at a time, and at the pace that the service allows: the client waits where it is told to. */
function createResender(client: Client) {
  let count = 0;
  let impossible = 0;
  return {
    count: () => count,
    impossible: () => impossible,
    async send({ delivery, isPending }: Missed): Promise<string> {
      if (isPending) return '';
      if (delivery === null) {
        impossible++;
        return ' (cannot be sent again: there is no delivery; read it from the feed)';
      }
      try {
        await client.send('POST', `/webhook_delivery/${delivery}/resend`);
      } catch (error) {
        // The delivery or its endpoint is gone. What the key may not do, it may not do for the next one either.
        const isAlone = error instanceof Refused && [404, 409, 410, 422].includes(error.status);
        if (!isAlone) throw error;
        impossible++;
        return ` (cannot be sent again: ${error.message})`;
      }
      count++;
      return ' (sent again)';
    },
  };
}

/** An endpoint, or the origin of the address that sessions name. */
function receiverOf(text: string): string {
  if (/^whe_[0-9a-z]{26}$/.test(text)) return text;
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url.origin;
  throw new UsageError(
    '--endpoint takes the id of an endpoint, whe_…, or the beginning of the address that sessions name, such as https://shop.example',
  );
}
