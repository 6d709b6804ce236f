/**
 * Money due to go back by bank transfer: refunds and returns with their accounts, and those that cannot be sent, with
 * the reason.
 */
import type { CheckoutId, RefundId } from '../checkout/ids.ts';
import { MAX_AMOUNT } from '../checkout/money.ts';
import type { Checkout, Payment } from '../checkout/session.ts';
import { heldOf } from '../checkout/statuses.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { BANK, type ReceivingAccount } from '../methods/bank/receiving-account.ts';
import { type BankEntry, type EntryId, entryOfPayment } from './entry.ts';
import { type CreditTransfer, isIban } from './payment-file.ts';

type PageRequest = { readonly limit: number; readonly after?: string };
type Page<T> = { readonly rows: readonly T[]; readonly hasMore: boolean };

/** Reads of the store, which knows the entries of this room and not the other way round. */
type Reader = {
  readonly refunds: {
    list(
      tenant: Tenant,
      filter: { readonly rail: string; readonly isPending: true },
      page: PageRequest,
    ): Promise<Page<{ readonly id: RefundId; readonly checkout: Checkout }>>;
  };
  readonly bankEntries: {
    fetch(tenant: Tenant, id: EntryId): Promise<BankEntry | null>;
    list(tenant: Tenant, filter: { readonly state: 'waiting' }, page: PageRequest): Promise<Page<BankEntry>>;
  };
};

export type Outgoing = {
  readonly refunds: ReadonlyArray<CreditTransfer & { readonly checkout: CheckoutId }>;
  readonly returns: ReadonlyArray<CreditTransfer & { readonly reference: string }>;
  readonly leftOut: ReadonlyArray<{ readonly id: string; readonly reason: string }>;
};

/** Transfers in one file, at most: banks accept as many without asking, and they fit into one transaction. */
const MAX_PAYMENTS = 500;
/** Pending refunds or entries examined for files, at most. */
const MAX_LOOKED_AT = 5000;
const PAGE = 100;

type Gathered = {
  readonly account: ReceivingAccount;
  readonly refunds: Array<CreditTransfer & { checkout: CheckoutId }>;
  readonly returns: Array<CreditTransfer & { reference: string }>;
  readonly leftOut: Array<{ id: string; reason: string }>;
  total: number;
  /** Set once something did not fit: the rest goes into the next file. */
  isFull: boolean;
};

/** True if one more transfer fits, by number and by an exact sum. */
function fits(file: Gathered, amount: number): boolean {
  const { refunds, returns, total } = file;
  file.isFull = refunds.length + returns.length >= MAX_PAYMENTS || total + amount > MAX_AMOUNT;
  if (!file.isFull) file.total += amount;
  return !file.isFull;
}

export async function outgoingFrom(
  store: Reader,
  tenant: Tenant,
  account: ReceivingAccount,
  configured: readonly ReceivingAccount[],
): Promise<Outgoing> {
  const file = emptyFile(account);
  await gather(store, tenant, [file], configured);
  const { refunds, returns, leftOut } = file;
  return { refunds, returns, leftOut };
}

/** The same of every account, in one look at what is pending. */
export async function outgoingFromAll(
  store: Reader,
  tenant: Tenant,
  configured: readonly ReceivingAccount[],
): Promise<ReadonlyArray<Outgoing & { readonly account: ReceivingAccount; readonly total: number }>> {
  const files = configured.map(emptyFile);
  await gather(store, tenant, files, configured);
  return files;
}

const emptyFile = (account: ReceivingAccount): Gathered => ({
  account,
  refunds: [],
  returns: [],
  leftOut: [],
  total: 0,
  isFull: false,
});

async function gather(
  store: Reader,
  tenant: Tenant,
  files: readonly Gathered[],
  configured: readonly ReceivingAccount[],
): Promise<void> {
  for (const due of await refundsDue(store, tenant)) {
    const open = files.filter(({ isFull }) => !isFull);
    if (open.length === 0) break;
    const { id, checkout, currency, amount, held, remittance } = due;
    for (const file of open.filter(({ account }) => account.currency === currency)) {
      const from = await payerOf(store, tenant, due, file.account, configured);
      if (from === null) continue;
      if (typeof from === 'string') file.leftOut.push({ id, reason: from });
      else if (held < 0) file.leftOut.push({ id, reason: 'the bank has taken the payment back' });
      else if (fits(file, amount)) file.refunds.push({ id, checkout, amount, creditor: from, remittance });
    }
  }
  for (const file of files) file.isFull = false;
  for (const { sentBack, ...entry } of await returnsDue(store, tenant)) {
    const { id, reference } = entry;
    const file = files.find(({ account }) => account.id === entry.account);
    if (file === undefined || file.isFull) continue;
    const problem = accountProblem(entry, file.account);
    if (problem !== null) file.leftOut.push({ id, reason: problem });
    else if (fits(file, sentBack.amount)) {
      const remittance = sentBack.reason || entry.remittance;
      file.returns.push({ id, reference, amount: sentBack.amount, creditor: entry.counterparty, remittance });
    }
  }
}

