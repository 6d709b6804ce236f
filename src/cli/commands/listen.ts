import { parseEvent } from '../../events/envelope.ts';
import { newWebhookSecret } from '../../webhooks/secrets.ts';
import type { Client } from '../client.ts';
import { addressFrom, apiCommand } from '../declare/access.ts';
import { linesOf, type RecordOf } from '../declare/json.ts';
import { optional, type Value, withDefault } from '../declare/parameter.ts';
import { selectors } from '../declare/values.ts';
import { endOfFeed, type FeedEvent, subjectOf } from '../events/feed.ts';
import { follow } from '../events/follow.ts';
import { aboutEvent, createHandOver } from '../events/hand-over.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output.ts';

/** The last one comes from a terminal that is closed; where the lines go to a file, they end as with the others. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const receiverAddress: Value<URL> = {
  placeholder: 'address',
  parse: (text) => {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
      throw new Error('takes an address such as http://localhost:4000/hooks');
    url.hash = '';
    return url;
  },
};

const webhookSecret: Value<string> = {
  placeholder: 'whsec_…',
  parse: (text) => {
    // The value is a secret: the message must not repeat it.
    if (!/^whsec_[A-Za-z0-9+/]{2,}={0,2}$/.test(text))
      throw new Error('takes a webhook secret of the form whsec_… and base64');
    return text;
  },
};

const cursor: Value<string> = {
  placeholder: 'cursor',
  parse: (text) => {
    if (text !== 'latest' && !/^\d{1,15}$/.test(text))
      throw new Error('takes a cursor, which is a number, or latest');
    return text;
  },
};

const json = linesOf({
  started: {
    url: 'Address of the server.',
    mode: '`test` or `live`.',
    after: 'Cursor after which it starts.',
    forward: 'Address that events are forwarded to, or null.',
    secret: 'Secret that signs them, if the command generated it; otherwise null.',
  },
  event: { cursor: 'Cursor after the event.', event: 'The event, as webhooks carry it.' },
  attempt: {
    cursor: 'Cursor after the event.',
    event: 'Id of the event.',
    type: 'Its type.',
    subject: 'Id of the session or other object that it is about.',
    outcome: '`taken`, `retried`, `given_up`, or `stopped` if the command was stopped before.',
    status: 'HTTP status of the answer, or null.',
    answer: 'The answer in words.',
    duration_ms: 'Duration of the attempt.',
  },
  stopped: {
    after: 'Cursor to continue from with `--after`.',
    given_up: 'Number of events that were given up.',
    first_given_up_after: 'The cursor before the first of them, or null.',
  },
});

export const command = apiCommand('read')({
  purpose: 'Show the events of the account as they happen, until Ctrl-C.',
  details: [
    'With `--forward`, each event is sent to an address as a webhook, one at a time, and retried if it is not accepted. Keys of live mode cannot forward.',
  ],
  options: {
    forward: optional(receiverAddress, 'Address to which each event is sent, signed as a webhook.'),
    secret: optional(webhookSecret, 'Secret of your receiver. Default: a new one, which is shown.'),
    types: optional(
      selectors,
      'Only these events: types such as `checkout.paid`, or all of a kind such as `checkout.*`.',
    ),
    after: withDefault(cursor, 'latest', 'Start after this cursor; 0 is the beginning, `latest` is now.'),
  },
  json,
  examples: [
    ['opentill listen', 'Show new events'],
    ['opentill listen --forward http://localhost:4000/hooks', 'Receive webhooks on this machine'],
    ["opentill listen --types 'checkout.*,payin.succeeded' --after 0", 'Some events, from the beginning'],
  ],
  check: ({ forward, secret, key }) => [
    ...(forward === undefined && secret !== undefined ? ['--secret needs --forward'] : []),
    ...(forward !== undefined && key.mode === 'live'
      ? [
          '--forward takes a key of test mode only: events of live mode hold data of real payers, and go to webhook endpoints',
        ]
      : []),
  ],
  run: listen,
});

type Given = {
  readonly forward: URL | undefined;
  readonly secret: string | undefined;
  readonly types: readonly string[] | undefined;
  readonly after: string;
};
type Context = { readonly client: Client; readonly output: Output<RecordOf<typeof json>> };

async function listen(given: Given, { client, output }: Context): Promise<void> {
  const { forward = null, types = [] } = given;
  const secret = given.secret ?? (forward === null ? null : newWebhookSecret());
  const stop = new AbortController();
  const leave = () => {
    // Asked twice: somebody is in a hurry.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, leave);
  // The reader of the lines has left.
  process.stdout.on('error', () => process.exit(0));

  const handOver =
    forward === null || secret === null
      ? null
      : createHandOver({
          url: forward.href,
          secret,
          isSecretGiven: given.secret !== undefined,
          stop: stop.signal,
          onAttempt: ({ event, cursor, receipt, outcome, text }) => {
            const { status, answer, durationMs: duration_ms } = receipt;
            const about = { cursor, event: event.id, type: event.type, subject: subjectOf(event) };
            output.record(
              { record: 'attempt', ...about, outcome, status, answer, duration_ms },
              text.join('  '),
            );
          },
        });
  const first = given.after === 'latest' ? await endOfFeed(client) : given.after;
  let cursor = first;
  const onConnected = (isFirst: boolean) => {
    if (!isFirst) return output.remark('connected again');
    const shown = given.secret === undefined ? secret : null;
    output.record(
      {
        record: 'started',
        url: client.base,
        mode: client.mode,
        after: first,
        forward: forward?.href ?? null,
        secret: shown,
      },
      [
        `Events of ${client.mode} mode at ${client.base}, from the cursor ${first} on`,
        ...(shown === null ? [] : [`Webhook secret  ${shown}`]),
        ...(forward === null ? [] : [`Forwarded to ${forward.href}`]),
      ],
    );
  };
  const onLost = (reason: string) => output.remark(`the connection is lost: ${reason}; reconnecting`);
  const tellGivenUp = () => {
    const givenUp = handOver?.givenUp() ?? null;
    if (givenUp === null) return;
    const { count, before } = givenUp;
    output.line(`${count} given up, the first after the cursor ${before}: --after ${before} begins there`);
  };
  try {
    for await (const told of follow(client, {
      after: first,
      types,
      stop: stop.signal,
      onConnected,
      onLost,
    })) {
      const { body } = told;
      if (body !== null && handOver === null) {
        const event: FeedEvent = parseEvent(body);
        const line = aboutEvent(event, told.cursor).join('  ');
        output.record({ record: 'event', cursor: told.cursor, event }, line);
      } else if (body !== null && !(await handOver?.take({ body, before: cursor, cursor: told.cursor })))
        break;
      cursor = told.cursor;
      if (stop.signal.aborted) break;
    }
  } catch (error) {
    if (error instanceof Failure && cursor !== first) error.message += `; continue with --after ${cursor}`;
    tellGivenUp();
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave);
  }
  tellGivenUp();
  const givenUp = handOver?.givenUp() ?? null;
  output.record(
    {
      record: 'stopped',
      after: cursor,
      given_up: givenUp?.count ?? 0,
      first_given_up_after: givenUp?.before ?? null,
    },
    `Stopped; continue with ${commandWords(client, given, secret).join(' ')} --after ${cursor}`,
  );
}

/** The command as it has to be typed to go on, without secrets that were not shown before. */
function commandWords(
  { base }: Client,
  { forward, types, secret: given }: Given,
  secret: string | null,
): readonly string[] {
  // The address in the environment is there again.
  const isElsewhere = base !== addressFrom(process.env);
  return [
    'opentill listen',
    ...(isElsewhere ? ['--url', quoted(base)] : []),
    ...(forward === undefined
      ? []
      : ['--forward', quoted(forward.href), '--secret', given === undefined ? `${secret}` : '…']),
    ...(types === undefined ? [] : ['--types', quoted(types.join(','))]),
  ];
}

/** One word for a shell. */
function quoted(text: string): string {
  return /^[\w:/.@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
