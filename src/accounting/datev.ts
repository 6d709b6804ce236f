/**
 * Movements as a batch of bookings of DATEV (developer.datev.de, "DATEV-Format": EXTF 700, Buchungsstapel 21, version 13).
 * The lines are in euros: a foreign currency would need its rate, which nobody here knows.
 */
import { formatAmount } from '../checkout/money.ts';
import { type DayOf, type Movement, type Movements, oneLine } from './movement.ts';
import { encoded, reduced } from './windows-1252.ts';

export type BookingBatch = {
  readonly dayOf: DayOf;
  /** First and last day, such as `2030-01-31`; both in the fiscal year that begins on `yearBegin`. */
  readonly first: string;
  readonly last: string;
  readonly yearBegin: string;
  /** Digits, such as `20300131120000000`. */
  readonly createdAt: string;
  readonly consultant: number;
  readonly client: number;
  /** Digits of impersonal accounts. */
  readonly accountLength: number;
  readonly money: string;
  /** The account of customers that payments are booked against. */
  readonly counter: string;
  readonly fees: string;
};

/** Bookings that one file may have, each of which is a line. */
export const MAX_BOOKINGS = 99_999;
/** Largest amount of a line, in cents. */
const MAX_CENTS = 999_999_999_999;

/**
 * Thrown in the middle of a batch: what was written of it is no file. Batches are counted before; the one that grows behind
 * that is one whose fees are told meanwhile.
 */
export class TooManyBookings extends Error {
  constructor() {
    super(`one file of DATEV has at most ${MAX_BOOKINGS} bookings`);
    this.name = 'TooManyBookings';
  }
}

type Sum = { readonly count: number; readonly amount: number };
type Sums = Readonly<Record<'received' | 'refunded' | 'reversed', Sum>> & {
  readonly fees: ReadonlyArray<Sum & { readonly currency: string }>;
};

/** Bookings that the movements of a time come to, at most: an amount that is too large for a line has several. */
export const bookingsIn = ({ received, refunded, reversed, fees }: Sums): number =>
  [received, refunded, reversed, ...fees.filter(({ currency }) => currency === 'EUR')].reduce(
    (lines, { count, amount }) => lines + count + Math.floor(amount / MAX_CENTS),
    0,
  );

const MAX_TEXT = 60;
const MAX_DOCUMENT = 36;

const pairs = (kind: string, art: string, inhalt: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => [`${kind}${art} ${n + 1}`, `${kind}${inhalt} ${n + 1}`]).flat();

/** Names of the columns, in their order. */
export const columns: readonly string[] = [
  ...['Umsatz (ohne Soll/Haben-Kz)', 'Soll/Haben-Kennzeichen', 'WKZ Umsatz', 'Kurs', 'Basis-Umsatz'],
  ...['WKZ Basis-Umsatz', 'Konto', 'Gegenkonto (ohne BU-Schlüssel)', 'BU-Schlüssel', 'Belegdatum'],
  ...['Belegfeld 1', 'Belegfeld 2', 'Skonto', 'Buchungstext', 'Postensperre', 'Diverse Adressnummer'],
  ...['Geschäftspartnerbank', 'Sachverhalt', 'Zinssperre', 'Beleglink'],
  ...pairs('Beleginfo - ', 'Art', 'Inhalt', 8),
  ...['KOST1 - Kostenstelle', 'KOST2 - Kostenstelle', 'Kost-Menge', 'EU-Land u. UStID (Bestimmung)'],
  ...['EU-Steuersatz (Bestimmung)', 'Abw. Versteuerungsart', 'Sachverhalt L+L', 'Funktionsergänzung L+L'],
  ...['BU 49 Hauptfunktionstyp', 'BU 49 Hauptfunktionsnummer', 'BU 49 Funktionsergänzung'],
  ...pairs('Zusatzinformation - ', 'Art', 'Inhalt', 20).map((name) =>
    name.replace(' - Inhalt ', '- Inhalt '),
  ),
  ...['Stück', 'Gewicht', 'Zahlweise', 'Forderungsart', 'Veranlagungsjahr', 'Zugeordnete Fälligkeit'],
  ...['Skontotyp', 'Auftragsnummer', 'Buchungstyp', 'USt-Schlüssel (Anzahlungen)'],
  ...['EU-Land (Anzahlungen)', 'Sachverhalt L+L (Anzahlungen)', 'EU-Steuersatz (Anzahlungen)'],
  ...['Erlöskonto (Anzahlungen)', 'Herkunft-Kz', 'Buchungs GUID', 'KOST-Datum', 'SEPA-Mandatsreferenz'],
  ...['Skontosperre', 'Gesellschaftername', 'Beteiligtennummer', 'Identifikationsnummer', 'Zeichnernummer'],
  ...['Postensperre bis', 'Bezeichnung SoBil-Sachverhalt', 'Kennzeichen SoBil-Buchung', 'Festschreibung'],
  ...[
    'Leistungsdatum',
    'Datum Zuord. Steuerperiode',
    'Fälligkeit',
    'Generalumkehr (GU)',
    'Steuersatz',
    'Land',
  ],
  ...['Abrechnungsreferenz', 'BVV-Position', 'EU-Land u. UStID (Ursprung)', 'EU-Steuersatz (Ursprung)'],
  'Abw. Skontokonto',
];

