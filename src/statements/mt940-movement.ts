/** Fields of an MT940 that move money: balances (`:60F:`, `:62F:`) and entries (`:61:`). Pure. */
import type { Direction, Fail, StatementEntry } from './entry.ts';
import type { Information } from './mt940-information.ts';
import { calendarDate, fullYear, given, minorUnits, quoted, tidied } from './values.ts';

/** A `:61:` without its information. */
export type Movement = Pick<
  StatementEntry,
  'line' | 'direction' | 'amount' | 'isReversal' | 'bookedOn' | 'valueOn' | 'bankReference' | 'instructionId'
> & {
  readonly type: string;
  readonly supplement: string;
};

const BALANCE = /^([CD])(\d{2})(\d{2})(\d{2})([A-Z]{3})(\d{0,15},\d*)$/;

/** Mark, date, currency and amount; the amount is signed. */
export function balanceOf(text: string, fail: Fail): { amount: number; currency: string; date: string } {
  const [, mark, year = '', month = '', day = '', currency = '', digits = ''] = BALANCE.exec(text) ?? [];
  if (mark === undefined)
    return fail(`the balance ${quoted(text)} is invalid: it must be like C240131EUR12,34`);
  const date =
    calendarDate(fullYear(year), Number(month), Number(day)) ??
    fail(`${quoted(text)} has a date that does not exist`);
  const amount = minorUnits(digits.replace(',', '.'), currency, fail);
  return { amount: mark === 'C' ? amount : -amount, currency, date };
}

/**
 * Value date, entry date, mark, third letter of the currency (funds code), amount, type, reference of the customer, and
 * after `//` that of the bank. What follows on another line is the supplement.
 */
const MOVEMENT = /^(\d{2})(\d{2})(\d{2})(\d{4})?(R?)([CD])[A-Z]?(\d{0,15},\d*)([A-Z][A-Z0-9]{3})(.*)$/;

/** Placeholders of the customer's reference: some banks name there the code of the information that has it. */
const POINTER = /^(EREF|KREF|MARF|PREF)\+?$/;

/** Type of a returned item, behind the letter of its message (SWIFT, MT940, field 61, subfield 6). */
const RETURNED_ITEM = /^.RTI$/;

const DAY_MS = 86_400_000;

export function movementOf(lines: readonly string[], line: number, currency: string, fail: Fail): Movement {
  const [first = '', ...more] = lines;
  const found = MOVEMENT.exec(first.trim());
  if (!found) {
    return fail(`the entry ${quoted(first)} is invalid: it must be like 2401310131C12,34NTRFNONREF//B4711`);
  }
  const [
    ,
    year = '',
    month = '',
    day = '',
    entryDay,
    reversal,
    mark,
    digits = '',
    type = '',
    references = '',
  ] = found;
  const valueOn =
    calendarDate(fullYear(year), Number(month), Number(day)) ??
    fail(`the value date ${quoted(year + month + day)} is not a real date`);
  const bookedOn =
    entryDay === undefined
      ? valueOn
      : (nearest(valueOn, entryDay) ?? fail(`the entry date ${quoted(entryDay)} is not a real date`));
  const [customer = '', ...bank] = references.split('//');
  return {
    line,
    direction: directionOf(mark === 'C', reversal === 'R'),
    amount: minorUnits(digits.replace(',', '.'), currency, fail),
    isReversal: reversal === 'R',
    bookedOn,
    valueOn,
    bankReference: given(bank.join('//')),
    instructionId: POINTER.test(customer) ? '' : given(customer),
    type,
    supplement: tidied(more.join(' ')),
  };
}

/** A reversal goes the other way: RC is the reversal of a credit, so the money leaves. */
function directionOf(isCredit: boolean, isReversal: boolean): Direction {
  return isCredit === isReversal ? 'debit' : 'credit';
}

/** The entry date has no year: it is the date of that day and month nearest to the value date. */
function nearest(valueOn: string, entryDay: string): string | null {
  const year = Number(valueOn.slice(0, 4));
  const away = (date: string) => Math.abs(Date.parse(date) - Date.parse(valueOn)) / DAY_MS;
  const dates = [year - 1, year, year + 1]
    .map((each) => calendarDate(each, Number(entryDay.slice(0, 2)), Number(entryDay.slice(2))))
    .filter((date) => date !== null);
  return dates.sort((one, other) => away(one) - away(other))[0] ?? null;
}

export function entryOf(
  movement: Movement,
  information: Information,
  currency: string,
  number: number,
): StatementEntry {
  const { type, supplement, ...rest } = movement;
  const { transactionCode, remittance, ...informed } = information;
  const hasInformation = remittance !== '' || information.creditorReference !== '';
  const { endToEndId: originalEndToEndId } = information;
  return {
    ...rest,
    ...informed,
    returned:
      informed.returned ??
      (RETURNED_ITEM.test(type) ? { reasonCode: '', reasonText: '', originalEndToEndId } : null),
    number,
    currency,
    batchReference: '',
    remittance: hasInformation ? remittance : supplement,
    instructionId: information.instructionId || movement.instructionId,
    transactionCode: transactionCode === '' ? type : `${type}-${transactionCode}`,
  };
}
