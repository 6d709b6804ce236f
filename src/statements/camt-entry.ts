/** Entries from the fields of a camt message. Pure. */
import type { Field } from './camt-fields.ts';
import type { Counterparty, Direction, Fail, Returned, StatementEntry, StatementHeader } from './entry.ts';
import { compact, dateOf, given, minorUnits, quoted, signed, structuredReference } from './values.ts';

/** Fields found in one part of the message: their texts, none empty, and the currencies of amounts. */
export type Found = {
  readonly line: number;
  readonly texts: Map<Field, string[]>;
  readonly currencies: Map<Field, string>;
};

export type Balance = {
  readonly type: string;
  readonly amount: number;
  readonly currency: string;
  readonly date: string | null;
};

/** One transaction of a booking, which may have thousands. */
export type Detail = Omit<StatementEntry, 'number' | 'line' | 'bookedOn' | 'valueOn' | 'batchReference'> & {
  /** Null if the message does not give it in the currency of the account. */
  readonly ownAmount: number | null;
};

export function textOf(found: Found, field: Field): string {
  return found.texts.get(field)?.[0] ?? '';
}

function textsOf(found: Found, field: Field): readonly string[] {
  return found.texts.get(field) ?? [];
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:Z|[+-]\d\d:\d\d)?(?:T\d\d:\d\d.{0,40})?$/;

/** Day of an ISODate, or of an ISODateTime in its own time zone; null if there is none. */
export function dayOf(text: string, fail: Fail): string | null {
  if (text === '') return null;
  const [, year = '', month = '', day = ''] = DATE.exec(text) ?? [];
  return dateOf(year, month, day) ?? fail(`${quoted(text)} is not a date`);
}

function directionOf(found: Found, fail: Fail): Direction {
  const indicator = textOf(found, 'indicator');
  if (indicator === 'CRDT') return 'credit';
  if (indicator === 'DBIT') return 'debit';
  return fail(`CdtDbtInd must be CRDT or DBIT, not ${quoted(indicator)}`);
}

function amountOf(found: Found, field: Field, fail: Fail): { amount: number; currency: string } | null {
  const text = textOf(found, field);
  if (text === '') return null;
  if (text.startsWith('-')) fail(`the amount ${quoted(text)} must not be negative: CdtDbtInd says so`);
  const currency = found.currencies.get(field) ?? fail('the amount has no currency (Ccy)');
  return { amount: minorUnits(text.replace(/^\+/, ''), currency, fail), currency };
}

export function balanceOf(found: Found, fail: Fail): Balance {
  const { amount, currency } = amountOf(found, 'amount', fail) ?? fail('the balance has no amount');
  return {
    type: textOf(found, 'type'),
    amount: signed(amount, directionOf(found, fail)),
    currency,
    date: dayOf(textOf(found, 'date'), fail),
  };
}

/**
 * Opening and closing balance around the booked entries. A statement in several pages has interim balances (ITBD)
 * between them, so that a page may begin with one, end with one, or both, in this order.
 */
export function boundsOf(balances: readonly Balance[]): { opening: Balance | null; closing: Balance | null } {
  const first = (type: string) => balances.find((each) => each.type === type) ?? null;
  const interim = balances.filter(({ type }) => type === 'ITBD');
  const opening = first('OPBD') ?? first('PRCD');
  const closing = first('CLBD');
  if (opening === null && interim.length > 0) {
    return { opening: interim[0] ?? null, closing: closing ?? interim[1] ?? null };
  }
  return { opening, closing: closing ?? interim[0] ?? null };
}

/** `fallbackCurrency` is that of the first entry: a notification need not give the currency of the account. */
export function headerOf(
  found: Found,
  balances: readonly Balance[],
  fallbackCurrency: string,
  fail: Fail,
): StatementHeader {
  const { opening, closing } = boundsOf(balances);
  const account = compact(textOf(found, 'account'));
  if (account === '') fail('the statement names no account');
  const ofBalances = opening?.currency ?? closing?.currency ?? balances[0]?.currency;
  const currency = textOf(found, 'accountCurrency') || ofBalances || fallbackCurrency;
  for (const balance of [opening, closing]) {
    if (balance !== null && balance.currency !== currency) {
      fail(`a balance is in ${quoted(balance.currency)}, but the account in ${quoted(currency)}`);
    }
  }
  return {
    statementId: textOf(found, 'id'),
    account,
    currency,
    openingBalance: opening?.amount ?? null,
    closingBalance: closing?.amount ?? null,
    fromDate: dayOf(textOf(found, 'from'), fail),
    toDate: dayOf(textOf(found, 'to'), fail) ?? closing?.date ?? null,
  };
}

const skipped: ReadonlySet<string> = new Set(['PDNG', 'INFO', 'FUTR']);

/** True if the money has moved. A pending or announced entry has not moved any, and is in no booked balance. */
export function isBooked(entry: Found, fail: Fail): boolean {
  const status = textOf(entry, 'status');
  if (status === 'BOOK') return true;
  return skipped.has(status) ? false : fail(`the status ${quoted(status)} is unknown`);
}

function codeOf(found: Found): string {
  const codes = (['domain', 'family', 'subfamily'] as const).map((field) => textOf(found, field));
  const standard = codes.filter((code) => code !== '').join('-');
  return standard === '' ? textOf(found, 'proprietaryCode') : standard;
}

const noDetail: Found = { line: 0, texts: new Map(), currencies: new Map() };

