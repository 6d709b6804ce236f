/** Common parts of receipts and invoices: payer and payee, items, and the composition of the total. */
import { count, moment, money } from '../i18n/locale.ts';
import type { InvoiceFacts, ItemFacts, Party, ReceiptFacts } from './facts.ts';
import type { Movement } from './money.ts';
import { BLACK, body, type Cell, CONTENT_WIDTH, GREY, type Sheet, small, strong } from './sheet.ts';

export type Facts = ReceiptFacts | InvoiceFacts;

/** Room that a code in the upper corner takes from the side where lines end. */
const CORNER = 92;
const GAP = 14;
/** Room of a logo at most, which leaves the height of the first page to what it says. */
const LOGO = { width: 180, height: 42 };
/** White margin between a code and its surroundings: more than four modules of every code here. */
export const QUIET = 12;

/** A label with its value below. */
export type Fact = readonly [label: string, value: string];

/** Banner on top of every page of a document that is worth nothing. */
export function testMark(sheet: Sheet, { locale, testMode }: Facts): void {
  if (!testMode) return;
  sheet.badge(`TEST · ${locale.language.messages.testMode}`);
  sheet.space(QUIET);
}

/** Title, payee and payer, and the facts by which the document is found again; all of it beside the corner. */
export async function head(sheet: Sheet, facts: Facts, title: string, dates: readonly Fact[]): Promise<void> {
  const { messages } = facts.locale.language;
  const { document } = messages;
  const width = CONTENT_WIDTH - CORNER - GAP;
  const column = (width - GAP) / 2;
  if (facts.logo !== undefined && (await sheet.picture(facts.logo, LOGO))) sheet.space(GAP);
  sheet.row([{ text: title, x: 0, width, style: { size: 20, weight: 'bold' } }]);
  sheet.space(8);
  const taxLine = facts.taxId === '' ? [] : [`${document.taxId}: ${facts.taxId}`];
  const payee = { name: facts.payee.name, lines: [...facts.payee.lines, ...taxLine] };
  const parties = [
    { label: document.payee, party: payee, x: 0 },
    { label: document.payer, party: facts.payer, x: column + GAP },
  ];
  const shown = parties.filter(({ party }) => party.name !== '' || party.lines.length > 0);
  sheet.row(shown.map(({ label, x }) => ({ text: label, x, width: column, style: small, colour: GREY })));
  const lineCount = Math.max(...shown.map(({ party }) => linesOf(party).length));
  for (let line = 0; line < lineCount; line++) {
    sheet.row(
      shown.flatMap(({ party, x }) => ({ ...(linesOf(party)[line] ?? { text: '' }), x, width: column })),
    );
  }
  sheet.space(8);
  factRows(
    sheet,
    [...dates, [messages.orderReference, facts.orderReference], [messages.session, facts.sessionId]],
    width,
  );
}

function linesOf({ name, lines }: Party): Pick<Cell, 'text' | 'style'>[] {
  const first = name === '' ? [] : [{ text: name, style: strong }];
  return [...first, ...lines.map((text) => ({ text }))];
}

/** Facts in two columns, those without a value left out. */
export function factRows(sheet: Sheet, facts: readonly Fact[], width: number): void {
  const column = (width - GAP) / 2;
  const filled = facts.filter(([, value]) => value !== '');
  for (let first = 0; first < filled.length; first += 2) {
    const pair = filled.slice(first, first + 2);
    const place = (index: number) => ({ x: index * (column + GAP), width: column });
    sheet.row(pair.map(([text], index) => ({ text, ...place(index), style: small, colour: GREY })));
    sheet.row(pair.map(([, text], index) => ({ text, ...place(index) })));
    sheet.space(5);
  }
}

/** Draws the code into the upper corner of the first page, with a sentence below it; comes back to where it was. */
export function corner(sheet: Sheet, top: number, payload: string, sentence: string): void {
  const before = sheet.y();
  const x = CONTENT_WIDTH - CORNER;
  sheet.code(payload, x, top, CORNER);
  sheet.moveTo(top + CORNER + QUIET);
  sheet.row([{ text: sentence, x, width: CORNER, style: small, colour: GREY, align: 'end' }]);
  sheet.moveTo(Math.max(before, sheet.y()));
}

export function sectionTitle(sheet: Sheet, text: string): void {
  sheet.space(14);
  sheet.room(60);
  sheet.row([{ text, x: 0, width: CONTENT_WIDTH, style: { size: 11, weight: 'bold' } }]);
  sheet.space(4);
}

