/** How much speaks for a session as what a transfer is meant for. Pure; shapes and weights are ours. */
import { amountDue, type Checkout } from '../checkout/session.ts';
import type { BankEntry, Suggestion } from './entry.ts';

/** From here on a transfer is booked without asking a person, if nothing else comes near. */
export const SURE = 85;
/** How far the second best must be behind. */
export const CLEAR_LEAD = 20;
/** Less than this is not worth a look. */
const WORTH_A_LOOK = 40;
const MAX_SUGGESTIONS = 5;

const SAME_AMOUNT = 40;
const SAME_PAYER = 40;
const ORDER_NAMED = 45;
const ONLY_ONE = 10;
/** Shorter references, such as "12" or a year, are found in any text; so are words without a digit. */
const NAMED_LENGTH = 5;

/** The best first, those that are worth a look. */
export function rank(entry: BankEntry, candidates: readonly Checkout[]): Suggestion[] {
  const alone = candidates.length === 1 ? ONLY_ONE : 0;
  return candidates
    .map((checkout) => ({ checkout: checkout.id, score: Math.min(100, scoreOf(entry, checkout) + alone) }))
    .filter(({ score }) => score >= WORTH_A_LOOK)
    .sort((a, b) => b.score - a.score || (a.checkout < b.checkout ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS);
}

/** The one that a transfer is booked for without asking, or null. */
export function clearWinner([best, second]: readonly Suggestion[]): string | null {
  if (best === undefined || best.score < SURE) return null;
  return second === undefined || best.score - second.score >= CLEAR_LEAD ? best.checkout : null;
}

function scoreOf(entry: BankEntry, checkout: Checkout): number {
  const amount = entry.amount === amountDue(checkout) ? SAME_AMOUNT : 0;
  const payer = Math.round(SAME_PAYER * similarity(entry.counterparty.name, checkout.payer.name));
  return amount + payer + (isNamed(checkout, entry) ? ORDER_NAMED : 0);
}

/** Whether the text of the transfer names the session or the merchant's reference of it. */
function isNamed({ id, referenceId }: Checkout, { remittance, endToEndId }: BankEntry): boolean {
  const text = folded(`${remittance} ${endToEndId}`);
  return [id, referenceId].some((name) => {
    const wanted = folded(name).replaceAll(' ', '');
    if (wanted.length < NAMED_LENGTH || !/\p{N}/u.test(wanted)) return false;
    // Banks break texts anywhere. But a part of another word or number is no number of an order.
    const broken = [...wanted].join(' ?');
    return new RegExp(`(?<![\\p{L}\\p{N}])${broken}(?![\\p{L}\\p{N}])`, 'u').test(text);
  });
}

/** Of two names, from 0 to 1: the words that they share of all their words, in any order. */
export function similarity(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  if (a.size === 0 || b.size === 0) return 0;
  const shared = [...a].filter((word) => b.has(word)).length;
  return (2 * shared) / (a.size + b.size);
}

/** Without titles and forms of address, which banks and payers write or leave out. */
const courtesies = new Set(['mr', 'mrs', 'ms', 'dr', 'herr', 'frau', 'hr', 'fr', 'mme', 'sr', 'sra', 'prof']);

function wordsOf(name: string): Set<string> {
  return new Set(
    folded(name)
      .split(' ')
      .filter((word) => word !== '' && !courtesies.has(word)),
  );
}

/** Letters and digits in lower case and without accents, as banks that know only capitals leave them. */
function folded(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
