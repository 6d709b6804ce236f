/** Catalogue of payment methods. The rails decide which of them work. */
import { currencyExponent } from '../checkout/money.ts';

export type Method = {
  /** Id on the wire: `card`, `paynow_sgd`. */
  readonly id: string;
  readonly name: string;
  /** Kind of the method, as v3 clients know it. */
  readonly family: Family;
  /** The only currency of the method, or null. */
  readonly currency: string | null;
  /** The only country whose payers have it (ISO 3166-1 alpha-2), or null. */
  readonly country: string | null;
};

type Family = 'card' | 'bank_transfer' | 'bank_redirect' | 'real_time_payment' | 'wallet' | 'voucher';

const named = (
  id: string,
  name: string,
  family: Family,
  currency: string | null = null,
  country: string | null = null,
): Method => ({
  id,
  name,
  family,
  currency,
  country,
});

const BANK_TRANSFER = 'local_bank_transfer_';

const methods: readonly Method[] = [
  named('card', 'Card', 'card'),
  named('paynow_sgd', 'PayNow', 'real_time_payment', 'SGD', 'SG'),
  named('promptpay_thb', 'PromptPay', 'real_time_payment', 'THB', 'TH'),
  named('pix_brl', 'Pix', 'real_time_payment', 'BRL', 'BR'),
  named('boleto_brl', 'Boleto', 'voucher', 'BRL', 'BR'),
  named('upi_inr', 'UPI', 'real_time_payment', 'INR', 'IN'),
  named('fpx_myr', 'FPX', 'bank_redirect', 'MYR', 'MY'),
  named('gcash_php', 'GCash', 'wallet', 'PHP', 'PH'),
  named('ideal_eur', 'iDEAL', 'bank_redirect', 'EUR', 'NL'),
  named('bancontact_eur', 'Bancontact', 'bank_redirect', 'EUR', 'BE'),
  named('blik_pln', 'BLIK', 'real_time_payment', 'PLN', 'PL'),
  named('twint_chf', 'TWINT', 'wallet', 'CHF', 'CH'),
  named('swish_sek', 'Swish', 'real_time_payment', 'SEK', 'SE'),
  named('mobilepay_dkk', 'MobilePay', 'wallet', 'DKK', 'DK'),
  named('vipps_nok', 'Vipps', 'wallet', 'NOK', 'NO'),
  named('spei_mxn', 'SPEI', 'real_time_payment', 'MXN', 'MX'),
  named('oxxo_mxn', 'OXXO', 'voucher', 'MXN', 'MX'),
  named('pse_cop', 'PSE', 'bank_redirect', 'COP', 'CO'),
  named('alipay_cny', 'Alipay', 'wallet', 'CNY', 'CN'),
  named('wechatpay_cny', 'WeChat Pay', 'wallet', 'CNY', 'CN'),
  named('kakaopay_krw', 'Kakao Pay', 'wallet', 'KRW', 'KR'),
];
const wireTransfer = named('wire_transfer', 'International bank transfer', 'bank_transfer');
const byId = new Map([...methods, wireTransfer].map((method) => [method.id, method]));

const catalogues = new Map<string, readonly Method[]>();

/** Names of groups, by which v3 clients sort methods; what is neither card nor transfer is an alternative. */
export const groupOf = ({ family }: Method): string =>
  family === 'card' || family === 'bank_transfer' ? family : 'APM';

/** Methods for an invoice in this currency. */
export function catalogue(currency: string): readonly Method[] {
  let found = catalogues.get(currency);
  if (found === undefined) {
    const local = findMethod(`${BANK_TRANSFER}${currency.toLowerCase()}`);
    found = [...methods, ...(local ? [local] : []), wireTransfer].filter(
      (method) => method.currency === null || method.currency === currency,
    );
    if (local) catalogues.set(currency, found);
  }
  return found;
}

/** Method with this id, or undefined; there is a local bank transfer for every currency. */
export function findMethod(id: string): Method | undefined {
  const known = byId.get(id);
  if (known || !id.startsWith(BANK_TRANSFER)) return known;
  const currency = id.slice(BANK_TRANSFER.length).toUpperCase();
  return currencyExponent(currency) === undefined || id !== id.toLowerCase()
    ? undefined
    : named(id, `Bank transfer (${currency})`, 'bank_transfer', currency);
}
