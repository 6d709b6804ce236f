/**
 * The payment part and receipt of a Swiss QR-bill: Swiss Implementation Guidelines for the QR-bill 2.3, chapter 3, and the
 * style guide. Places and sizes in millimetres from the upper left corner of the part, as the guidelines give them.
 */
import type { Pen } from './pen.ts';
import { drawModules, modulesOf } from './qr.ts';
import type { Style } from './runs.ts';
import { MM, PAGE_HEIGHT, PAGE_WIDTH } from './sheet.ts';
import { readSwissPayload } from './swiss-payload.ts';

const RECEIPT_WIDTH = 62;
const HEIGHT = 105;
export const SWISS_PART_HEIGHT = HEIGHT * MM;
const PART_TOP = PAGE_HEIGHT - SWISS_PART_HEIGHT;

const CODE = 46;
const CROSS = 7;

const BLACK = '#000000';
const title: Style = { size: 11, weight: 'bold', helvetica: true };

/** Headings and values, with the distance from line to line. */
type Scale = { readonly heading: Style; readonly value: Style; readonly leading: number };

const receiptScale: Scale = {
  heading: { size: 6, weight: 'bold', helvetica: true },
  value: { size: 8, helvetica: true },
  leading: 9,
};
const paymentScale: Scale = {
  heading: { size: 8, weight: 'bold', helvetica: true },
  value: { size: 10, helvetica: true },
  leading: 11,
};

type Headings = {
  readonly part: string;
  readonly account: string;
  readonly reference: string;
  readonly information: string;
  readonly currency: string;
  readonly amount: string;
  readonly receipt: string;
  readonly acceptance: string;
  readonly separate: string;
  readonly debtor: string;
  readonly blankDebtor: string;
};

/** The only permitted wordings (annex D). */
const headings: Readonly<Record<string, Headings>> = {
  de: {
    part: 'Zahlteil',
    account: 'Konto / Zahlbar an',
    reference: 'Referenz',
    information: 'Zusätzliche Informationen',
    currency: 'Währung',
    amount: 'Betrag',
    receipt: 'Empfangsschein',
    acceptance: 'Annahmestelle',
    separate: 'Vor der Einzahlung abzutrennen',
    debtor: 'Zahlbar durch',
    blankDebtor: 'Zahlbar durch (Name/Adresse)',
  },
  fr: {
    part: 'Section paiement',
    account: 'Compte / Payable à',
    reference: 'Référence',
    information: 'Informations supplémentaires',
    currency: 'Monnaie',
    amount: 'Montant',
    receipt: 'Récépissé',
    acceptance: 'Point de dépôt',
    separate: 'A détacher avant le versement',
    debtor: 'Payable par',
    blankDebtor: 'Payable par (nom/adresse)',
  },
  it: {
    part: 'Sezione pagamento',
    account: 'Conto / Pagabile a',
    reference: 'Riferimento',
    information: 'Informazioni supplementari',
    currency: 'Valuta',
    amount: 'Importo',
    receipt: 'Ricevuta',
    acceptance: 'Punto di accettazione',
    separate: 'Da staccare prima del versamento',
    debtor: 'Pagabile da',
    blankDebtor: 'Pagabile da (nome/indirizzo)',
  },
  en: {
    part: 'Payment part',
    account: 'Account / Payable to',
    reference: 'Reference',
    information: 'Additional information',
    currency: 'Currency',
    amount: 'Amount',
    receipt: 'Receipt',
    acceptance: 'Acceptance point',
    separate: 'Separate before paying in',
    debtor: 'Payable by',
    blankDebtor: 'Payable by (name/address)',
  },
};

/** Fills the foot of the current page. In a language that the guidelines do not have, the words are English. */
export function drawSwissPart(pen: Pen, payload: string, language: string): void {
  const words = headings[language] ?? (headings.en as Headings);
  const payment = readSwissPayload(payload);
  separate(pen, words);

  write(pen, words.receipt, { x: 5, y: 5, width: 52, style: title });
  const left = column(pen, receiptScale, { x: 5, y: 12, width: 52 });
  left.block(words.account, [payment.iban, ...payment.creditor]);
  left.block(words.reference, [payment.reference]);
  debtor(left, words, payment.debtor, [52, 20]);
  amount(pen, receiptScale, words, payment, {
    x: 5,
    y: 68,
    amountX: 17,
    blank: { x: 27, y: 68.5, size: [30, 10] },
  });
  const acceptance = { x: 5, y: 82, width: 52, style: receiptScale.heading, fromRight: true };
  write(pen, words.acceptance, acceptance);

  const x = RECEIPT_WIDTH + 5;
  write(pen, words.part, { x, y: 5, width: 51, style: title });
  drawCode(pen, payload, x, 17);
  amount(pen, paymentScale, words, payment, {
    x,
    y: 68,
    amountX: x + 16,
    blank: { x: x + 9, y: 73, size: [40, 15] },
  });
  const right = column(pen, paymentScale, { x: RECEIPT_WIDTH + 56, y: 5, width: 87 });
  right.block(words.account, [payment.iban, ...payment.creditor]);
  right.block(words.reference, [payment.reference]);
  right.block(words.information, payment.information);
  debtor(right, words, payment.debtor, [65, 25]);
}

