/** `reconcile`: which events a receiver has missed, and on demand these once more. Works in pages of any number. */
import { parseArgs } from 'node:util';
import { type Client, clientOptions, createClient, Refused } from './client.ts';
import { momentOf } from './moment.ts';
import { createGroups } from './reconcile/groups.ts';
import {
  firstKept,
  type Missed,
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
    await report(client, { sinceMs, receiver }, received, values.resend);
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
  let missed = 0;
  try {
    for await (const each of received
      ? notReceived(client, question, received)
      : undelivered(client, question)) {
      missed++;
      const outcome = (await again?.send(each)) ?? '';
      groups.add(
        each.receiver,
        [each.event, each.type, each.subject, `${each.problem}${outcome}`].join('  '),
      );
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
  console.log(`${missed} missed since ${new Date(sinceMs).toISOString()}`);
  if (again) console.log(`${again.count()} sent again`);
  if (missed > 0) process.exitCode = SOMETHING_MISSED;
}

/** One at a time, and at the pace that the service allows: the client waits where it is told to. */
function createResender(client: Client) {
  let count = 0;
  return {
    count: () => count,
    async send({ delivery }: Missed): Promise<string> {
      if (delivery === null) return '';
      try {
        await client.send('POST', `/webhook_delivery/${delivery}/resend`);
      } catch (error) {
        // The delivery or its endpoint is gone. What the key may not do, it may not do for the next one either.
        const isAlone = error instanceof Refused && [404, 409, 410, 422].includes(error.status);
        if (!isAlone) throw error;
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
