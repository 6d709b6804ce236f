/**
 * Money due to go back by bank transfer: refunds and returns with their accounts, and those that cannot be sent, with
 * the reason.
 */
import type { CheckoutId, RefundId } from '../checkout/ids.ts';
import { MAX_AMOUNT } from '../checkout/money.ts';
import { type Checkout, heldOf, type Refund } from '../checkout/session.ts';
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
/** Pending refunds or entries examined for one file, at most. */
const MAX_LOOKED_AT = 5000;
const PAGE = 100;

export async function outgoingFrom(
  store: Reader,
  tenant: Tenant,
  account: ReceivingAccount,
  configured: readonly ReceivingAccount[],
): Promise<Outgoing> {
  const refunds: Array<CreditTransfer & { checkout: CheckoutId }> = [];
  const returns: Array<CreditTransfer & { reference: string }> = [];
  const leftOut: Array<{ id: string; reason: string }> = [];
  let total = 0;
  /** True if one more transfer fits, by number and by an exact sum. The rest goes into the next file. */
  const fits = (amount: number) =>
    refunds.length + returns.length < MAX_PAYMENTS && total + amount <= MAX_AMOUNT;
  for await (const { id, checkout } of all((page) =>
    store.refunds.list(tenant, { rail: BANK, isPending: true }, page),
  )) {
    const refund = checkout.refunds.find((each) => each.id === id);
    if (refund?.reference !== '' || checkout.currency !== account.currency) continue;
    const from = await payerOf(store, tenant, checkout, refund, account, configured);
    if (from === null) continue;
    if (typeof from === 'string') leftOut.push({ id, reason: from });
    else if (heldOf(checkout, refund.attempt) < 0)
      leftOut.push({ id, reason: 'the bank has taken the payment back' });
    else if (!fits(refund.amount)) break;
    else {
      total += refund.amount;
      const remittance = [checkout.referenceId, refund.reason].filter(Boolean).join(' ');
      refunds.push({ id, checkout: checkout.id, amount: refund.amount, creditor: from, remittance });
    }
  }
  for await (const entry of all((page) => store.bankEntries.list(tenant, { state: 'waiting' }, page))) {
    const { id, reference, sentBack } = entry;
    if (sentBack?.state !== 'pending' || sentBack.file !== '' || entry.account !== account.id) continue;
    const problem = accountProblem(entry, account);
    if (problem !== null) leftOut.push({ id, reason: problem });
    else if (!fits(sentBack.amount)) break;
    else {
      total += sentBack.amount;
      const remittance = sentBack.reason || entry.remittance;
      returns.push({ id, reference, amount: sentBack.amount, creditor: entry.counterparty, remittance });
    }
  }
  return { refunds, returns, leftOut };
}

/** Recipient of a refund; a sentence if it is unknown; null if another account sends the refund. */
async function payerOf(
  store: Reader,
  tenant: Tenant,
  checkout: Checkout,
  refund: Refund,
  account: ReceivingAccount,
  configured: readonly ReceivingAccount[],
): Promise<CreditTransfer['creditor'] | string | null> {
  const payments = checkout.payments.filter(
    ({ attempt, rail }) => attempt === refund.attempt && rail === BANK,
  );
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
  if (payers.size > 1 && newest.amount < refund.amount) return 'the money came from several accounts';
  return accountProblem(entry, account) ?? entry.counterparty;
}

function accountProblem({ counterparty }: BankEntry, { currency, iban }: ReceivingAccount): string | null {
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