/** One transaction of a booking; without `found`, the booking itself. */
export function detailOf(entry: Found, found: Found | null, header: StatementHeader, fail: Fail): Detail {
  const detail = found ?? noDetail;
  const { amount, currency } = amountOf(entry, 'amount', fail) ?? fail('the entry has no amount');
  const direction = directionOf(entry, fail);
  const isReversal = /^(true|1)$/.test(textOf(entry, 'reversal'));
  const transactionCode = codeOf(detail) || codeOf(entry);
  const endToEndId = given(textOf(detail, 'endToEndId'));
  const returned = returnOf(detail, transactionCode, endToEndId);
  const [creditorReference = '', ...otherReferences] = textsOf(detail, 'reference')
    .map(structuredReference)
    .filter((reference) => reference !== '');
  const remittance = [
    ...textsOf(detail, 'remittance'),
    ...textsOf(detail, 'additionalRemittance'),
    ...otherReferences,
  ].join(' ');
  const ownDirection = detail.texts.has('indicator') ? directionOf(detail, fail) : direction;
  return {
    direction: ownDirection,
    amount,
    ownAmount: ownAmountOf(detail, currency, fail),
    currency,
    isReversal,
    bankReference: given(textOf(detail, 'bankReference')),
    endToEndId,
    instructionId: given(textOf(detail, 'instructionId')) || given(textOf(detail, 'transactionId')),
    creditorReference,
    remittance:
      remittance ||
      (creditorReference === '' ? textOf(detail, 'additional') || textOf(entry, 'additional') : ''),
    counterparty: counterpartyOf(detail, ownDirection, isReversal || returned !== null, header.account),
    transactionCode,
    returned,
  };
}

/** Amount of a transaction, if given in the currency of the entry. */
function ownAmountOf(detail: Found, currency: string, fail: Fail): number | null {
  for (const field of ['amount', 'transactionAmount', 'instructedAmount'] as const) {
    const found = amountOf(detail, field, fail);
    if (found?.currency === currency) return found.amount;
  }
  return null;
}

/** A return gives its reason, or at least has the code for it: RRTN, Reversal due to Payment Return. */
function returnOf(detail: Found, transactionCode: string, originalEndToEndId: string): Returned | null {
  const reasonCode = textOf(detail, 'returnCode');
  const reasonText = textsOf(detail, 'returnText').join(' ');
  const isReturn = reasonCode !== '' || reasonText !== '' || transactionCode.endsWith('-RRTN');
  return isReturn ? { reasonCode, reasonText, originalEndToEndId } : null;
}

/**
 * Counterparty: the debtor of a credit, the creditor of a debit. A return keeps the parties of the payment that it
 * undoes, so there it is the other way round. Banks do not agree on that, so if the account of one side is the holder's
 * own, the counterparty is the other side in any case.
 */
function counterpartyOf(
  detail: Found,
  direction: Direction,
  comesBack: boolean,
  ownAccount: string,
): Counterparty {
  const debtor = partyOf(detail, 'debtor', 'ultimateDebtor', 'debtorAccount', 'debtorBic');
  const creditor = partyOf(detail, 'creditor', 'ultimateCreditor', 'creditorAccount', 'creditorBic');
  const [likely, other] = (direction === 'credit') === comesBack ? [creditor, debtor] : [debtor, creditor];
  const isOwn = likely.account !== '' && likely.account === ownAccount;
  const isUnknown = likely.account === '' && likely.name === '' && likely.bic === '';
  return isOwn || (isUnknown && other.account !== ownAccount) ? other : likely;
}

function partyOf(detail: Found, name: Field, ultimate: Field, account: Field, bic: Field): Counterparty {
  return {
    name: textOf(detail, name) || textOf(detail, ultimate),
    account: compact(textOf(detail, account)),
    bic: compact(textOf(detail, bic)),
  };
}

/**
 * Entries of one booking: each of its transactions, if all of them have amounts that add up to the booking; else the
 * booking as one sum, with the details of its transaction if it has only one.
 */
export function entriesOf(
  entry: Found,
  details: readonly Detail[],
  header: StatementHeader,
  firstNumber: number,
  fail: Fail,
): StatementEntry[] {
  const valueOn = dayOf(textOf(entry, 'valueOn'), fail);
  const bookedOn = dayOf(textOf(entry, 'bookedOn'), fail) ?? valueOn;
  if (bookedOn === null) return fail('the entry has neither a booking date nor a value date');
  const bankReference = given(textOf(entry, 'bankReference'));
  const common = { line: entry.line, bookedOn, valueOn };

  const [only] = details;
  const whole = details.length === 1 && only ? only : detailOf(entry, null, header, fail);
  const direction = directionOf(entry, fail);
  const parts = details.flatMap(({ ownAmount: amount, ...detail }) =>
    amount === null ? [] : [{ ...detail, amount }],
  );
  const areWhole = parts.length > 1 && parts.length === details.length;
  if (areWhole && sumOf(parts) === BigInt(signed(whole.amount, direction))) {
    return parts.map((detail, index) => ({
      ...common,
      ...detail,
      number: firstNumber + index,
      // A reference shared by all transactions belongs to the booking.
      bankReference: detail.bankReference === bankReference ? '' : detail.bankReference,
      batchReference: bankReference,
    }));
  }
  const { ownAmount: _, ...single } = whole;
  return [
    {
      ...common,
      ...single,
      number: firstNumber,
      direction,
      bankReference: bankReference || single.bankReference,
      batchReference: '',
    },
  ];
}

function sumOf(parts: readonly Pick<StatementEntry, 'amount' | 'direction'>[]): bigint {
  return parts.reduce((sum, { amount, direction }) => sum + BigInt(signed(amount, direction)), 0n);
}
