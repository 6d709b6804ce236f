/**
 * Takes in a statement. It is read through once before anything is written, so that a file with a mistake leaves nothing
 * behind; then each entry is taken in by itself, once however often it is met. After a crash in between, the next try
 * finds what is there already and goes on.
 */
import type { JsonObject } from '../../checkout/session.ts';
import { type Tenant, tenantName } from '../../checkout/tenant.ts';
import { newId } from '../../lib/id.ts';
import type { ReceivingAccount } from '../../methods/bank/receiving-account.ts';
import { StatementError, type StatementHeader } from '../../statements/entry.ts';
import { entryKey, occurrenceCounter } from '../../statements/identity.ts';
import type { CsvMapping } from '../../statements/mapping.ts';
import { readStatement } from '../../statements/read.ts';
import type { Store } from '../../store/store.ts';
import type { Origin, Reply } from '../../writer/command.ts';
import type { Executed } from '../../writer/writer.ts';
import type { BankFile } from '../bank-file.ts';
import { newEntry } from '../entry.ts';
import { representBankFile } from '../representation.ts';
import { type Booking, bookingsOf } from './bookings.ts';
import { type Duties, type Taken, takeIn, takeInParts } from './entries.ts';

/** Entries under way at once: enough to fill a commit. */
const AT_ONCE = 512;
/** Of the statements of a file, so many are named in what is kept of it. */
const MAX_STATEMENTS_NAMED = 100;
/** Notices of this rail say which id a file of this hash has, before there is one. */
const IMPORT = 'bank_import';

export type StatementFile = {
  /** As the operator calls it. */
  readonly name: string;
  /** Hexadecimal SHA-256 of the content. */
  readonly hash: string;
  /** The content from the beginning, each time it is called. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** For a CSV file: how to read it. */
  readonly mapping: CsvMapping | null;
};

/** Answers with the file as it is kept. Rejects with StatementError for one that cannot be taken in; then nothing was. */
export async function importStatement(
  duties: Duties,
  origin: Origin,
  source: StatementFile,
  now: number,
  reply: Reply,
): Promise<Executed> {
  const { store, execute } = duties;
  const keep = (file: BankFile, isKnown: boolean) => {
    const shows = JSON.stringify(representBankFile(file));
    return execute({ subject: 'bank_file', origin, now, file, isKnown, reply, shows });
  };
  const known = () => store.bankFiles.fetchByHash(origin.tenant, 'statement', source.hash);
  return inTurn(origin.tenant, async () => {
    const before = await known();
    if (before) return keep(before, true);
    const file = await takenIn(duties, origin, source, now);
    try {
      return await keep(file, false);
    } catch (error) {
      // Two processes that take in the same file at once share the work, and one of them is the first to finish.
      const winner = await known();
      if (winner) return keep(winner, true);
      throw error;
    }
  });
}

/** The import under way of each account and mode: two that tell of the same at once could not see each other. */
const turns = new Map<string, Promise<unknown>>();

/** One after the other in this process. */
async function inTurn<T>(tenant: Tenant, work: () => Promise<T>): Promise<T> {
  const name = tenantName(tenant);
  const turn = (turns.get(name) ?? Promise.resolve()).then(work, work);
  turns.set(name, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(name) === turn) turns.delete(name);
  }
}

