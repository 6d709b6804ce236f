/** `listen`: brings the events of an account to a developer's machine, as the service would deliver them. */
import { parseArgs } from 'node:util';
import { parseEvent } from '../events/envelope.ts';
import { newWebhookSecret } from '../webhooks/secrets.ts';
import { clientOptions, createClient } from './client.ts';
import { endOfFeed } from './events/feed.ts';
import { follow } from './events/follow.ts';
import { aboutEvent, createHandOver } from './events/hand-over.ts';
import { selectorsOf } from './events/selectors.ts';
import { parsed, UsageError } from './usage-error.ts';

/** The last one comes from a terminal that is closed; where the lines go to a file, they end as with the others. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
  const types = selectorsOf('--types', values.types);
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
  for (const signal of SIGNALS) process.on(signal, leave);
  // Whoever read the lines has left.
  process.stdout.on('error', () => process.exit(0));

  const handOver =
    target === null
      ? null
      : createHandOver({
          url: target.href,
          secret,
          isSecretGiven: values.secret !== undefined,
          stop: stop.signal,
        });
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
      const { body } = told;
      if (body !== null && handOver === null)
        console.log(aboutEvent(parseEvent(body), told.cursor).join('  '));
      else if (body !== null && !(await handOver?.take({ body, before: cursor, cursor: told.cursor }))) break;
      cursor = told.cursor;
      if (stop.signal.aborted) break;
    }
  } catch (error) {
    if (error instanceof UsageError && cursor !== first) error.message += `; go on with --after ${cursor}`;
    tellGivenUp(handOver?.givenUp() ?? null);
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave);
  }
  tellGivenUp(handOver?.givenUp() ?? null);
  const words = commandWords(values, target, secret);
  console.log(`Stopped; go on with ${words.join(' ')} --after ${cursor}`);
}

function tellGivenUp(given: { readonly count: number; readonly before: string } | null): void {
  if (given !== null)
    console.log(
      `${given.count} given up, the first behind the cursor ${given.before}: --after ${given.before} begins there`,
    );
}

/** The command as it has to be typed to go on, without secrets that were not shown before. */
function commandWords(
  { url, types, secret: given }: { readonly [option in 'url' | 'types' | 'secret']?: string | undefined },
  target: URL | null,
  secret: string,
): readonly string[] {
  return [
    'opentill listen',
    ...(url === undefined ? [] : ['--url', quoted(url)]),
    ...(target === null
      ? []
      : ['--forward', quoted(target.href), '--secret', given === undefined ? secret : '…']),
    ...(types ? ['--types', quoted(types)] : []),
  ];
}

/** As a shell takes it for one word. */
function quoted(text: string): string {
  return /^[\w:/.@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function receiverAddress(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new UsageError('--forward takes an address such as http://localhost:4000/hooks');
  }
  url.hash = '';
  return url;
}

function secretOf(given: string | undefined): string {
  if (given === undefined) return newWebhookSecret();
  // The value is a secret: the message must not repeat it.
  if (!/^whsec_[A-Za-z0-9+/]{2,}={0,2}$/.test(given))
    throw new UsageError('--secret takes a webhook secret of the form whsec_… and base64');
  return given;
}
