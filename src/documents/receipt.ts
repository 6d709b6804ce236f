/** Receipt as a PDF, with a code that leads to its proof. */
import { moment } from '../i18n/locale.ts';
import type { ReceiptFacts } from './facts.ts';
import { openSheet } from './open.ts';
import { corner, head, movements, orderSection, sums, testMark } from './order.ts';
import { bytesOf } from './pen.ts';
import { numberPages } from './sheet.ts';

export async function drawReceipt(facts: ReceiptFacts): Promise<Buffer> {
  const { locale, payments, goneBack } = facts;
  const { messages } = locale.language;
  const { document } = messages;
  const sheet = await openSheet(facts, messages.receiptTitle, (each) => testMark(each, facts));
  const top = sheet.y();
  await head(sheet, facts, messages.receiptTitle, [[messages.date, moment(locale, facts.issuedAt)]]);
  corner(sheet, top, facts.verifyUrl, document.verify);
  await orderSection(sheet, facts);
  sums(sheet, facts);
  await movements(sheet, facts, messages.payments, messages.method, payments);
  await movements(sheet, facts, document.refunds, document.status, goneBack);
  numberPages(sheet, facts.sessionId, (page, pages) => document.page(`${page}`, `${pages}`));
  return bytesOf(sheet.pen);
}
