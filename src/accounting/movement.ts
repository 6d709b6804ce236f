/** Movements of money as bookkeeping takes them: the answers of the API, and the day that each is booked on. */
import { decimalAmount } from '../checkout/money.ts';
import type { representMovement } from '../checkout/representation.ts';

export type Movement = ReturnType<typeof representMovement>;

/** Pages of a list of movements, which are written as they come. */
export type Movements = AsyncIterable<readonly Movement[]>;

/**
 * End of an export, in milliseconds: behind its newest movement, the first one of its first page. What comes later by its
 * time is in no page of the file, so what is summed up about the file beforehand ends there as well. That is no bound of
 * what is stored by then: a movement has the time at which its command was made, and may be committed behind a younger one.
 */
export const endBehind = ([newest]: ReadonlyArray<Pick<Movement, 'created_at'>>, to: number): number =>
  newest === undefined ? to : Math.min(to, Date.parse(newest.created_at) + 1);

/** A function that tells the day of a time, such as `2030-01-31`. */
export type DayOf = (time: string) => string;

/** Days in a time zone. Throws a RangeError if nobody knows it. */
export function daysIn(timeZone: string): DayOf {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (time) => {
    const parts = new Map(format.formatToParts(new Date(time)).map(({ type, value }) => [type, value]));
    return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
  };
}

/** True for a refund whose money has not left yet, and may never leave. */
export const isPending = ({ refund_status: status }: Movement): boolean => status === 'pending';

/** Amount in major units as the books of the merchant have it: less than zero for what went back. */
export function signedAmount({ type, amount, currency }: Movement): string {
  const decimal = decimalAmount(amount, currency);
  return type === 'payment' || amount === 0 ? decimal : `-${decimal}`;
}

/** Text on one line, without characters that change how the others are shown. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, '')
    .replace(/ +/g, ' ')
    .trim();
