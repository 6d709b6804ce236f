/** `webhooks`: the endpoints of an account, and what was sent to them. */
import { parseArgs } from 'node:util';
import { type Client, clientOptions, createClient } from './client.ts';
import { momentOf, secondsOf } from './moment.ts';
import { printable } from './printable.ts';
import type { Delivery } from './reconcile/missed.ts';
import { actionOf, parsed, takesNothing, UsageError } from './usage-error.ts';

type Endpoint = {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  readonly status: string;
  readonly disabled_reason: string;
  readonly health: { readonly status: string; readonly last_error: string };
  readonly previous_secret_expires_at: string | null;
  readonly secret?: string;
};

const options = {
  ...clientOptions,
  events: { type: 'string' },
  description: { type: 'string' },
  enable: { type: 'boolean' },
  disable: { type: 'boolean' },
  overlap: { type: 'string' },
  status: { type: 'string' },
  limit: { type: 'string' },
  'failed-since': { type: 'string' },
  endpoint: { type: 'string' },
} as const;

type Name = keyof typeof options;
type Words = { readonly values: Values; readonly positionals: readonly string[] };
type Values = Readonly<Partial<Record<Exclude<Name, 'enable' | 'disable'>, string>>> & {
  readonly enable?: boolean;
  readonly disable?: boolean;
};
type Action = {
  /** What it takes beside `--url` and `--key`: words and options. */
  readonly words: readonly string[];
  readonly optional?: true;
  readonly takes: readonly Name[];
  readonly run: (client: Client, words: Words) => Promise<void>;
};

const SHOWN = 20;
const MOST_SHOWN = 10_000;

const actions: Readonly<Record<string, Action>> = {
  list: { words: [], takes: [], run: list },
  add: { words: ['the address'], takes: ['events', 'description', 'disable'], run: add },
  update: {
    words: ['the id of the endpoint, whe_…', 'another address'],
    optional: true,
    takes: ['events', 'description', 'enable', 'disable'],
    run: update,
  },
  remove: { words: ['the id of the endpoint, whe_…'], takes: [], run: remove },
  rotate: { words: ['the id of the endpoint, whe_…'], takes: ['overlap'], run: rotate },
  deliveries: { words: ['the id of the endpoint, whe_…'], takes: ['status', 'limit'], run: deliveries },
  resend: {
    words: ['the id of the delivery, whd_…'],
    optional: true,
    takes: ['failed-since', 'endpoint'],
    run: resend,
  },
};

export async function webhooks(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  const action = actionOf('webhooks', actions, name);
  const { values, positionals } = parsed(() => parseArgs({ args: rest, allowPositionals: true, options }));
  takesNothing(`webhooks ${name}`, positionals.slice(action.words.length));
  const needed = action.optional ? action.words.length - 1 : action.words.length;
  if (positionals.length < needed)
    throw new UsageError(`webhooks ${name} takes ${action.words[positionals.length]}`);
  const foreign = Object.keys(values).filter((each) => !['url', 'key', ...action.takes].includes(each));
  takesNothing(
    `webhooks ${name}`,
    foreign.map((each) => `--${each}`),
  );
  await action.run(createClient(values as Values), { values: values as Values, positionals });
}

async function list(client: Client): Promise<void> {
  for await (const page of client.pages<Endpoint>('/webhook_endpoint')) for (const each of page) show(each);
}

async function add(client: Client, { values, positionals: [url] }: Words): Promise<void> {
  const endpoint = await client.send<Endpoint>('POST', '/webhook_endpoint', { url, ...fieldsOf(values) });
  show(endpoint);
  showSecret(endpoint);
}

async function update(client: Client, { values, positionals: [id = '', url] }: Words): Promise<void> {
  const fields = { ...(url === undefined ? {} : { url }), ...fieldsOf(values) };
  if (Object.keys(fields).length === 0)
    throw new UsageError(
      'webhooks update takes another address, --events, --description, --enable or --disable',
    );
  show(await client.send<Endpoint>('PUT', `/webhook_endpoint/${encodeURIComponent(id)}`, fields));
}

