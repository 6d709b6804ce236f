/**
 * Movements as a journal of hledger (hledger.org/hledger.html, "Journal"). Each transaction balances in each of its
 * commodities, so a fee in another currency than its payment needs no rate.
 */
import { decimalAmount } from '../checkout/money.ts';
import { type DayOf, type Movement, type Movements, oneLine, signedAmount } from './movement.ts';

export type JournalAccounts = {
  /** Account of the money; each rail has an account below it. */
  readonly money: string;
  readonly income: string;
  readonly fees: string;
};

/** An account of a journal has no character that ends it: two blanks, a semicolon, or brackets at its ends. */
export const ACCOUNT_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_/&.-]*(?:[ :][\p{L}\p{N}_/&.-]+)*$/u;

const HEAD = '; Payments, refunds and reversals of opentill\ndecimal-mark .\n';
const MAX_DESCRIPTION = 200;

export async function* hledgerJournal(
  movements: Movements,
  { dayOf, accounts }: { readonly dayOf: DayOf; readonly accounts: JournalAccounts },
): AsyncGenerator<string> {
  yield HEAD;
  for await (const page of movements) yield page.map((each) => transactionOf(each, dayOf, accounts)).join('');
}

function transactionOf(movement: Movement, dayOf: DayOf, { money, income, fees }: JournalAccounts): string {
  const { id, created_at, type, currency, fee, rail, reference, payin, reference_id } = movement;
  const account = `${money}:${plain(rail)}`;
  const isPending = movement.refund_status === 'pending';
  const amount = signedAmount(movement);
  const postings = [posting(account, amount, currency), posting(income, negated(amount), currency)];
  if (fee !== null && fee.amount > 0) {
    const kept = decimalAmount(fee.amount, fee.currency);
    postings.push(posting(fees, kept, fee.currency), posting(account, negated(kept), fee.currency));
  }
  const description = plain(reference_id).slice(0, MAX_DESCRIPTION);
  const tags = `type:${type}, payin:${payin}, reference:${plain(reference)}`;
  return `\n${dayOf(created_at)} ${isPending ? '!' : '*'} (${id}) ${description}\n    ; ${tags}\n${postings.join('')}`;
}

/** Two blanks end the name of an account. */
const posting = (account: string, amount: string, currency: string): string =>
  `    ${account}  ${amount} ${currency}\n`;

const negated = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);

/** Text without what begins a comment, a note or a tag, or ends a code or a tag. */
const plain = (text: string): string => oneLine(text.replace(/[;|,:()]/g, ' '));
