/** Scores how likely a transfer is meant for a session. Pure; the weights are our own choice. */
import type { Checkout } from '../checkout/session.ts';
import { amountDue } from '../checkout/statuses.ts';
import type { EntryContent, Suggestion } from './entry.ts';

/** Score from which a transfer is booked without asking a person, if no other session comes near. */
export const SURE = 85;
/** Minimum lead over the second best. */
export const CLEAR_LEAD = 20;
/** Minimum score of a suggestion. */
const WORTH_A_LOOK = 40;
const MAX_SUGGESTIONS = 5;

const SAME_AMOUNT = 40;
const SAME_PAYER = 40;
const ORDER_NAMED = 45;
const ONLY_ONE = 10;
/**
 * Minimum length of a reference: shorter ones, such as "12" or a year, occur in any text. So do words without a digit.
 */
const NAMED_LENGTH = 5;

/** Suggestions, best first. */
export function rank(entry: EntryContent, candidates: readonly Checkout[]): Suggestion[] {
  const alone = candidates.length === 1 ? ONLY_ONE : 0;
  return candidates
    .map((checkout) => ({ checkout: checkout.id, score: scoreOf(entry, checkout, alone) }))
    .filter(({ score }) => score >= WORTH_A_LOOK)
    .sort((a, b) => b.score - a.score || (a.checkout < b.checkout ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS);
}

/** Id of the session for which a transfer is booked without asking, or null. */
export function clearWinner([best, second]: readonly Suggestion[]): string | null {
  if (best === undefined || best.score < SURE) return null;
  return second === undefined || best.score - second.score >= CLEAR_LEAD ? best.checkout : null;
}

function scoreOf(entry: EntryContent, checkout: Checkout, alone: number): number {
  const amount = entry.amount === amountDue(checkout) ? SAME_AMOUNT : 0;
  const payer = Math.round(SAME_PAYER * similarity(entry.counterparty.name, checkout.payer.name));
  const isOrderNamed = isNamed(checkout, entry);
  // A structured reference that is none of ours may be that of another bill of the same payer.
  const most = isOrderNamed || entry.creditorReference === '' ? 100 : SURE - 1;
  return Math.min(most, amount + payer + (isOrderNamed ? ORDER_NAMED : 0) + alone);
}

/** True if the text of the transfer, or its structured reference, names the session or the merchant's reference. */
function isNamed(
  { id, referenceId }: Checkout,
  { remittance, endToEndId, creditorReference }: EntryContent,
): boolean {
  const text = folded(`${remittance} ${endToEndId} ${creditorReference}`);
  return [id, referenceId].some((name) => {
    const wanted = folded(name).replaceAll(' ', '');
    if (wanted.length < NAMED_LENGTH || !/\p{N}/u.test(wanted)) return false;
    // Banks break texts anywhere, so blanks may occur. But a part of another word or number is not a match.
    const broken = [...wanted].join(' ?');
    return new RegExp(`(?<![\\p{L}\\p{N}])${broken}(?![\\p{L}\\p{N}])`, 'u').test(text);
  });
}

/** Similarity of two names, from 0 to 1: the share of common words, in any order. */
export function similarity(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  if (a.size === 0 || b.size === 0) return 0;
  const shared = [...a].filter((word) => b.has(word)).length;
  return (2 * shared) / (a.size + b.size);
}

/** Titles and forms of address, ignored because banks and payers write or omit them at will. */
const courtesies = new Set(['mr', 'mrs', 'ms', 'dr', 'herr', 'frau', 'hr', 'fr', 'mme', 'sr', 'sra', 'prof']);

function wordsOf(name: string): Set<string> {
  return new Set(
    folded(name)
      .split(' ')
      .filter((word) => word !== '' && !courtesies.has(word)),
  );
}

/** Text reduced to lower-case letters and digits without accents, since some banks only know capitals. */
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
