import { type Client, Refused } from '../client.ts';
import { apiCommand } from '../declare/access.ts';
import { linesOf, type RecordOf } from '../declare/json.ts';
import { flag, optional, required } from '../declare/parameter.ts';
import { file, moment, receiver as receiverValue } from '../declare/values.ts';
import { exitStatus } from '../failure.ts';
import type { Output } from '../output.ts';
import { endpointsOf } from '../reconcile/endpoints.ts';
import { createGroups } from '../reconcile/groups.ts';
import {
  type Aside,
  firstKept,
  notReceived,
  type Question,
  undelivered,
  unknown,
} from '../reconcile/missed.ts';
import { type Received, readReceived } from '../reconcile/received.ts';
import type { Missed } from '../webhooks/delivery.ts';

const json = linesOf({
  missed: {
    receiver: 'Id of the endpoint, or the origin of the address.',
    receiver_suspended: 'True if deliveries to it are suspended.',
    event: 'Id of the event.',
    type: 'Its type.',
    subject: 'Id of the session or other object that it is about.',
    delivery: 'Id of the delivery, or null if there is none.',
    problem: 'Reason why it counts as missed.',
    resent: 'True if it is sent again now.',
    not_resent_because: 'Reason why it cannot be sent again, or null.',
  },
  unknown: { event: 'An id among the received ones that the feed does not have.' },
  summary: {
    since: 'Start of the period.',
    missed: 'Number of missed events.',
    resent: 'Number of events that are sent again.',
    not_resent: 'Number of events that cannot be sent again.',
    removed: 'Number of deliveries left out because their endpoint was removed.',
    disabled_endpoints: 'Disabled endpoints, which are left out.',
    compared_since:
      'Time from which deliveries were compared with the feed, if later than requested; otherwise null.',
    feed_since: 'Time from which the feed has events, if later than requested; otherwise null.',
  },
});
type Record = RecordOf<typeof json>;

export const command = apiCommand(
  'read',
  'webhooks',
)({
  purpose: 'List the events that a receiver has missed.',
  details: [
    'For endpoints, these are events that were not delivered, and events that happened while the endpoint was disabled. With `--received`, they are events that the receiver does not have, whatever became of the delivery.',
    'The exit status is 0 if nothing was missed and 3 if something was, even if it is sent again.',
  ],
  options: {
    since: required(moment, 'A time such as 2030-01-31T12:00:00Z, or an age such as 2h or 3d.'),
    endpoint: optional(receiverValue, 'Only this receiver: the id of an endpoint, or an origin.'),
    received: optional(file(), 'Ids of the events that the receiver has, one a line; `-` is standard input.'),
    resend: flag('Resend the missed events.'),
  },
  json,
  examples: [
    ['opentill reconcile --since 2h', 'Events that any receiver missed in the last two hours'],
    [
      'opentill reconcile --since 2h --endpoint https://shop.example --received - --resend',
      'Events that a shop lacks, by its own list on standard input; resend them',
    ],
  ],
  async run({ since: sinceMs, endpoint: receiver = null, received: path, resend }, { client, output }) {
    const received = path === undefined ? null : await readReceived(path);
    try {
      const endpoints = await endpointsOf(client);
      await report(client, { sinceMs, receiver, endpoints }, received, resend, output);
    } finally {
      received?.close();
    }
  },
});

async function report(
  client: Client,
  question: Question,
  received: Received | null,
  resend: boolean,
  output: Output<Record>,
): Promise<void> {
  const { sinceMs } = question;
  const groups = createGroups((line) => output.line(line));
  const again = resend ? createResender(client) : null;
  const aside: Aside = { removed: 0, off: [], comparedFromMs: null };
  const headings = new Map<string, string>();
  let missed = 0;
  try {
    for await (const each of received
      ? notReceived(client, question, received)
      : undelivered(client, question, aside)) {
      missed++;
      const sent = (await again?.send(each)) ?? { isSent: false, why: null };
      if (output.isJson) output.record(recordOf(each, sent), []);
      else {
        // Health may change meanwhile; the lines of a receiver still stand together.
        const heading = headings.get(each.receiver) ?? headingOf(each);
        headings.set(each.receiver, heading);
        const columns = [each.event, each.type, each.subject, `${each.problem}${inWords(sent)}`];
        groups.add(heading, columns.join('  '));
      }
    }
  } finally {
    // Events found and sent before an error have been found and sent.
    groups.end();
  }

  const keptMs = received ? await firstKept(client, sinceMs) : sinceMs;
  if (keptMs > sinceMs) output.line(`The feed has events only from ${new Date(keptMs).toISOString()} on.`);
  if (received) {
    for (const event of unknown(received, keptMs))
      output.record({ record: 'unknown', event }, `not in the feed: ${event}`);
  }
  for (const line of linesOfAside(aside)) output.line(line);
  const { comparedFromMs, removed, off } = aside;
  const since = new Date(sinceMs).toISOString();
  const resent = again?.count() ?? 0;
  const not_resent = again?.impossible() ?? 0;
  output.record(
    {
      record: 'summary',
      since,
      missed,
      resent,
      not_resent,
      removed,
      disabled_endpoints: off,
      compared_since: comparedFromMs === null ? null : new Date(comparedFromMs).toISOString(),
      feed_since: keptMs > sinceMs ? new Date(keptMs).toISOString() : null,
    },
    [
      `${missed} missed since ${since}`,
      ...(again ? [`${resent} sent again`] : []),
      ...(not_resent > 0 ? [`${not_resent} cannot be sent again`] : []),
    ],
  );
  if (missed > 0) process.exitCode = exitStatus.found;
}

/** Result of a resend: the missed event is sent again, or why it cannot be. */
type Sent = { readonly isSent: boolean; readonly why: string | null };

function recordOf({ isPending: _, isSuspended, ...missed }: Missed, { isSent, why }: Sent): Record {
  const rest = { receiver_suspended: isSuspended, resent: isSent, not_resent_because: why };
  return { record: 'missed', ...missed, ...rest };
}

function inWords({ isSent, why }: Sent): string {
  return isSent ? ' (sent again)' : why === null ? '' : ` (cannot be sent again: ${why})`;
}

function headingOf({ receiver, isSuspended }: Missed): string {
  return isSuspended ? `${receiver}  suspended` : receiver;
}

/** Deliveries and endpoints that are not in the list, and why. */
function linesOfAside({ removed, off, comparedFromMs }: Aside): readonly string[] {
  return [
    ...(removed > 0 ? [`Left out: ${removed} to endpoints that were removed.`] : []),
    ...off.map(
      (id) =>
        `${id} is disabled: events that it did not get meanwhile do not count; --endpoint ${id} shows them.`,
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
    async send({ delivery, isPending }: Missed): Promise<Sent> {
      if (isPending) return { isSent: false, why: null };
      if (delivery === null) {
        impossible++;
        return { isSent: false, why: 'there is no delivery; read it from the feed' };
      }
      try {
        await client.send('POST', `/webhook_delivery/${delivery}/resend`);
      } catch (error) {
        // The delivery or its endpoint is gone. What the key may not do, it may not do for the next one either.
        const isAlone = error instanceof Refused && [404, 409, 410, 422].includes(error.status);
        if (!isAlone) throw error;
        impossible++;
        return { isSent: false, why: error.message };
      }
      count++;
      return { isSent: true, why: null };
    },
  };
}