async function takenIn(
  duties: Duties,
  origin: Origin,
  source: StatementFile,
  now: number,
): Promise<BankFile> {
  const known = await accountFinder(duties.store, origin.tenant);
  const read = () => readStatement(source.open(), source.mapping === null ? {} : { mapping: source.mapping });
  for await (const part of read()) if (part.kind === 'statement') known(part.header);

  const id = await idOfFile(duties, origin.tenant, source.hash, now);
  const counts = { entries: 0, new: 0, settled: 0, open: 0 };
  const statements: string[] = [];
  const count = (taken: readonly Taken[]) => {
    for (const state of taken) {
      if (state === 'known') continue;
      counts.new++;
      counts[state === 'open' || state === 'waiting' ? 'open' : 'settled']++;
    }
  };
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const occurrenceOf = occurrenceCounter();
  for await (const booking of bookingsOf(read(), (header) => {
    if (statements.length < MAX_STATEMENTS_NAMED) statements.push(header.statementId);
  })) {
    counts.entries += booking.entries.length;
    const taken = takeInBooking(booking)
      .then(count)
      .catch((error) => {
        failures.push(error);
      })
      .finally(() => underWay.delete(taken));
    underWay.add(taken);
    if (underWay.size >= AT_ONCE) await Promise.race(underWay);
    if (failures.length > 0) break;
  }
  await Promise.all(underWay);
  // What was taken in stays; the next try of the same file finds it there.
  if (failures.length > 0) throw failures[0];
  const data: JsonObject = { name: source.name, statements, ...counts };
  return { id, kind: 'statement', createdAt: now, hash: source.hash, data, content: '' };

  /** Numbers its entries before anything is waited for, in the order of the file: of equal ones the second stays so. */
  function takeInBooking({ header: said, entries, sum }: Booking): Promise<readonly Taken[]> {
    const { id: account, header } = known(said);
    const numbered = entries.map((entry) => ({
      entry: newEntry(entry, account, id),
      reference: entryKey(header, entry, occurrenceOf(header, entry)),
    }));
    const work = { duties, origin, file: id, now };
    if (sum === null) return Promise.all(numbered.map((each) => takeIn(work, each)));
    const reference = entryKey(header, sum, occurrenceOf(header, sum));
    return takeInParts(work, { entry: newEntry(sum, account, id), reference }, numbered, AT_ONCE);
  }
}

/**
 * The id that the file is to have. It is written down before the first entry, for entries name it: whoever goes on after
 * a crash, or takes in the same file at the same time, uses the same.
 */
async function idOfFile(
  { store, execute }: Duties,
  tenant: Tenant,
  hash: string,
  now: number,
): Promise<string> {
  const id = newId('bfl', now);
  const notice = {
    id: newId('ntc', now),
    rail: IMPORT,
    reference: hash,
    receivedAt: now,
    state: 'done',
    dueAt: null,
    tries: 0,
    data: { file: id },
  } as const;
  await execute({ subject: 'notice', tenant, notice });
  const kept = await store.notices.fetchByReference(tenant, IMPORT, hash);
  return typeof kept?.data.file === 'string' ? kept.data.file : id;
}

type Known = {
  /** The operator's name of the account. */
  readonly id: string;
  /** With the account as it is written here, whatever the bank has written: entries are known again by it. */
  readonly header: StatementHeader;
};

/** Finds the account that a statement is about; a statement of another account is refused. */
async function accountFinder(store: Store, { account: number, mode }: Tenant) {
  const settings = (await store.accounts.fetch(number))?.settings[mode];
  const receiving = settings?.receivingAccounts ?? [];
  const found = new Map<StatementHeader, Known>();
  return (header: StatementHeader): Known => {
    const before = found.get(header);
    if (before) return before;
    const { account, currency } = header;
    const isNamed = namedInParts(account);
    const isWhole = ({ iban, qrIban, accountNumber }: ReceivingAccount) =>
      [iban, qrIban, accountNumber].some((each) => each && compact(each) === compact(account));
    const ofCurrency = receiving.filter((each) => each.currency === currency);
    const one = ofCurrency.find(isWhole) ?? ofCurrency.find(isNamed);
    if (!one) {
      throw new StatementError(
        `the statement is about ${account} in ${currency}, which is no receiving account`,
      );
    }
    const written = one.iban ?? `${compact(one.bankCode ?? '')}/${compact(one.accountNumber ?? '')}`;
    const known = { id: one.id, header: { ...header, account: written } };
    // One at a time: each statement of a file is behind the one before it.
    found.clear();
    found.set(header, known);
    return known;
  };
}

/** Some banks write `<code of the bank>/<number>` (MT940, field 25), where the IBAN has both as its last part. */
function namedInParts(account: string): (known: ReceivingAccount) => boolean {
  const [bank = '', number = '', ...rest] = account.split('/').map(compact);
  const plain = number.replace(/^0+/, '');
  if (plain === '' || bank === '' || rest.length > 0) return () => false;
  return ({ iban, bankCode, accountNumber }) => {
    const national = iban?.slice(4) ?? '';
    const isOfIban = national.startsWith(bank) && national.slice(bank.length).replace(/^0+/, '') === plain;
    return (
      isOfIban ||
      (compact(bankCode ?? '') === bank && compact(accountNumber ?? '').replace(/^0+/, '') === plain)
    );
  };
}

/** Account numbers are written with blanks, dots and dashes by some, and without by others. */
function compact(account: string): string {
  return account.toUpperCase().replace(/[^0-9A-Z]/g, '');
}
