/**
 * Content of the code of a Swiss QR-bill, read back from it, so that the printed words cannot differ from the code.
 * Swiss Implementation Guidelines for the QR-bill 2.3, section 4.2.
 */

type SwissPayment = {
  readonly iban: string;
  readonly creditor: readonly string[];
  readonly currency: string;
  /** Empty where the payer fills it in. */
  readonly amount: string;
  readonly debtor: readonly string[];
  readonly reference: string;
  readonly information: readonly string[];
};

/** Places of the elements in the payload, which has one on each line. */
const IBAN = 3;
const CREDITOR = 4;
const AMOUNT = 18;
const CURRENCY = 19;
const DEBTOR = 20;
const REFERENCE_TYPE = 27;
const REFERENCE = 28;
const MESSAGE = 29;
const BILL_INFORMATION = 31;

/** As it is printed: the account and the reference in groups, addresses in the order of an envelope (section 3.6.2). */
export function readSwissPayload(payload: string): SwissPayment {
  const elements = payload.split(/\r?\n/);
  const at = (index: number) => elements[index]?.trim() ?? '';
  return {
    iban: grouped(at(IBAN)),
    creditor: addressOf(elements.slice(CREDITOR)),
    currency: at(CURRENCY),
    amount: amountOf(at(AMOUNT)),
    debtor: addressOf(elements.slice(DEBTOR)),
    reference: at(REFERENCE_TYPE) === 'QRR' ? groupedQrReference(at(REFERENCE)) : grouped(at(REFERENCE)),
    information: [at(MESSAGE), at(BILL_INFORMATION)].filter((line) => line !== ''),
  };
}

/** The address that begins there, of type S: street and number, postal code and town each have an element. */
function addressOf(elements: readonly string[]): string[] {
  const [, name = '', street = '', number = '', postalCode = '', town = '', country = ''] = elements;
  const place = `${postalCode} ${town}`.trim();
  const abroad = country === 'CH' || country === 'LI' || place === '' ? place : `${country} - ${place}`;
  return [name, `${street} ${number}`.trim(), abroad].filter((line) => line !== '');
}

/** Groups of four from the left: IBAN and ISO 11649 reference. */
function grouped(text: string): string {
  return text.replace(/(.{4})(?=.)/g, '$1 ');
}

/** Two digits, then groups of five. */
function groupedQrReference(text: string): string {
  return `${text.slice(0, 2)} ${text.slice(2).replace(/(.{5})(?=.)/g, '$1 ')}`;
}

/** Thousands apart by a blank, the decimals behind a point: `1 949.75` (section 3.5.3). */
function amountOf(text: string): string {
  const [whole = '', ...decimals] = text.split('.');
  const groups = whole.match(/\d{1,3}(?=(?:\d{3}){0,4}$)/g) ?? [];
  return [groups.join(' '), ...decimals].join('.');
}
