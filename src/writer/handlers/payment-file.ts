/**
 * Commands to make a file of payments. What goes into it is decided on what was loaded, and marked in the same
 * transaction: of two files made at once only one has a refund.
 */
import { createHash } from 'node:crypto';
import type { BankFile } from '../../banking/bank-file.ts';
import { type CreditTransfer, paymentFile } from '../../banking/payment-file.ts';
import { paymentsTag } from '../../banking/tags.ts';
import { decide } from '../../checkout/decide.ts';
import { formatAmount } from '../../checkout/money.ts';
import { isRefusal, type Refusal, refuse, refuseFields } from '../../checkout/refusals.ts';
import type { Checkout } from '../../checkout/session.ts';
import { heldOf } from '../../checkout/statuses.ts';
import type { Loaded, Needs, Writes } from '../../store/store.ts';
import { auditOf, type Context, type Decided, type MakePaymentFile } from '../command.ts';
import { writesOfChange } from './checkout.ts';

/** Limit of the reasons that a refusal names for what cannot be sent. */
const MAX_REASONS = 20;

export function paymentFileNeeds({ origin: { tenant }, refunds, returns }: MakePaymentFile): Needs {
  const checkouts = [...new Set(refunds.map(({ checkout }) => checkout))];
  return { tenant, checkouts, bankEntries: returns.map(({ reference }) => reference), endpoints: true };
}

type Included = { readonly transfers: readonly CreditTransfer[]; readonly writes: readonly Writes[] };

export function decideOnPaymentFile(
  command: MakePaymentFile,
  loaded: Loaded,
  context: Context,
): Decided<BankFile> | Refusal {
  const { origin, now, id, account } = command;
  const refunds = includedRefunds(command, loaded, context);
  if (isRefusal(refunds)) return refunds;
  const returns = includedReturns(command, loaded);
  const transfers = [...refunds.transfers, ...returns.transfers];
  if (transfers.length === 0) {
    const reasons = command.leftOut.slice(0, MAX_REASONS).map(({ id, reason }) => ` ${id}: ${reason}.`);
    return refuse('nothing_to_pay', `No refund or return can leave this account now.${reasons.join('')}`);
  }
  const amount = transfers.reduce((sum, each) => sum + each.amount, 0);
  if (command.version !== undefined && command.version !== paymentsTag(account, transfers)) {
    const payments = `${transfers.length} of them, ${formatAmount(amount, account.currency)} together`;
    const detail = `must be that of the payments that the file would have now: ${payments}`;
    return refuseFields([{ pointer: '/version', detail }]);
  }
  const content = paymentFile({ id, createdAt: now, executeOn: command.executeOn, account, transfers });
  const file: BankFile = {
    id,
    kind: 'payments',
    createdAt: now,
    hash: createHash('sha256').update(content).digest('hex'),
    data: {
      receiving_account: account.id,
      currency: account.currency,
      amount,
      execute_on: command.executeOn,
      payments: transfers.map(({ id, amount, creditor }) => ({ id, amount, account: creditor.account })),
      left_out: command.leftOut.map(({ id, reason }) => ({ id, reason })),
    },
    content,
  };
  const added = { bankFile: file, audit: auditOf(origin, id, 0, now, 'add_payments') };
  return { value: file, writes: [added, ...refunds.writes, ...returns.writes] };
}

/** The refunds that no other file, and no statement, was faster with. */
function includedRefunds(
  { origin, now, id, refunds }: MakePaymentFile,
  { checkouts, endpoints }: Loaded,
  context: Context,
): Included | Refusal {
  const changed = new Map<string, Checkout>();
  const transfers: CreditTransfer[] = [];
  const writes: Writes[] = [];
  for (const { checkout, ...transfer } of refunds) {
    const session = changed.get(checkout) ?? checkouts.get(checkout);
    const refund = session?.refunds.find((each) => each.id === transfer.id);
    if (!session || refund?.status !== 'pending') continue;
    // The bank has taken the payment back meanwhile: what is refunded now would be the merchant's own.
    if (heldOf(session, refund.attempt) < 0) continue;
    const decision = decide(session, {
      type: 'report_refund',
      now,
      refund: refund.id,
      status: 'pending',
      reference: '',
      failure: '',
      syncAt: null,
      paymentFile: id,
    });
    if (isRefusal(decision)) return decision;
    // Another file has it: a refund stays in the first that it was put into.
    if (decision.kind === 'unchanged') continue;
    transfers.push(transfer);
    changed.set(checkout, decision.checkout);
    const told = { origin, now, type: 'report_refund' };
    writes.push(writesOfChange(decision, session, endpoints, told, context));
  }
  return { transfers, writes };
}

/** The same for money without a session. */
function includedReturns(
  { origin, now, id, returns }: MakePaymentFile,
  { bankEntries }: Pick<Loaded, 'bankEntries'>,
): Included {
  const found = returns.flatMap(({ reference, ...transfer }) => {
    const entry = bankEntries.get(reference);
    if (entry?.sentBack?.state !== 'pending' || entry.sentBack.file !== '') return [];
    // Somebody has decided anew meanwhile: the next file has what that comes to.
    if (entry.sentBack.amount !== transfer.amount) return [];
    const filed = { ...entry, sentBack: { ...entry.sentBack, file: id } };
    return [{ transfer, writes: { bankEntry: filed, audit: auditOf(origin, entry.id, 0, now, 'filed') } }];
  });
  return { transfers: found.map(({ transfer }) => transfer), writes: found.map(({ writes }) => writes) };
}
