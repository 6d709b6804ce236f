/** UPI of India: National Payments Corporation of India, UPI Linking Specifications 1.6, on the parameters. */
import { decimalAmount } from '../../../checkout/money.ts';
import { ASCII, cleanText } from './text.ts';

export type UpiTransfer = {
  readonly upi: string;
  readonly name: string;
  /** In paise. */
  readonly amount: number;
  /** At most 35 letters and digits. */
  readonly reference: string;
};

/** The address that a UPI application opens, and that the code holds. */
export function upiLink({ upi, name, amount, reference }: UpiTransfer): string {
  const parameters = {
    pa: upi,
    pn: cleanText(name, ASCII, 70) || upi,
    tr: reference,
    // Transfers between persons keep the note only.
    tn: reference,
    am: decimalAmount(amount, 'INR'),
    cu: 'INR',
  };
  const query = Object.entries(parameters).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  // The sign between name and handle may stay as it is in a query, and not every application decodes it.
  return `upi://pay?${query.join('&').replaceAll('%40', '@')}`;
}
