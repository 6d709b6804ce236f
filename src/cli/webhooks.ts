/** `webhooks`: the endpoints of an account, and what was sent to them. */
import { parseArgs } from 'node:util';
import { type Client, clientOptions, createClient } from './client.ts';
import { selectorsOf } from './events/selectors.ts';
import { momentOf, secondsOf } from './moment.ts';
import { fateOfSecrets } from './overlap.ts';
import { printable } from './printable.ts';
import { attemptsInWords, type Delivery, receiverOfDelivery } from './reconcile/delivery.ts';
import { actionOf, parsed, takesNothing, UsageError } from './usage-error.ts';

type Endpoint = {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  readonly status: string;
  readonly disabled_reason: string;
  readonly health: {
    readonly status: string;
    readonly failing_since: string | null;
    readonly last_error: string;
    readonly next_probe_at: string | null;
  };
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
  deliveries: {
    words: ['the id of the endpoint, whe_…, or a host, such as https://shop.example'],
    optional: true,
    takes: ['status', 'limit'],
    run: deliveries,
  },
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
  let isEmpty = true;
  for await (const page of client.pages<Endpoint>('/webhook_endpoint')) {
    for (const each of page) show(each);
    isEmpty &&= page.length === 0;
  }
  // Not where scripts read the list.
  if (isEmpty) console.error('opentill: there are no webhook endpoints; webhooks add <address> makes one');
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
  const path = `/webhook_endpoint/${encodeURIComponent(id)}`;
  const before = await client.get<Endpoint>(path);
  const endpoint = await client.send<Endpoint>('POST', `${path}/rotate_secret`, overlap);
  showSecret(endpoint);
  const lines = fateOfSecrets(endpoint.previous_secret_expires_at, before.previous_secret_expires_at);
  for (const line of lines) console.log(line);
}

/** Also of an endpoint that was removed: its deliveries are there for as long as any. */
async function deliveries(client: Client, { values, positionals: [of] }: Words): Promise<void> {
  const limit = Number(values.limit ?? SHOWN);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_SHOWN)
    throw new UsageError(`--limit takes a number from 1 to ${MOST_SHOWN}`);
  const origin = of === undefined || of.startsWith('whe_') ? null : originOf(of);
  const query = {
    // Of a host there may be few among many.
    limit: origin === null ? String(Math.min(limit, 100)) : '100',
    ...(values.status ? { status: values.status } : {}),
    ...(of !== undefined && origin === null ? { endpoint: of } : {}),
  };
  let left = limit;
  for await (const page of client.pages<Delivery>('/webhook_delivery', query)) {
    const wanted = page.filter((each) => origin === null || receiverOfDelivery(each) === origin);
    for (const each of wanted.slice(0, left)) showDelivery(each, of === undefined);
    left -= wanted.length;
    if (left <= 0) return;
  }
  if (left < limit) return;
  // Of one that never was there it would be wrong to say only that nothing was sent to it.
  if (of !== undefined && origin === null && !values.status)
    await client.get(`/webhook_endpoint/${encodeURIComponent(of)}`);
  console.error('opentill: there are no such deliveries');
}

function originOf(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url.origin;
  throw new UsageError(
    'webhooks deliveries takes the id of an endpoint, whe_…, or a host, such as https://shop.example',
  );
}

function showDelivery(delivery: Delivery, withReceiver: boolean): void {
  const { id, created_at, status, event, event_type, checkout, last_error } = delivery;
  const columns = [
    id,
    created_at,
    status.padEnd(9),
    event,
    event_type,
    checkout,
    withReceiver ? receiverOfDelivery(delivery) : '',
    attemptsInWords(delivery),
    printable(last_error),
  ];
  console.log(columns.filter((text) => text !== '').join('  '));
}

async function resend(client: Client, { values, positionals: [id] }: Words): Promise<void> {
  const since = values['failed-since'];
  if ((id === undefined) === (since === undefined) || (id !== undefined && values.endpoint !== undefined))
    throw new UsageError(
      'webhooks resend takes the id of a delivery, whd_…, or --failed-since, such as 2h, with or without --endpoint',
    );
  if (id !== undefined) {
    if (!id.startsWith('whd_'))
      throw new UsageError(
        `webhooks resend takes the id of a delivery, whd_…, and not ${printable(id)}; opentill webhooks deliveries shows them`,
      );
    const path = `/webhook_delivery/${encodeURIComponent(id)}`;
    await client.send('POST', `${path}/resend`);
    const { status, next_attempt_at } = await client.get<Delivery>(path);
    const isBehind = status === 'pending' && next_attempt_at === null;
    console.log(`${id} ${isBehind ? 'waits behind an earlier one of its session' : 'is sent again'}`);
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
  const leftOut = values.endpoint === undefined && (await hasFailedToOff(client, body.since));
  console.log(`${count} sent again${leftOut ? '; those to endpoints that are off are left out' : ''}`);
}

/** Whether something has failed since that goes to an endpoint which is off. */
async function hasFailedToOff(client: Client, since: string): Promise<boolean> {
  const query = { status: 'failed', 'created_at[gte]': since, limit: '1' };
  for await (const page of client.pages<Endpoint>('/webhook_endpoint')) {
    for (const { id, status } of page) {
      if (status !== 'disabled') continue;
      const { data } = await client.page('/webhook_delivery', { ...query, endpoint: id });
      if (data.length > 0) return true;
    }
  }
  return false;
}

function fieldsOf({ events, description, enable, disable }: Values): object {
  if (enable && disable) throw new UsageError('--enable and --disable exclude each other');
  return {
    ...(events === undefined ? {} : { events: selectorsOf('--events', events) }),
    ...(description === undefined ? {} : { description }),
    ...(enable ? { status: 'enabled' } : disable ? { status: 'disabled' } : {}),
  };
}

function show({ id, url, events, description, status, disabled_reason, health }: Endpoint): void {
  const reason = disabled_reason === '' ? '' : ` (${disabled_reason})`;
  const columns = [
    id,
    `${status}${reason}${troubleOf(health)}`,
    printable(url),
    events.join(','),
    printable(description),
  ];
  console.log(columns.filter((text) => text !== '').join('  '));
}

function troubleOf({ status, failing_since, next_probe_at, last_error }: Endpoint['health']): string {
  if (status === 'healthy') return '';
  const since = failing_since === null ? '' : ` since ${failing_since}`;
  const probe = next_probe_at === null ? '' : `, next probe ${next_probe_at}`;
  return `, ${status}${since}${probe}: ${printable(last_error)}`;
}

function showSecret({ secret = '' }: Endpoint): void {
  console.log(`Webhook secret  ${secret}`);
  console.log('It is shown only now.');
}
