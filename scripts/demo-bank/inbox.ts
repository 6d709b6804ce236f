/** The inbox: money that waits for a person, who says what it is. */
import { heading, line, remark } from '../../src/cli/demo/print.ts';
import { call, expect, expectField, StepFailed } from '../../src/cli/demo/shop.ts';
import type { Stage } from '../../src/cli/demo/stage.ts';
import { type Entry, listed, type Sales, showSessions } from './books.ts';
import { table } from './print.ts';

export async function clearInbox(stage: Stage, sales: Sales): Promise<void> {
  const { unnamed } = sales;
  heading('The inbox: what the statements had without a reference');
  const entries = (await listed<Entry>(stage, 'bank_entry?status=open')).toReversed();
  const nameOf = (id: string) => Object.values(sales).find((sale) => sale.id === id)?.reference ?? id;
  table(
    ['From', 'Amount', 'Text', 'Problem', 'Suggested (of 100)'],
    entries.map(({ counterparty, amount, remittance, problem, suggestions }) => [
      counterparty.name,
      amount,
      remittance,
      problem,
      suggestions.map(({ payin, score }) => `${nameOf(payin)} (${score})`).join(', ') || 'none',
    ]),
  );
  const likely = entries.find(({ suggestions }) => suggestions.length > 0);
  const strange = entries.find(({ suggestions }) => suggestions.length === 0);
  if (!likely || !strange || entries.length !== 2) {
    throw new StepFailed('the inbox has not the two entries, one with a suggestion and one without');
  }
  const suggested = likely.suggestions.map(({ payin }) => payin);
  expect('what is suggested', suggested, [unnamed.id]);

  remark('The suggestion is right: a person books it.');
  console.log();
  const assigned = await call(stage, 'POST', `/v3/bank_entry/${likely.id}/assign`, {
    body: { parts: [{ payin: unnamed.id }] },
    shown: ['status', 'amount_unassigned'],
  });
  expectField(assigned, 'status', 'done');
  console.log();
  await showSessions(stage, [[unnamed, { paid: unnamed.amount, status: 'completed', payment: 'paid' }]]);

  remark('The other has nothing to do with any order.');
  console.log();
  const ignored = await call(stage, 'POST', `/v3/bank_entry/${strange.id}/ignore`, {
    body: { reason: 'Insurance premium' },
    shown: ['status', 'note'],
  });
  expectField(ignored, 'status', 'ignored');
  const left = await listed<Entry>(stage, 'bank_entry?status=open');
  if (left.length > 0) throw new StepFailed(`${left.length} entries are still in the inbox`);
  console.log();
  line('The inbox is empty.');
}