async function remove(client: Client, { positionals: [id = ''] }: Words): Promise<void> {
  await client.send('DELETE', `/webhook_endpoint/${encodeURIComponent(id)}`);
  console.log(`${id} is removed`);
}

async function rotate(client: Client, { values, positionals: [id = ''] }: Words): Promise<void> {
  const overlap =
    values.overlap === undefined ? {} : { overlap_seconds: secondsOf('--overlap', values.overlap) };
  const path = `/webhook_endpoint/${encodeURIComponent(id)}/rotate_secret`;
  const endpoint = await client.send<Endpoint>('POST', path, overlap);
  showSecret(endpoint);
  const until = endpoint.previous_secret_expires_at;
  console.log(
    until === null ? 'The one before is not used any more.' : `The one before signs as well until ${until}.`,
  );
}

async function deliveries(client: Client, { values, positionals: [id = ''] }: Words): Promise<void> {
  const limit = Number(values.limit ?? SHOWN);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_SHOWN)
    throw new UsageError(`--limit takes a number from 1 to ${MOST_SHOWN}`);
  const query = { limit: String(Math.min(limit, 100)), ...(values.status ? { status: values.status } : {}) };
  let left = limit;
  const path = `/webhook_endpoint/${encodeURIComponent(id)}/deliveries`;
  for await (const page of client.pages<Delivery & { created_at: string }>(path, query)) {
    for (const each of page.slice(0, left)) {
      const times = each.attempts === 1 ? '1 attempt' : `${each.attempts} attempts`;
      const about = [
        each.id,
        each.created_at,
        each.status.padEnd(9),
        each.event,
        each.event_type,
        each.checkout,
      ];
      console.log([...about, times, printable(each.last_error)].filter((text) => text !== '').join('  '));
    }
    left -= page.length;
    if (left <= 0) return;
  }
}

async function resend(client: Client, { values, positionals: [id] }: Words): Promise<void> {
  const since = values['failed-since'];
  if ((id === undefined) === (since === undefined) || (id !== undefined && values.endpoint !== undefined))
    throw new UsageError(
      'webhooks resend takes the id of a delivery, whd_…, or --failed-since, such as 2h, with or without --endpoint',
    );
  if (id !== undefined) {
    await client.send('POST', `/webhook_delivery/${encodeURIComponent(id)}/resend`);
    console.log(`${id} is sent again`);
    return;
  }
  const body = {
    since: new Date(momentOf('--failed-since', since ?? '', Date.now())).toISOString(),
    ...(values.endpoint === undefined ? {} : { endpoint: values.endpoint }),
  };
  type Resent = { readonly resent: number; readonly has_more: boolean; readonly next_cursor: string | null };
  let count = 0;
  for (let after: string | null | undefined; after !== null; ) {
    const from = after === undefined ? body : { ...body, after };
    const { resent, has_more, next_cursor } = await client.send<Resent>(
      'POST',
      '/webhook_delivery/resend',
      from,
    );
    count += resent;
    after = has_more ? next_cursor : null;
  }
  console.log(`${count} sent again`);
}

function fieldsOf({ events, description, enable, disable }: Values): object {
  if (enable && disable) throw new UsageError('--enable and --disable exclude each other');
  return {
    ...(events === undefined ? {} : { events: events.split(',').map((each) => each.trim()) }),
    ...(description === undefined ? {} : { description }),
    ...(enable ? { status: 'enabled' } : disable ? { status: 'disabled' } : {}),
  };
}

function show({ id, url, events, description, status, disabled_reason, health }: Endpoint): void {
  const reason = disabled_reason === '' ? '' : ` (${disabled_reason})`;
  const trouble = health.status === 'healthy' ? '' : `, ${health.status}: ${printable(health.last_error)}`;
  const columns = [
    id,
    `${status}${reason}${trouble}`,
    printable(url),
    events.join(','),
    printable(description),
  ];
  console.log(columns.filter((text) => text !== '').join('  '));
}

function showSecret({ secret = '' }: Endpoint): void {
  console.log(`Webhook secret  ${secret}`);
  console.log('It is shown only now.');
}
