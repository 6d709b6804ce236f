/** `bank inbox|assign|ignore|send-back|reopen`: entries of statements that wait, and what a person decides about them. */
import { parseArgs } from 'node:util';
import { formatAmount } from '../../checkout/money.ts';
import { amountOf } from '../amount.ts';
import { type Client, clientOptions, createClient } from '../client.ts';
import { printable } from '../printable.ts';
import { parsed, takesNothing, UsageError } from '../usage-error.ts';

type Entry = {
  readonly id: string;
  readonly status: string;
  readonly problem: string;
  readonly direction: 'credit' | 'debit';
  readonly amount: number;
  readonly amount_unassigned: number;
  readonly currency: string;
  readonly booked_on: string;
  readonly receiving_account: string;
  readonly counterparty: { readonly name: string; readonly account: string };
  readonly creditor_reference: string;
  readonly remittance: string;
  readonly return_reason: string;
  readonly suggestions: ReadonlyArray<{ readonly payin: string; readonly score: number }>;
  readonly sent_back: { readonly amount: number; readonly status: string } | null;
};

const SHOWN = 100;
const MOST_SHOWN = 10_000;

export async function inbox(args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...clientOptions,
        all: { type: 'boolean', default: false },
        limit: { type: 'string', default: String(SHOWN) },
      },
    }),
  );
  takesNothing('bank inbox', positionals);
  const limit = Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_SHOWN)
    throw new UsageError(`--limit takes a number from 1 to ${MOST_SHOWN}`);
  const client = createClient(values);
  // What a person has to decide goes before what may still settle by itself.
  const queries: ReadonlyArray<Record<string, string>> = values.all
    ? [{}]
    : [{ status: 'open' }, { status: 'waiting' }];
  let shown = 0;
  for (const query of queries) {
    for await (const page of client.pages<Entry>('/bank_entry', query)) {
      for (const each of page) {
        // Not where scripts read the list.
        if (shown === limit)
          return console.error('opentill: there are more; --limit says how many are shown');
        console.log(lineOf(each));
        shown++;
      }
    }
  }
  if (shown === 0) console.error(`opentill: ${values.all ? 'there are no entries' : 'nothing waits'}`);
}

export async function assign(args: readonly string[]): Promise<void> {
  const { client, entry: id, rest } = wordsOf('bank assign', args);
  if (rest.length === 0) throw new UsageError('bank assign takes the payins that the entry is for, chk_…');
  const parts = rest.map((each) => each.split('=', 2) as [string, string?]);
  // Amounts are typed in the currency of the entry.
  const isSplit = parts.some(([, amount]) => amount !== undefined);
  const { currency } = isSplit ? await entryOf(client, id) : { currency: '' };
  const body = {
    parts: parts.map(([payin, amount]) => ({
      payin,
      ...(amount === undefined ? {} : { amount: amountOf(amount, currency) }),
    })),
  };
  show(await client.send<Entry>('POST', `${pathOf(id)}/assign`, body));
}

export async function ignore(args: readonly string[]): Promise<void> {
  const { client, entry, rest, reason } = wordsOf('bank ignore', args, withReason);
  takesNothing('bank ignore', rest);
  if (!reason) throw new UsageError('bank ignore needs --reason, such as --reason Interest');
  show(await client.send<Entry>('POST', `${pathOf(entry)}/ignore`, { reason }));
}

export async function sendBack(args: readonly string[]): Promise<void> {
  const { client, entry, rest, reason } = wordsOf('bank send-back', args, withReason);
  takesNothing('bank send-back', rest);
  show(await client.send<Entry>('POST', `${pathOf(entry)}/send_back`, reason ? { reason } : {}));
}

export async function reopen(args: readonly string[]): Promise<void> {
  const { client, entry, rest, reason } = wordsOf('bank reopen', args, withReason);
  takesNothing('bank reopen', rest);
  show(await client.send<Entry>('POST', `${pathOf(entry)}/reopen`, reason ? { reason } : {}));
}

const withReason = { reason: { type: 'string' } } as const;

function wordsOf(command: string, args: readonly string[], own: Partial<typeof withReason> = {}) {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...args], allowPositionals: true, options: { ...clientOptions, ...own } }),
  );
  const [entry, ...rest] = positionals;
  if (!entry?.startsWith('ntc_')) throw new UsageError(`${command} takes the id of the entry, ntc_…`);
  const { url, key, reason } = values as { url?: string; key?: string; reason?: string };
  return { client: createClient({ url, key }), entry, rest, reason };
}

function entryOf(client: Client, id: string): Promise<Entry> {
  return client.get<Entry>(pathOf(id));
}

function pathOf(id: string): string {
  return `/bank_entry/${encodeURIComponent(id)}`;
}

/** What became of it. */
function show({ id, status, amount_unassigned: left, currency, sent_back }: Entry): void {
  const goesBack = sent_back?.status === 'pending' ? formatAmount(sent_back.amount, currency) : '';
  const columns = [
    id,
    status,
    goesBack === '' ? '' : `${goesBack} goes back with the next file of payments`,
    left === 0 ? '' : `${formatAmount(left, currency)} is left`,
  ];
  console.log(columns.filter((text) => text !== '').join('  '));
}

/** All columns are there, so that scripts find them at their places. */
function lineOf(entry: Entry): string {
  const { id, booked_on, receiving_account, counterparty, problem, suggestions, status } = entry;
  const columns = [
    id,
    booked_on,
    amountOfEntry(entry),
    receiving_account,
    printable(counterparty.name || counterparty.account),
    printable(entry.remittance || entry.creditor_reference || entry.return_reason),
    problem,
    suggestions.map(({ payin, score }) => `${payin} (${score})`).join(', '),
    status,
  ];
  return columns.map((text) => text || '-').join('  ');
}

/** Of an entry that is booked in part, what is left comes first. */
function amountOfEntry({ direction, amount, amount_unassigned: left, currency }: Entry): string {
  const whole = `${direction === 'debit' ? '-' : ''}${formatAmount(amount, currency)}`;
  return left > 0 && left < amount ? `${formatAmount(left, currency)} of ${whole}` : whole;
}
