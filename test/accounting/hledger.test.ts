/** Journals of hledger, read by a parser that knows nothing of how they were written: every transaction balances. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { hledgerJournal } from '../../src/accounting/hledger.ts';
import { daysIn, type Movement } from '../../src/accounting/movement.ts';
import { currencyExponent } from '../../src/checkout/money.ts';
import { hostileTexts, movement, pagesOf, textOf } from './build.ts';

const accounts = { money: 'assets:opentill', income: 'income:sales', fees: 'expenses:fees' };
const journal = (movements: readonly Movement[], zone = 'UTC') =>
  textOf(hledgerJournal(pagesOf(movements), { dayOf: daysIn(zone), accounts }));

type Posting = { readonly account: string; readonly amount: bigint; readonly currency: string };
type Transaction = { readonly head: string; readonly comments: string[]; readonly postings: Posting[] };

/** Reads a journal by the grammar of hledger's manual; each line has to be a part of it. */
function parsed(text: string): Transaction[] {
  const lines = text.split('\n');
  assert.equal(lines.pop(), '', 'the last line ends');
  const transactions: Transaction[] = [];
  const declared = new Set<string>();
  for (const line of lines) {
    if (/^;/.test(line) || line === '' || line === 'decimal-mark .') continue;
    const directive = /^account \S(?: ?\S)*$|^commodity 1000\.\d* [A-Z]{3}$/.exec(line)?.[0];
    if (directive !== undefined) {
      assert.ok(!declared.has(directive), `${line} twice`);
      declared.add(directive);
      continue;
    }
    if (/^\d/.test(line)) {
      assert.match(line, /^\d{4}-\d\d-\d\d [!*] \(mov_\w+\) [^;|]*$/);
      transactions.push({ head: line, comments: [], postings: [] });
      continue;
    }
    const last = transactions.at(-1);
    assert.ok(last, line);
    const comment = /^ {4}; (.*)$/.exec(line)?.[1];
    if (comment !== undefined) {
      last.comments.push(comment);
      continue;
    }
    const [, account = '', sign = '', major = '', minor = '', currency = ''] =
      /^ {4}(\S(?: ?\S)*) {2,}(-?)(\d+)(?:\.(\d+))? ([A-Z]{3})$/.exec(line) ?? assert.fail(line);
    assert.equal(minor.length, currencyExponent(currency), line);
    assert.ok(declared.has(`account ${account}`), `${account} is declared`);
    assert.ok(
      declared.has(`commodity 1000.${'0'.repeat(minor.length)} ${currency}`),
      `${currency} is declared`,
    );
    last.postings.push({ account, amount: BigInt(`${sign}${major}${minor}`), currency });
  }
  for (const { head, postings } of transactions) {
    const sums = Map.groupBy(postings, ({ currency }) => currency);
    for (const [currency, each] of sums)
      assert.equal(
        each.reduce((sum, { amount }) => sum + amount, 0n),
        0n,
        `${head} in ${currency}`,
      );
  }
  return transactions;
}

suite('a journal of hledger', () => {
  test('has a payment, its fee, a refund and a reversal, each in balance', async () => {
    const transactions = parsed(
      await journal([
        movement({ fee: { amount: 59, currency: 'EUR' } }),
        movement({ type: 'refund', amount: 400, reference: 'rfd_1', refund_status: 'pending' }),
        movement({ type: 'reversal', amount: 100, rail: 'stripe' }),
      ]),
    );
    assert.deepEqual(
      transactions.map(({ head, postings }) => [
        head.replace(/\(.*\)/, '()'),
        ...postings.map(({ account, amount }) => `${account} ${amount}`),
      ]),
      [
        [
          '2030-01-31 * () order-1001',
          'assets:opentill:bank 2500',
          'income:sales -2500',
          'expenses:fees 59',
          'assets:opentill:bank -59',
        ],
        ['2030-01-31 ! () order-1001', 'assets:opentill:bank -400', 'income:sales 400'],
        ['2030-01-31 * () order-1001', 'assets:opentill:stripe -100', 'income:sales 100'],
      ],
    );
    assert.match(transactions[1]?.comments[0] ?? '', /^type:refund, payin:chk_\w+, reference:rfd_1$/);
  });

  test('has as many digits as each currency, however large the amount', async () => {
    const text = await journal([
      movement({ currency: 'JPY', amount: 300 }),
      movement({ currency: 'KWD', amount: 1 }),
      movement({ amount: 999_999_999_999_999, fee: { amount: 88, currency: 'JPY' } }),
    ]);
    assert.equal(parsed(text).length, 3);
    for (const amount of ['300 JPY', '-300 JPY', '0.001 KWD', '9999999999999.99 EUR', '-88 JPY'])
      assert.ok(text.includes(`  ${amount}\n`), amount);
  });

  test('takes no text for a part of itself', async () => {
    const hostile = hostileTexts.map((text) =>
      movement({ reference_id: text, reference: text, rail: text.trim() === '' ? 'bank' : 'odd' }),
    );
    const transactions = parsed(await journal(hostile));
    assert.equal(transactions.length, hostile.length);
    for (const { head, comments, postings } of transactions) {
      assert.equal(postings.length, 2);
      assert.equal(comments.length, 1);
      assert.match(comments[0] ?? '', /^type:payment, payin:chk_\w+, reference:[^,:|;]*$/);
      assert.doesNotMatch(head, /[\u202a-\u202e\u200b\p{Cc}\p{Cs}]/u);
    }
  });

  test('declares each account and commodity once, on whichever page it comes first', async () => {
    const one = movement();
    const other = movement({ rail: 'stripe', fee: { amount: 88, currency: 'JPY' } });
    const pages = pagesOf([one, one], [other], [one, other]);
    const text = await textOf(hledgerJournal(pages, { dayOf: daysIn('UTC'), accounts }));
    assert.equal(parsed(text).length, 5);
    assert.deepEqual(text.match(/^(account|commodity) .*/gm), [
      'account assets:opentill:bank',
      'commodity 1000.00 EUR',
      'account income:sales',
      'account assets:opentill:stripe',
      'account expenses:fees',
      'commodity 1000. JPY',
    ]);
  });

  test('has the day of the time zone', async () => {
    const late = movement({ created_at: '2030-01-31T23:30:00.000Z' });
    assert.match(await journal([late]), /^2030-01-31 /m);
    assert.match(await journal([late], 'Europe/Berlin'), /^2030-02-01 /m);
  });
});
