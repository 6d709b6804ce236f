/**
 * Movements as a journal of hledger (hledger.org/hledger.html, "Journal"). Each transaction balances in each of its
 * commodities, so a fee in another currency than its payment needs no rate. Accounts and commodities are declared where
 * the first transaction has them, for the strict mode of hledger: a declaration counts for the whole journal.
 */
import { decimalAmount } from '../checkout/money.ts';
import { type DayOf, isPending, type Movement, type Movements, oneLine, signedAmount } from './movement.ts';

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
  const declared = new Set<string>();
  for await (const page of movements) {
    const transactions = page.map((each) => {
      const postings = postingsOf(each, accounts);
      const needed = postings.flatMap(({ account, currency }) => [
        `account ${account}\n`,
        `commodity ${sampleOf(currency)}\n`,
      ]);
      const anew = [...new Set(needed)].filter((directive) => !declared.has(directive));
      for (const directive of anew) declared.add(directive);
      return `${anew.length > 0 ? `\n${anew.join('')}` : ''}${transactionOf(each, dayOf, postings)}`;
    });
    yield transactions.join('');
  }
}

/** An amount with all digits of its currency. A declaration has a decimal mark, even in front of none. */
const sampleOf = (currency: string): string => {
  const [, fraction = ''] = decimalAmount(0, currency).split('.');
  return `1000.${fraction} ${currency}`;
};

type Posting = { readonly account: string; readonly amount: string; readonly currency: string };

function postingsOf(movement: Movement, { money, income, fees }: JournalAccounts): Posting[] {
  const { currency, fee, rail } = movement;
  const account = `${money}:${plain(rail)}`;
  const amount = signedAmount(movement);
  const own = [
    { account, amount, currency },
    { account: income, amount: negated(amount), currency },
  ];
  if (fee === null || fee.amount === 0) return own;
  const kept = decimalAmount(fee.amount, fee.currency);
  return [
    ...own,
    { account: fees, amount: kept, currency: fee.currency },
    { account, amount: negated(kept), currency: fee.currency },
  ];
}

function transactionOf(movement: Movement, dayOf: DayOf, postings: readonly Posting[]): string {
  const { id, created_at, type, reference, payin, reference_id } = movement;
  const description = plain(reference_id).slice(0, MAX_DESCRIPTION);
  const tags = `type:${type}, payin:${payin}, reference:${plain(reference)}`;
  const mark = isPending(movement) ? '!' : '*';
  return `\n${dayOf(created_at)} ${mark} (${id}) ${description}\n    ; ${tags}\n${postings.map(posted).join('')}`;
}

/** Two blanks end the name of an account. */
const posted = ({ account, amount, currency }: Posting): string => `    ${account}  ${amount} ${currency}\n`;

const negated = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);

/** Text without what begins a comment, a note or a tag, or ends a code or a tag. */
const plain = (text: string): string => oneLine(text.replace(/[;|,:()]/g, ' '));
