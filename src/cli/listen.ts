/** `listen`: brings the events of an account to a developer's machine, as the service would deliver them. */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newWebhookSecret } from '../keys.ts';
import { eventTypes } from '../webhooks/event-types.ts';
import { clientOptions, createClient } from './client.ts';
import { endOfFeed, type FeedEvent, subjectOf } from './events/feed.ts';
import { follow } from './events/follow.ts';
import { forward } from './events/forward.ts';
import { parsed, UsageError } from './usage-error.ts';

/** Before an event is sent again that was not taken. After the last of them it stays behind in the feed. */
const PAUSES_MS = [500, 1000, 2000];

export async function listen(args: readonly string[]): Promise<void> {
  const { values } = parsed(() =>
    parseArgs({
      args: [...args],
      options: {
        ...clientOptions,
        forward: { type: 'string' },
        types: { type: 'string', default: '' },
        after: { type: 'string', default: 'latest' },
        secret: { type: 'string' },
      },
    }),
  );
  const target = values.forward === undefined ? null : receiverAddress(values.forward);
  if (target === null && values.secret !== undefined)
    throw new UsageError('--secret is of use with --forward only');
  const types = typesOf(values.types);
  if (values.after !== 'latest' && !/^\d{1,15}$/.test(values.after))
    throw new UsageError('--after takes a cursor, which is a number, or latest');
  const secret = target === null ? '' : secretOf(values.secret);
  const client = createClient(values);
  if (target !== null && client.mode === 'live') {
    throw new UsageError(
      'listen forwards the events of test mode only: those of live mode hold what real payers have entered, and go to webhook endpoints',
    );
  }

  const stop = new AbortController();
  const leave = () => {
    // Asked twice: somebody is in a hurry.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, leave);
  // Whoever read the lines has left.
  process.stdout.on('error', () => process.exit(0));

  const first = values.after === 'latest' ? await endOfFeed(client) : values.after;
  let cursor = first;
  const onConnected = (isFirst: boolean) => {
    if (!isFirst) {
      console.error('opentill: connected again');
      return;
    }
    console.log(`Events of ${client.mode} mode at ${client.base}, from the cursor ${first} on`);
    if (target === null) return;
    if (values.secret === undefined) console.log(`Webhook secret  ${secret}`);
    console.log(`Forwarded to ${target.href}`);
  };
  const onLost = (reason: string) =>
    console.error(`opentill: the connection is lost: ${reason}; trying again until it is there`);
  const options = { after: first, types, stop: stop.signal, onConnected, onLost };
  try {
    for await (const told of follow(client, options)) {
      if (told.body !== null && !(await handle(told.body, target, secret, stop.signal))) break;
      cursor = told.cursor;
      if (stop.signal.aborted) break;
    }
  } catch (error) {
    if (error instanceof UsageError && cursor !== first) error.message += `; go on with --after ${cursor}`;
    throw error;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, leave);
  }
  console.log(`Stopped; go on with --after ${cursor}`);
}

/** False if it was stopped before the event was taken or given up. */
async function handle(body: string, target: URL | null, secret: string, stop: AbortSignal): Promise<boolean> {
  const event: FeedEvent = JSON.parse(body);
  const about = [event.created_at, event.type.padEnd(31), subjectOf(event)];
  if (target === null) {
    console.log([...about, event.id].join('  '));
    return true;
  }
  for (const pauseMs of [...PAUSES_MS, null]) {
    const { isTaken, answer, durationMs } = await forward(target.href, secret, body, event);
    const next =
      isTaken || stop.aborted ? '' : pauseMs === null ? ' (given up)' : ` (again in ${pauseMs / 1000} s)`;
    console.log([...about, `${durationMs} ms`, `${answer}${next}`].join('  '));
    if (isTaken || pauseMs === null) return true;
    await pause(pauseMs, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return false;
  }
  return true;
}

function receiverAddress(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new UsageError('--forward takes an address such as http://localhost:4000/hooks');
  }
  url.hash = '';
  return url;
}

function typesOf(text: string): readonly string[] {
  const types = text
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');
  const wrong = types.find((type) => !eventTypes.some((each) => each === type));
  if (wrong !== undefined) throw new UsageError(`--types takes ${eventTypes.join(', ')}, and not "${wrong}"`);
  return types;
}

function secretOf(given: string | undefined): string {
  if (given === undefined) return newWebhookSecret();
  // The value is a secret: the message must not repeat it.
  if (!/^whsec_[A-Za-z0-9+/]{2,}={0,2}$/.test(given))
    throw new UsageError('--secret takes a webhook secret of the form whsec_… and base64');
  return given;
}
