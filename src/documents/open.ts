/** Begins a document: finds the fonts for all that it can say, and opens its first page. */
import { count, moment, money } from '../i18n/locale.ts';
import { loadFaces } from './fonts.ts';
import type { Facts } from './order.ts';
import { newPen } from './pen.ts';
import { newSheet, type Sheet } from './sheet.ts';

/** Characters that every document needs: figures, signs, and the box for a character that no font has. */
const ALWAYS = ' 0123456789.,:;-–—−/()·…\u00a0\u202f\ufffdTEST';

/** `onPage` writes the head of every page. */
export async function openSheet(facts: Facts, title: string, onPage: (sheet: Sheet) => void): Promise<Sheet> {
  const { locale, logo, ...content } = facts;
  const { language } = locale;
  const { document, ...messages } = language.messages;
  const said = KEYS.map((key) => messages[key]).join('');
  const bold = `${ALWAYS}${said}${words(document)}${figures(facts)}${facts.payee.name}${facts.payer.name}`;
  const faces = await loadFaces({ regular: words(content), bold }, language.id);
  const pen = newPen(faces, {
    title: `${title} – ${facts.payee.name || facts.sessionId}`,
    author: facts.payee.name,
    language: language.tag,
    createdAt: facts.issuedAt,
  });
  return newSheet(pen, language.direction, onPage);
}

/** The words of pages that documents use too. */
const KEYS = [
  ...(['testMode', 'receiptTitle', 'orderReference', 'session', 'order', 'otherCharges'] as const),
  ...(['discount', 'total', 'paid', 'remaining', 'payments', 'date', 'method', 'reference'] as const),
  ...(['amount', 'payableUntil', 'takenBack'] as const),
];

/** Everything that stands in the value, wherever in it. */
function words(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'function') return String(value('', ''));
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(words).join('');
}

/** Every sign with which this payer writes amounts, numbers and times. */
function figures({ locale, currency, issuedAt, dueAt, payments = [], goneBack = [] }: AnyFacts): string {
  const amounts = [-1_234_567_890, 1_234_567_890].map((amount) => money(locale, amount, currency));
  const times = [issuedAt, dueAt ?? issuedAt, ...[...payments, ...goneBack].map(({ at }) => at)];
  return [...amounts, count(locale, 1_234_567_890), ...times.map((at) => moment(locale, at))].join('');
}

type AnyFacts = Pick<Facts, 'locale' | 'currency' | 'issuedAt'> & {
  readonly dueAt?: number | null;
  readonly payments?: readonly { readonly at: number }[];
  readonly goneBack?: readonly { readonly at: number }[];
};