function separate(pen: Pen, { separate: text }: Headings): void {
  const { doc } = pen;
  const style: Style = { size: 8, helvetica: true };
  const middle = PAGE_WIDTH / 2 - pen.widthOf(text, style) / 2;
  write(pen, text, { x: middle / MM, y: -5, width: 210, style });
  doc.lineWidth(0.75).strokeColor(BLACK);
  doc.moveTo(0, PART_TOP).lineTo(PAGE_WIDTH, PART_TOP).stroke();
  doc
    .moveTo(RECEIPT_WIDTH * MM, PART_TOP)
    .lineTo(RECEIPT_WIDTH * MM, PAGE_HEIGHT)
    .stroke();
}

type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly style: Style;
  readonly fromRight?: boolean;
};

/** Writes text whose first line begins at y; answers how many lines it took. */
function write(pen: Pen, text: string, { x, y, width, style, fromRight = false }: Box, leading = 11): number {
  const paragraph = pen.paragraph(text, width * MM, style, 'ltr');
  for (const index of paragraph.lines.keys()) {
    const baseline = PART_TOP + y * MM + style.size + index * leading;
    const place = { x: (fromRight ? x + width : x) * MM, baseline, fromRight, colour: BLACK };
    pen.line(paragraph, index, place, style);
  }
  return paragraph.lines.length;
}

type Column = {
  readonly block: (heading: string, lines: readonly string[]) => void;
  readonly blank: (heading: string, size: readonly [number, number]) => void;
};

/** Headings with their values, from top to bottom, a line left empty in between. */
function column(pen: Pen, { heading, value, leading }: Scale, box: Omit<Box, 'style'>): Column {
  let { y } = box;
  const next = (text: string, style: Style) => {
    y += (write(pen, text, { ...box, y, style }, leading) * leading) / MM;
  };
  return {
    block: (text, lines) => {
      const filled = lines.filter((line) => line !== '');
      if (filled.length === 0) return;
      next(text, heading);
      for (const line of filled) next(line, value);
      y += leading / MM;
    },
    blank: (text, size) => {
      next(text, heading);
      corners(pen, box.x, y + 0.8, size);
    },
  };
}

function debtor(
  into: Column,
  words: Headings,
  lines: readonly string[],
  blank: readonly [number, number],
): void {
  if (lines.length > 0) into.block(words.debtor, lines);
  else into.blank(words.blankDebtor, blank);
}

type AmountPlace = {
  readonly x: number;
  readonly y: number;
  readonly amountX: number;
  /** The field for a payer who fills the amount in. */
  readonly blank: { readonly x: number; readonly y: number; readonly size: readonly [number, number] };
};

function amount(
  pen: Pen,
  { heading, value, leading }: Scale,
  words: Headings,
  { currency, amount: figures }: { readonly currency: string; readonly amount: string },
  { x, y, amountX, blank }: AmountPlace,
): void {
  const below = y + leading / MM;
  write(pen, words.currency, { x, y, width: 15, style: heading });
  write(pen, currency, { x, y: below, width: 15, style: value });
  write(pen, words.amount, { x: amountX, y, width: 36, style: heading });
  if (figures === '') corners(pen, blank.x, blank.y, blank.size);
  else write(pen, figures, { x: amountX, y: below, width: 36, style: value });
}

/** Marks of the four corners of a field that is filled in by hand. */
function corners({ doc }: Pen, x: number, y: number, [width, height]: readonly [number, number]): void {
  const length = 3 * MM;
  doc.lineWidth(0.75).strokeColor(BLACK);
  for (const isRight of [false, true]) {
    for (const isBottom of [false, true]) {
      const cornerX = (isRight ? x + width : x) * MM;
      const cornerY = PART_TOP + (isBottom ? y + height : y) * MM;
      doc
        .moveTo(cornerX + (isRight ? -length : length), cornerY)
        .lineTo(cornerX, cornerY)
        .lineTo(cornerX, cornerY + (isBottom ? -length : length))
        .stroke();
    }
  }
}

/** The code with the Swiss cross in its middle, which the error correction makes up for (section 6.4.2). */
function drawCode({ doc }: Pen, payload: string, x: number, y: number): void {
  const left = x * MM;
  const top = PART_TOP + y * MM;
  drawModules(doc, modulesOf(payload), left, top, CODE * MM);
  const unit = (CROSS / 19.8) * MM;
  const centred = (width: number, height: number, colour: string) => {
    const [w, h] = [width * unit, height * unit];
    doc.rect(left + (CODE * MM - w) / 2, top + (CODE * MM - h) / 2, w, h).fill(colour);
  };
  // In the proportions of the model that SIX publishes: a white margin, a black square, and a white cross in it.
  centred(19.8, 19.8, '#ffffff');
  centred(17, 17, BLACK);
  centred(3.3, 11, '#ffffff');
  centred(11, 3.3, '#ffffff');
}
