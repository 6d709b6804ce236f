/** Money that goes back: one call, a file for the bank, and the statement that shows it. */
import { heading, line, remark } from '../../src/cli/demo/print.ts';
import { call, expect, expectField, StepFailed, send } from '../../src/cli/demo/shop.ts';
import type { Stage } from '../../src/cli/demo/stage.ts';
import type { Bank } from './bank.ts';
import type { Sale } from './books.ts';
import { EXCESS, shopAccount } from './cast.ts';
import { euro } from './print.ts';
import { nextDay, showStatement, takeIn } from './statements.ts';

export type Refund = {
  readonly id: string;
  /** The transfer's id in the file for the bank. */
  readonly endToEndId: string;
};

export async function refundExcess(stage: Stage, sale: Sale): Promise<Refund> {
  heading(`${sale.reference} was paid in excess: what is too much goes back`);
  const refund = await call(stage, 'POST', '/v3/refund', {
    body: { payin: sale.id, amount: EXCESS, reason: 'Paid in excess' },
    shown: ['id', 'amount', 'status'],
  });
  expectField(refund, 'status', 'pending');

  heading('A file of payments for the bank (pain.001)');
  const file = await call(stage, 'POST', '/v3/payment_file', {
    body: { receiving_account: shopAccount.id },
    shown: ['id', 'amount', 'payments'],
  });
  const { data } = await send(stage, 'GET', `/v3/payment_file/${file.id}/content`);
  const ordered = orderedBy(String(data.content));
  remark('What it tells the bank to do:');
  console.log();
  for (const each of ordered.text.split('\n')) line(each);
  const { iban, name } = sale.payer;
  expect('what the bank is told', [ordered.amount, ordered.iban, ordered.name], [euro(EXCESS), iban, name]);
  return { id: refund.id, endToEndId: ordered.endToEndId };
}

/** The transfers of a payment file, as a bank reads it. */
function orderedBy(file: string) {
  const transfers = file.match(/<CdtTrfTxInf>[\s\S]*?<\/CdtTrfTxInf>/g) ?? [];
  const [text] = transfers;
  if (text === undefined || transfers.length > 1) {
    throw new StepFailed(`the file has ${transfers.length} payments instead of one`);
  }
  const part = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
  return {
    text,
    endToEndId: part(/<EndToEndId>([^<]*)</),
    amount: part(/<InstdAmt Ccy="EUR">([^<]*)</),
    iban: part(/<CdtrAcct><Id><IBAN>([^<]*)</),
    name: part(/<Cdtr><Nm>([^<]*)</),
  };
}

/** The statement begins on the day `since`, which was in the one before. */
export async function carryOut(
  stage: Stage,
  bank: Bank,
  {
    refund: { id, endToEndId },
    sale,
    since,
  }: { readonly refund: Refund; readonly sale: Sale; readonly since: string },
): Promise<void> {
  heading('The bank carries it out, and its next statement shows it');
  const day = await nextDay(stage);
  bank.book(day, { amount: EXCESS, direction: 'debit', ...sale.payer, endToEndId, text: 'Paid in excess' });
  const statement = bank.statement(since, day);
  showStatement(statement);
  await takeIn(stage, statement, { entries: 2, new: 1, settled: 1, open: 0 });
  console.log();
  const settled = await call(stage, 'GET', `/v3/refund/${id}`, { shown: ['status', 'amount', 'reference'] });
  expectField(settled, 'status', 'succeeded');
}