/** A refund that no file has. A session is large, and thousands of refunds may be due: of theirs, this is kept. */
type RefundDue = Omit<Outgoing['refunds'][number], 'creditor'> & {
  readonly currency: string;
  /** Amount that is left of the payment. */
  readonly held: number;
  /** The transfers that have brought it. */
  readonly payments: readonly Payment[];
};

/** The refunds that are in no file, the oldest first: those that come meanwhile push none out of a file that is full. */
async function refundsDue(store: Reader, tenant: Tenant): Promise<readonly RefundDue[]> {
  const due: RefundDue[] = [];
  for await (const { id, checkout } of all((page) =>
    store.refunds.list(tenant, { rail: BANK, isPending: true }, page),
  )) {
    const refund = checkout.refunds.find((each) => each.id === id);
    if (!refund || refund.paymentFile !== undefined) continue;
    due.push({
      id,
      checkout: checkout.id,
      currency: checkout.currency,
      amount: refund.amount,
      remittance: [checkout.referenceId, refund.reason].filter(Boolean).join(' '),
      held: heldOf(checkout, refund.attempt),
      payments: checkout.payments.filter(({ attempt, rail }) => attempt === refund.attempt && rail === BANK),
    });
  }
  return due.reverse();
}

type ReturnDue = Pick<BankEntry, 'id' | 'reference' | 'account' | 'counterparty' | 'remittance'> & {
  readonly sentBack: NonNullable<BankEntry['sentBack']>;
};

/** The same of money without a session. */
async function returnsDue(store: Reader, tenant: Tenant): Promise<readonly ReturnDue[]> {
  const due: ReturnDue[] = [];
  for await (const entry of all((page) => store.bankEntries.list(tenant, { state: 'waiting' }, page))) {
    const { id, reference, account, counterparty, remittance, sentBack } = entry;
    if (sentBack?.state !== 'pending' || sentBack.file !== '') continue;
    due.push({ id, reference, account, counterparty, remittance, sentBack });
  }
  return due.reverse();
}

/** Recipient of a refund; a sentence if it is unknown; null if another account sends the refund. */
async function payerOf(
  store: Reader,
  tenant: Tenant,
  { payments, amount }: RefundDue,
  account: ReceivingAccount,
  configured: readonly ReceivingAccount[],
): Promise<CreditTransfer['creditor'] | string | null> {
  const paid: Array<{ readonly amount: number; readonly entry: BankEntry }> = [];
  for (const payment of payments.toReversed()) {
    const id = entryOfPayment(payment);
    const entry = id === null ? null : await store.bankEntries.fetch(tenant, id);
    if (entry) paid.push({ amount: payment.amount, entry });
  }
  const [newest] = paid;
  if (!newest) return 'no statement entry names the payer';
  const { entry } = newest;
  if (entry.account !== account.id) {
    // A refund for a removed account would be in no file at all, so it is reported as left out.
    const isGone = configured.every(({ id }) => id !== entry.account);
    return isGone
      ? `the money arrived in the account "${entry.account}", which is no longer configured`
      : null;
  }
  const payers = new Set(paid.map((each) => each.entry.counterparty.account));
  if (payers.size > 1 && newest.amount < amount) return 'the money came from several accounts';
  return accountProblem(entry, account) ?? entry.counterparty;
}

function accountProblem(
  { counterparty }: Pick<BankEntry, 'counterparty'>,
  { currency, iban }: ReceivingAccount,
): string | null {
  if (counterparty.account === '') return 'the bank did not report the payer’s account';
  const needsIban = currency === 'EUR' && iban !== null;
  return needsIban && !isIban(counterparty.account) ? 'the payer’s account is not an IBAN' : null;
}

async function* all<T extends { readonly id: string }>(
  read: (page: PageRequest) => Promise<Page<T>>,
): AsyncGenerator<T> {
  let after: string | undefined;
  for (let seen = 0; seen < MAX_LOOKED_AT; seen += PAGE) {
    const { rows, hasMore } = await read({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield* rows;
    after = rows.at(-1)?.id;
    if (!hasMore || after === undefined) return;
  }
}
