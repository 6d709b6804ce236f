/** Statements of the bank: what came in, what came of it, and that nothing is counted twice. */
import { styleText } from 'node:util';
import { answer, heading, line, remark } from '../../src/cli/demo/print.ts';
import { expect, type Resource, type Shop, StepFailed, send } from '../../src/cli/demo/shop.ts';
import type { Stage } from '../../src/cli/demo/stage.ts';
import type { Bank, Statement } from './bank.ts';
import { type References, type Sale, type Sales, showSessions, snapshot } from './books.ts';
import { EXCESS, PARTIAL } from './cast.ts';
import type { Decode } from './code.ts';
import { askedOf, showInstructions } from './instructions.ts';
import { openPage } from './payer.ts';
import { checked, euro, table } from './print.ts';

type Counts = {
  readonly entries: number;
  readonly new: number;
  readonly settled: number;
  readonly open: number;
};

/** Prints a statement as the shop's owner would see it in the bank's own portal. */
export function showStatement({ bookings }: Statement): void {
  table(
    ['Day', 'Amount', 'From or to', 'Reference or text'],
    bookings.map(({ day, direction, amount, name, creditorReference, text = '' }) => [
      day,
      direction === 'credit' ? amount : -amount,
      name,
      creditorReference ?? text,
    ]),
  );
  console.log();
}

/** Uploads a statement as a file, shows both sides of it, and checks what it has brought. */
export async function takeIn(shop: Shop, { name, content }: Statement, wanted: Counts): Promise<Resource> {
  const path = `/v3/bank_statement?name=${name}`;
  line(styleText('dim', `curl -u "$KEY" --data-binary @${name} '${shop.url}${path}'`));
  const { status, message, data } = await send(shop, 'POST', path, content);
  answer(status, message, data, Object.keys(wanted));
  for (const [count, value] of Object.entries(wanted)) expect(`${count} of ${name}`, data[count], value);
  return data;
}

/** Moves the test clock; answers with the day on which it is then, YYYY-MM-DD. */
export async function nextDay(shop: Shop): Promise<string> {
  const { data } = await send(shop, 'POST', '/v3/test_helpers/clock/advance', { seconds: 86_400 });
  return String(data.now).slice(0, 10);
}

export async function firstStatement(
  stage: Stage,
  bank: Bank,
  {
    sales,
    references,
    day,
  }: { readonly sales: Sales; readonly references: References; readonly day: string },
): Promise<void> {
  heading('The bank writes a statement (camt.053), and the shop takes it in');
  const { exact, partial, excess, late, unnamed } = sales;
  const transfer = (sale: Sale, amount: number, said: { text: string } | { creditorReference: string }) =>
    bank.book(day, { amount, direction: 'credit', ...sale.payer, ...said });
  transfer(exact, exact.amount, { creditorReference: references.exact });
  // A payer who types the reference into the field for text, in groups and small letters.
  const typed = references.partial.toLowerCase().replace(/(.{4})(?!$)/g, '$1 ');
  transfer(partial, PARTIAL, { text: `first part, ${typed}` });
  transfer(excess, excess.amount + EXCESS, { creditorReference: references.excess });
  transfer(late, late.amount, { creditorReference: references.late });
  const { iban } = unnamed.payer;
  bank.book(day, {
    amount: unnamed.amount,
    direction: 'credit',
    name: 'L. Meitner',
    iban,
    text: 'Thank you!',
  });
  const strange = { name: 'Umbrella Insurance', iban: 'ES9121000418450200051332' };
  bank.book(day, { amount: 1_234, direction: 'credit', ...strange, text: 'Contract 77, overpaid' });

  const statement = bank.statement(day, day);
  showStatement(statement);
  await takeIn(stage, statement, { entries: 6, new: 6, settled: 4, open: 2 });
  remark('What came of it:');
  console.log();
  await showSessions(stage, [
    [exact, { paid: exact.amount, status: 'completed', payment: 'paid' }],
    [partial, { paid: PARTIAL, status: 'active', payment: 'unpaid' }],
    [excess, { paid: excess.amount + EXCESS, status: 'completed', payment: 'paid' }],
    [late, { paid: late.amount, status: 'expired', payment: 'paid' }],
    [unnamed, { paid: 0, status: 'active', payment: 'unpaid' }],
  ]);

  const { title } = await openPage(late.url);
  if (!title.startsWith('Payment received'))
    throw new StepFailed(`the page of ${late.reference} says "${title}"`);
  console.log();
  checked(`${late.reference} stays expired and is paid all the same; its page says "${title}"`);

  heading('The same file once more');
  const before = await snapshot(stage);
  await takeIn(stage, statement, { entries: 6, new: 6, settled: 4, open: 2 });
  expectSame(await snapshot(stage), before);
  console.log();
  checked('that is the answer of the first time; no session, event, entry or refund has changed');
}

function expectSame(after: string, before: string): void {
  if (after !== before) throw new StepFailed('a statement that was known has changed something');
}

/**
 * The payer of a part is asked for the rest, and pays it on the next day. The statement that shows it begins on the day
 * `since`, which was in the one before. Answers with the day of the rest.
 */
export async function overlap(
  stage: Stage,
  bank: Bank,
  { sale, decode, since }: { readonly sale: Sale; readonly decode: Decode; readonly since: string },
): Promise<string> {
  const rest = sale.amount - PARTIAL;
  heading(`The page of ${sale.reference} asks for the rest`);
  const { text } = await openPage(sale.url);
  for (const each of [euro(PARTIAL), euro(rest)]) {
    if (!text.includes(each)) throw new StepFailed(`the page of ${sale.reference} does not say ${each}`);
  }
  const { reference, ...asked } = await askedOf(stage, sale, rest, decode);
  showInstructions({ reference, ...asked }, rest);
  console.log();
  checked('the code on it asks for the rest as well');

  heading('The next statement overlaps: it has the first day again, and the rest');
  const day = await nextDay(stage);
  bank.book(day, { amount: rest, direction: 'credit', ...sale.payer, creditorReference: reference });
  const statement = bank.statement(since, day);
  showStatement(statement);
  await takeIn(stage, statement, { entries: 7, new: 1, settled: 1, open: 0 });
  console.log();
  await showSessions(stage, [[sale, { paid: sale.amount, status: 'completed', payment: 'paid' }]]);
  return day;
}
