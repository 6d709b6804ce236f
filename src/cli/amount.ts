/** Amounts as people type them: with a decimal point and every digit that the currency has. */
import { currencyExponent, formatAmount } from '../checkout/money.ts';
import { minorUnits } from '../statements/values.ts';
import { UsageError } from './failure.ts';
import { printable } from './printable.ts';

/**
 * `amountOf('12.50', 'EUR')` is 1250. Everything else in the API counts minor units: that nobody gives back a hundred
 * times as much, `1250` is none, but for a currency without digits behind the point.
 */
export function amountOf(text: string, currency: string): number {
  const digits = currencyExponent(currency) ?? 2;
  const wrong = (): never => {
    const how = digits === 0 ? 'no decimal point' : `${digits} digits after the decimal point`;
    const [example] = formatAmount(1250, currency).split(' ');
    throw new UsageError(`an amount in ${currency} has ${how}, such as ${example}, not "${printable(text)}"`);
  };
  const form = digits === 0 ? /^\d{1,15}$/ : new RegExp(`^\\d{1,15}\\.\\d{${digits}}$`);
  return form.test(text) ? minorUnits(text, currency, wrong) : wrong();
}