const placeOf = new Map(columns.map((name, place) => [name, place]));

export async function* datevBookings(movements: Movements, batch: BookingBatch): AsyncGenerator<Uint8Array> {
  yield encoded(`${headOf(batch)}\r\n${columns.join(';')}\r\n`);
  let written = 0;
  for await (const page of movements) {
    const bookings = page.flatMap((each) => bookingsOf(each, batch));
    written += bookings.length;
    if (written > MAX_BOOKINGS) throw new TooManyBookings();
    yield encoded(bookings.join(''));
  }
}

function headOf({
  first,
  last,
  yearBegin,
  createdAt,
  consultant,
  client,
  accountLength,
}: BookingBatch): string {
  const digits = (day: string) => day.replaceAll('-', '');
  return [
    ...['"EXTF"', 700, 21, '"Buchungsstapel"', 13, createdAt, '', '"OT"', '"opentill"', '""'],
    ...[consultant, client, digits(yearBegin), accountLength, digits(first), digits(last)],
    // A batch of financial accounting, which is not fixed by the import, in euros.
    ...[`"opentill ${first}/${last}"`, '""', 1, 0, 0, '"EUR"'],
    ...['', '""', '', '', '""', '', '', '""', '""'],
  ].join(';');
}

const words = { payment: 'Zahlung', refund: 'Rückzahlung', reversal: 'Rücklastschrift' } as const;

function bookingsOf(movement: Movement, batch: BookingBatch): string[] {
  const { type, amount, currency, fee, rail, reference } = movement;
  if (currency !== 'EUR') throw new Error('bookings are in euros');
  const { money, counter, fees } = batch;
  const isForeign = fee !== null && fee.currency !== 'EUR';
  const foreign = isForeign ? ` Gebühr ${formatAmount(fee.amount, fee.currency)}` : '';
  const text = `${words[type]} ${rail}${foreign} ${reference}`;
  const side = type === 'payment' ? 'S' : 'H';
  return [
    ...linesOf(movement, { amount, side, account: money, contra: counter, text }, batch),
    ...(fee !== null && !isForeign
      ? linesOf(
          movement,
          {
            amount: fee.amount,
            side: 'S',
            account: fees,
            contra: money,
            text: `Gebühr ${rail} ${reference}`,
          },
          batch,
        )
      : []),
  ];
}

type Booking = {
  readonly amount: number;
  /** Debit or credit of `account`. */
  readonly side: 'S' | 'H';
  readonly account: string;
  readonly contra: string;
  readonly text: string;
};

/** Lines of a booking: one, but for an amount that has more digits than a line takes. */
function linesOf(
  { id, created_at, payin, reference_id }: Movement,
  booking: Booking,
  { dayOf }: BookingBatch,
) {
  const [, month = '', day = ''] = dayOf(created_at).split('-');
  const lines: string[] = [];
  for (let rest = booking.amount; rest > 0; rest -= MAX_CENTS) {
    const cells = new Array<string>(columns.length).fill('');
    const set = (name: string, value: string) => {
      const place = placeOf.get(name);
      if (place === undefined) throw new Error(`there is no column ${name}`);
      cells[place] = value;
    };
    set('Umsatz (ohne Soll/Haben-Kz)', decimalComma(Math.min(rest, MAX_CENTS)));
    set('Soll/Haben-Kennzeichen', quoted(booking.side, 1));
    set('WKZ Umsatz', quoted('EUR', 3));
    set('Konto', booking.account);
    set('Gegenkonto (ohne BU-Schlüssel)', booking.contra);
    set('Belegdatum', `${day}${month}`);
    set('Belegfeld 1', quoted(documentOf(reference_id) || documentOf(payin), MAX_DOCUMENT));
    set('Buchungstext', quoted(booking.text, MAX_TEXT));
    set('Zusatzinformation - Art 1', quoted('opentill', 20));
    set('Zusatzinformation- Inhalt 1', quoted(id, 210));
    set('Festschreibung', '0');
    lines.push(`${cells.join(';')}\r\n`);
  }
  return lines;
}

const decimalComma = (cents: number): string => {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)},${digits.slice(-2)}`;
};

/** A text in quotes, which has none in it, in characters of the encoding. */
const quoted = (text: string, maxLength: number): string =>
  `"${oneLine(reduced(oneLine(text)))
    .replaceAll('"', "'")
    .slice(0, maxLength)}"`;

/** A number of a document: letters, digits and few signs. It begins with none, so that no spreadsheet takes it for a formula. */
const documentOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_$%/-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_DOCUMENT)
    .replace(/-$/, '');
