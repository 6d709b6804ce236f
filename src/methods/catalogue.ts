/** Catalogue of payment methods. The rails decide which of them work. */
import { currencyExponent } from '../checkout/money.ts';

export type Method = {
  /** Id on the wire: `card`, `paynow_sgd`. */
  readonly id: string;
  readonly name: string;
  /** The only currency of the method, or null. */
  readonly currency: string | null;
  /** The only country whose payers have it (ISO 3166-1 alpha-2), or null. */
  readonly country: string | null;
};

const named = (
  id: string,
  name: string,
  currency: string | null = null,
  country: string | null = null,
): Method => ({
  id,
  name,
  currency,
  country,
});

const BANK_TRANSFER = 'local_bank_transfer_';

const methods: readonly Method[] = [
  named('card', 'Card'),
  named('paynow_sgd', 'PayNow', 'SGD', 'SG'),
  named('promptpay_thb', 'PromptPay', 'THB', 'TH'),
  named('pix_brl', 'Pix', 'BRL', 'BR'),
  named('boleto_brl', 'Boleto', 'BRL', 'BR'),
  named('upi_inr', 'UPI', 'INR', 'IN'),
  named('fpx_myr', 'FPX', 'MYR', 'MY'),
  named('gcash_php', 'GCash', 'PHP', 'PH'),
  named('ideal_eur', 'iDEAL', 'EUR', 'NL'),
  named('bancontact_eur', 'Bancontact', 'EUR', 'BE'),
  named('blik_pln', 'BLIK', 'PLN', 'PL'),
  named('twint_chf', 'TWINT', 'CHF', 'CH'),
  named('swish_sek', 'Swish', 'SEK', 'SE'),
  named('mobilepay_dkk', 'MobilePay', 'DKK', 'DK'),
  named('vipps_nok', 'Vipps', 'NOK', 'NO'),
  named('spei_mxn', 'SPEI', 'MXN', 'MX'),
  named('oxxo_mxn', 'OXXO', 'MXN', 'MX'),
  named('pse_cop', 'PSE', 'COP', 'CO'),
  named('alipay_cny', 'Alipay', 'CNY', 'CN'),
  named('wechatpay_cny', 'WeChat Pay', 'CNY', 'CN'),
  named('kakaopay_krw', 'Kakao Pay', 'KRW', 'KR'),
];
const wireTransfer = named('wire_transfer', 'International bank transfer');
const byId = new Map([...methods, wireTransfer].map((method) => [method.id, method]));

const catalogues = new Map<string, readonly Method[]>();

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
    : named(id, `Bank transfer (${currency})`, currency);
}
