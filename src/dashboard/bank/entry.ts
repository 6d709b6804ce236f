/** A bank entry as parts of a screen: what the bank says, and why somebody has to look at it. */
import type { representEntry } from '../../banking/representation.ts';
import { type Content, type Html, html } from '../../lib/html.ts';
import { stateOf } from '../sessions/states.ts';
import { amountOf, factsOf, timeIn } from '../texts.ts';

export type Entry = ReturnType<typeof representEntry>;

/** Reasons why an entry waits, as sentences. */
const reasons: Readonly<Record<Exclude<Entry['problem'], ''>, string>> = {
  no_match: 'It has no reference, and no session that waits for such an amount is likely enough.',
  unknown_reference: 'It has a reference that no session has.',
  several_candidates: 'By amount and payer it may be for a session, but that is not sure enough to book it.',
  several_references: 'It names several sessions, and is not exactly what is due for them.',
  other_currency: 'The session that it names has another currency.',
  held_late: 'The session had expired before the money came, and the settings say to ask a person.',
  not_payable: 'The session that it names has no amount.',
  maybe_known:
    'Another statement has told of the same amount, day and payer. Assign it if that was paid twice, ignore it if it was reported twice.',
  unknown_return: 'It takes back, or brings back, money that nobody knows, or that does not fit.',
  refund_differs:
    'It names a refund, but has another amount or currency, or the refund had succeeded before.',
  refund_failed: 'Money has left for a refund that counts as failed, or that has come back already.',
};

/** True while a person may decide on it. */
export const isUndecided = ({ status, sent_back }: Entry): boolean =>
  (status === 'open' || status === 'waiting') && sent_back?.status !== 'pending';

/** True for an entry that was ignored, or whose money has not gone back yet. */
export const isReopenable = ({ status, sent_back }: Entry): boolean =>
  status === 'ignored' || sent_back?.status === 'pending';

/** The reason why the entry stands as it does, as a sentence. */
export function whyOf(entry: Entry): string {
  const { status, problem, sent_back: sentBack, taken_apart_by: apart, parts } = entry;
  if (apart !== '') return 'Another statement has its single transactions, which are entries of their own.';
  if (status === 'ignored') return 'Somebody has decided that it concerns no session.';
  if (status === 'done') return parts.length > 0 ? 'It is booked.' : 'Nothing is left to do.';
  if (sentBack?.status === 'pending')
    return 'It goes back to its sender with the next payment file. A statement that shows it settles this.';
  const more =
    status === 'waiting' && problem === 'unknown_reference' ? ' It is looked up again for a day.' : '';
  if (problem !== '') return `${reasons[problem]}${more}`;
  if (sentBack?.status === 'failed') return 'It was to go back to its sender, and is here again.';
  return parts.length > 0 ? 'A part of it is booked. The rest is left.' : 'It was ignored, and reopened.';
}

/** The amount with its direction: money that left has a minus. */
export const movedOf = ({
  direction,
  amount,
  currency,
}: Pick<Entry, 'direction' | 'amount' | 'currency'>): string =>
  `${direction === 'debit' ? '−' : ''}${amountOf(amount, currency)}`;

type Links = {
  /** Address of a screen of the account: `sessions/chk_…`. */
  readonly to: (screen: string) => string;
};

/** Leads to whatever has this id. */
export function subjectLink(id: string, { to }: Links): Content {
  const screens = { chk_: 'sessions', ntc_: 'bank/entries', bfl_: 'bank/statements' };
  const screen = Object.entries(screens).find(([prefix]) => id.startsWith(prefix))?.[1];
  return screen === undefined ? html`<code>${id}</code>` : html`<a href="${to(`${screen}/${id}`)}">${id}</a>`;
}

/** Facts of the entry as the bank tells them; those without a value are left out. */
export function entryFacts(entry: Entry, links: Links): Html {
  const { counterparty, sent_back: sentBack, currency } = entry;
  const facts: ReadonlyArray<readonly [name: string, value: Content]> = [
    ['Amount', movedOf(entry)],
    ['Not assigned', entry.amount_unassigned > 0 && amountOf(entry.amount_unassigned, currency)],
    ['Booked on', entry.booked_on],
    ['Value date', entry.value_on],
    [entry.direction === 'credit' ? 'Payer' : 'Recipient', counterparty.name],
    ['Account', counterparty.account],
    ['BIC', counterparty.bic],
    ['Text', entry.remittance],
    ['Structured reference', entry.creditor_reference],
    ['End-to-end id', entry.end_to_end_id],
    ['Reference of the bank', entry.bank_reference],
    ['Transaction code', entry.transaction_code],
    ['Takes back an earlier entry', entry.is_reversal && 'yes'],
    ['Reason of the return', entry.return_reason],
    ['Is about', entry.concerns !== '' && subjectLink(entry.concerns, links)],
    ['Receiving account', entry.receiving_account],
    ['Statement', subjectLink(entry.statement, links)],
    ['Its parts are in', entry.taken_apart_by !== '' && subjectLink(entry.taken_apart_by, links)],
    ['Imported', html`${timeIn(entry.created_at)} UTC`],
    [
      'Sent back',
      sentBack !== null &&
        html`${amountOf(sentBack.amount, currency)} ${stateOf(sentBack.status)} ${sentBack.reason}`,
    ],
    ['Note', entry.note],
    ['Id', html`<code>${entry.id}</code>`],
  ];
  return factsOf(facts.filter(([, value]) => value !== '' && value !== null && value !== false));
}
