/** Amounts as people type and read them: with a point, and every digit that the currency has. */
import { currencyExponent, formatAmount } from '../checkout/money.ts';
import { minorUnits } from '../statements/values.ts';
import { printable } from './printable.ts';
import { UsageError } from './usage-error.ts';

/**
 * `amountOf('12.50', 'EUR')` is 1250. Everything else in the API counts minor units: that nobody gives back a hundred
 * times as much, `1250` is none, but for a currency without digits behind the point.
 */
export function amountOf(text: string, currency: string): number {
  const digits = currencyExponent(currency) ?? 2;
  const wrong = (): never => {
    const how = digits === 0 ? 'without a point' : `with ${digits} digits behind the point`;
    throw new UsageError(
      `an amount of ${currency} is written ${how}, such as ${formatAmount(1250, currency).split(' ')[0]}, and not ${printable(text)}`,
    );
  };
  const form = digits === 0 ? /^\d{1,15}$/ : new RegExp(`^\\d{1,15}\\.\\d{${digits}}$`);
  return form.test(text) ? minorUnits(text, currency, wrong) : wrong();
}
