/** The books are closed: sessions, money and events, each held against the others. */
import { heading } from '../../src/cli/demo/print.ts';
import { expect, StepFailed } from '../../src/cli/demo/shop.ts';
import type { Stage } from '../../src/cli/demo/stage.ts';
import { isBroken, type Outcome } from '../../src/store/check/check.ts';
import { checkSqlite } from '../../src/store/sqlite/check.ts';
import { openForReading } from '../../src/store/sqlite/file.ts';
import type { Bank } from './bank.ts';
import { type Sales, showEvents, showLedger, showPayins, showSessions, typesOf } from './books.ts';
import { EXCESS } from './cast.ts';
import { checked, euro } from './print.ts';
import type { Refund } from './refund.ts';

export async function closeBooks(
  stage: Stage,
  bank: Bank,
  { sales, refund }: { readonly sales: Sales; readonly refund: Refund },
): Promise<void> {
  const all = Object.values(sales);
  const isExcess = (sale: Sales['exact']) => sale === sales.excess;
  heading('In the end: the sessions');
  await showSessions(
    stage,
    all.map((sale) => {
      const paid = sale.amount + (isExcess(sale) ? EXCESS : 0);
      return [sale, { paid, status: sale === sales.late ? 'expired' : 'completed', payment: 'paid' }];
    }),
  );

  heading('The money, as the bank has booked it');
  const entries = await showLedger(stage, all);
  const balance = entries.reduce(
    (sum, { direction, amount }) => sum + (direction === 'credit' ? amount : -amount),
    bank.openingBalance,
  );
  expect('the balance of all entries', balance, bank.balance());
  console.log();
  checked(`the entries lead from ${euro(bank.openingBalance)} to ${euro(balance)}, as the bank says`);

  heading('The money, as it is booked for the sessions');
  const payins = await showPayins(stage, all);
  for (const { id, reference, paid, refunded } of payins) {
    const parts = entries.flatMap((entry) => entry.parts).filter(({ payin }) => payin === id);
    const booked = parts.reduce((sum, { amount }) => sum + amount, 0);
    expect(`what is booked for ${reference}`, booked, paid);
    expect(`what went back of ${reference}`, refunded, id === sales.excess.id ? EXCESS : 0);
  }
  console.log();
  checked('of each session, what is paid is the sum of its entries');
  const kept = payins.reduce((sum, { paid, refunded }) => sum + paid - refunded, 0);
  expect(
    'what the sessions have kept',
    kept,
    all.reduce((sum, { amount }) => sum + amount, 0),
  );
  checked(`${euro(kept)} is kept: what the orders cost, to the cent`);

  heading('The events, as webhooks and the feed tell them');
  const events = await showEvents(stage, all);
  for (const { id, reference } of all) {
    const paid = typesOf(events, id).filter((type) => type === 'checkout.paid');
    expect(`the number of checkout.paid of ${reference}`, paid.length, 1);
  }
  const refunded = events.filter(({ data }) => data.id === refund.id).map(({ type }) => type);
  expect('the events of the refund', refunded, ['refund.pending', 'refund.succeeded']);
  console.log();
  checked('each session was paid once, and the refund was made once');
  const rules = await rulesOf(stage.databasePath);
  const broken = rules.filter(isBroken).map(({ rule }) => rule);
  if (broken.length > 0) throw new StepFailed(`the database breaks rules: ${broken.join('; ')}`);
  checked(`and all ${rules.length} rules of "opentill db check" hold in the database`);
}

/** Results of `opentill db check` by rule, while the service runs. */
async function rulesOf(path: string): Promise<Outcome[]> {
  const rules: Outcome[] = [];
  const database = openForReading(path);
  try {
    await checkSqlite(database, { outcome: (outcome) => rules.push(outcome), progress: () => {} });
  } finally {
    database.close();
  }
  return rules;
}
