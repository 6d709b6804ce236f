/** Invoice as a PDF: the amount due, the deadline, and the instructions for a bank transfer. */
import { moment, money } from '../i18n/locale.ts';
import type { InvoiceFacts } from './facts.ts';
import { openSheet } from './open.ts';
import { type Fact, factRows, head, orderSection, QUIET, sectionTitle, sums, testMark } from './order.ts';
import { bytesOf } from './pen.ts';
import { CONTENT_WIDTH, GREY, MM, numberPages, PAGE_HEIGHT, type Sheet, small } from './sheet.ts';
import { drawSwissPart, SWISS_PART_HEIGHT } from './swiss-part.ts';

/** Large enough to be read from paper by every telephone. */
const CODE = 40 * MM;

/** Position of the page number on a page whose foot is a payment part: above the words over its line. */
const FOOT_ABOVE_PART = PAGE_HEIGHT - SWISS_PART_HEIGHT - 8 * MM;

export async function drawInvoice(facts: InvoiceFacts): Promise<Buffer> {
  const { locale, dueAt, instructions } = facts;
  const { messages } = locale.language;
  const { document } = messages;
  const sheet = await openSheet(facts, document.invoiceTitle, (each) => testMark(each, facts));
  const due: Fact[] = dueAt === null ? [] : [[messages.payableUntil, moment(locale, dueAt)]];
  await head(sheet, facts, document.invoiceTitle, [[messages.date, moment(locale, facts.issuedAt)], ...due]);
  await orderSection(sheet, facts);
  sums(sheet, facts);
  const { code } = instructions;
  const isSwiss = code?.swissCross === true;
  if (isSwiss) swissPayment(sheet, facts, code.payload);
  else payment(sheet, facts);
  const { count: pages } = sheet.pen.doc.bufferedPageRange();
  const footOf = (page: number) => (isSwiss && page === pages ? FOOT_ABOVE_PART : PAGE_HEIGHT - 12 * MM);
  numberPages(sheet, facts.sessionId, (page, of) => document.page(`${page}`, `${of}`), footOf);
  return bytesOf(sheet.pen);
}

/** The fields beside the code; nothing of it is torn apart by the end of a page. */
function payment(sheet: Sheet, facts: InvoiceFacts): void {
  const { document } = facts.locale.language.messages;
  const { fields, code } = facts.instructions;
  const all: Fact[] = fields.map(({ label, text }) => [label, text]);
  sheet.space(8);
  // The title, the caption of the code and what stays white around it.
  sheet.room(CODE + 80);
  sectionTitle(sheet, document.howToTransfer);
  const top = sheet.y() + QUIET / 2;
  sheet.moveTo(top);
  const width = code === null ? CONTENT_WIDTH : CONTENT_WIDTH - CODE - 2 * QUIET;
  if (code !== null) {
    const x = CONTENT_WIDTH - CODE;
    sheet.code(code.payload, x, top, CODE);
    sheet.moveTo(top + CODE + QUIET);
    sheet.row([{ text: document.scanToPay, x, width: CODE, style: small, colour: GREY, align: 'end' }]);
    sheet.moveTo(top);
  }
  factRows(sheet, all, width);
}

/** The payment part takes the foot of the last page, with nothing beside it. */
function swissPayment(sheet: Sheet, facts: InvoiceFacts, payload: string): void {
  const { document } = facts.locale.language.messages;
  const amount = money(facts.locale, facts.due, facts.currency);
  sheet.space(8);
  sheet.foot(SWISS_PART_HEIGHT + 22 * MM);
  sheet.row([{ text: document.payWithPart(amount), x: 0, width: CONTENT_WIDTH }]);
  drawSwissPart(sheet.pen, payload, facts.locale.language.id);
}