export async function orderSection(sheet: Sheet, facts: Facts): Promise<void> {
  sectionTitle(sheet, facts.locale.language.messages.order);
  if (facts.description !== '') {
    sheet.row([{ text: facts.description, x: 0, width: CONTENT_WIDTH }]);
    sheet.space(6);
  }
  if (facts.items.length > 0) await itemTable(sheet, facts);
}

const NUMBER_WIDTH = 48;
const MONEY_WIDTH = 100;
const NAME_WIDTH = CONTENT_WIDTH - NUMBER_WIDTH - 2 * MONEY_WIDTH - 3 * GAP;

async function itemTable(sheet: Sheet, { locale, items, currency }: Facts): Promise<void> {
  const { messages } = locale.language;
  const { document } = messages;
  const header = tableRow(
    sheet,
    [document.item, document.quantity, document.unitPrice, messages.amount],
    small,
    GREY,
  );
  const heading = () => {
    header();
    sheet.space(2);
    sheet.rule();
    sheet.space(4);
  };
  const rowOf = ({ name, description, quantity, unitPrice }: ItemFacts) => {
    const price = money(locale, unitPrice, currency);
    const sum = money(locale, quantity * unitPrice, currency);
    tableRow(sheet, [name, count(locale, quantity), price, sum], body, BLACK)();
    if (description !== '') {
      sheet.row([{ text: description, x: 0, width: NAME_WIDTH, style: small, colour: GREY }]);
    }
    sheet.space(4);
  };
  await sheet.under(
    heading,
    items.map((item) => () => rowOf(item)),
  );
  sheet.rule();
  sheet.space(6);
}

function tableRow(sheet: Sheet, texts: readonly string[], style: Cell['style'], colour: string): () => void {
  const widths = [NAME_WIDTH, NUMBER_WIDTH, MONEY_WIDTH, MONEY_WIDTH];
  let x = 0;
  const cells = texts.map((text, index): Cell => {
    const width = widths[index] ?? 0;
    const cell: Cell = {
      text,
      x,
      width,
      colour,
      align: index === 0 ? 'start' : 'end',
      fit: index > 0,
      ...(style && { style }),
    };
    x += width + GAP;
    return cell;
  });
  return () => sheet.row(cells);
}

export function sums(sheet: Sheet, { locale, currency, sums: all }: Facts): void {
  const width = CONTENT_WIDTH * 0.32;
  const labelWidth = CONTENT_WIDTH * 0.42;
  const x = CONTENT_WIDTH - width;
  for (const { label, amount: value, isTotal } of all) {
    const style = isTotal ? { size: 10.5, weight: 'bold' as const } : body;
    sheet.row([
      { text: label, x: x - labelWidth, width: labelWidth - GAP, style, align: 'start' },
      { text: money(locale, value, currency), x, width, style, align: 'end', fit: true },
    ]);
    sheet.space(3);
  }
}

/** Money that moved: a table with the date, two texts and the amount. */
export async function movements(
  sheet: Sheet,
  { locale, currency }: Facts,
  title: string,
  whatLabel: string,
  list: readonly Movement[],
): Promise<void> {
  if (list.length === 0) return;
  const { messages } = locale.language;
  sectionTitle(sheet, title);
  const dateWidth = 150;
  const whatWidth = 100;
  const referenceWidth = CONTENT_WIDTH - dateWidth - whatWidth - MONEY_WIDTH - 3 * GAP;
  const row = (texts: readonly [string, string, string, string], style = body, colour = BLACK, fit = false) =>
    sheet.row([
      { text: texts[0], x: 0, width: dateWidth, style, colour, fit: true },
      { text: texts[1], x: dateWidth + GAP, width: whatWidth, style, colour, fit },
      { text: texts[2], x: dateWidth + whatWidth + 2 * GAP, width: referenceWidth, style, colour, fit },
      {
        text: texts[3],
        x: CONTENT_WIDTH - MONEY_WIDTH,
        width: MONEY_WIDTH,
        style,
        colour,
        align: 'end',
        fit: true,
      },
    ]);
  const heading = () => {
    row([messages.date, whatLabel, messages.reference, messages.amount], small, GREY, true);
    sheet.space(2);
    sheet.rule();
    sheet.space(4);
  };
  const rowOf = ({ at, what, reference, amount }: Movement) => {
    row([moment(locale, at), what, reference, money(locale, amount, currency)]);
    sheet.space(3);
  };
  await sheet.under(
    heading,
    list.map((each) => () => rowOf(each)),
  );
}
