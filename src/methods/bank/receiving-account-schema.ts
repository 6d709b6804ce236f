/** A receiving account as JSON: its schema, from which the type comes, and the checks across fields. Pure. */

import { currencyExponent } from '../../checkout/money.ts';
import type { Problem } from '../../checkout/refusals.ts';
import { formatOf, line, lineProblem } from '../../lib/formats.ts';
import { type Static, Type } from '../../lib/json-schema.ts';
import { isObject, trimmed } from '../../lib/json-values.ts';
import { type CamelKeys, camelKeys, snakeKeys } from '../../lib/key-names.ts';
import { type Formats, validator } from '../../lib/schema-problems.ts';
import { closedObject, nullable } from '../../lib/schemas.ts';
import {
  belongTogether,
  bic,
  type Identifier,
  iban,
  isCountry,
  isQrIban,
  payNow,
  pix,
  promptPay,
  qrIban,
  upi,
} from './identifiers.ts';

/** Identifiers by the name of their field, and of their format. */
const identifiers = { iban, bic, qr_iban: qrIban, paynow: payNow, promptpay: promptPay, pix, upi } as const;

function identifierFormat({ normal, problem }: Identifier) {
  return formatOf((text) => lineProblem(text) ?? problem(normal(text)));
}

/** The formats that the schema uses. */
export const receivingAccountFormats: Formats = {
  ...Object.fromEntries(
    Object.entries(identifiers).map(([name, identifier]) => [name, identifierFormat(identifier)]),
  ),
  iban: identifierFormat({
    ...iban,
    problem: (text) =>
      iban.problem(text) ?? (isQrIban(text) ? 'is a QR-IBAN, which belongs in qr_iban' : null),
  }),
  line,
  id: formatOf((text) => (/^[a-z0-9-]+$/.test(text) ? null : 'must have only a to z, 0 to 9 and -')),
  currency: formatOf((text) =>
    currencyExponent(text.toUpperCase()) === undefined
      ? 'must be an ISO 4217 currency code such as EUR'
      : null,
  ),
  country: formatOf((text) =>
    isCountry(text.toUpperCase()) ? null : 'must be an ISO 3166-1 alpha-2 country code such as DE',
  ),
  'account-number': formatOf((text) =>
    /^[0-9A-Za-z][0-9A-Za-z ./-]*$/.test(text) ? null : 'must have only letters, digits, blanks and . / -',
  ),
};

const text = (maxLength: number, format = 'line') => Type.String({ maxLength, format });
const identifier = (name: keyof typeof identifiers) => nullable(text(255, name));

/**
 * The recipient of the money. Parts that are not known are empty. Lengths are those of ISO 20022, `PostalAddress24` and
 * `Max70Text`, within the limits of the QR codes.
 */
const holderSchema = closedObject({
  name: text(70),
  street: text(70),
  building_number: text(16),
  postal_code: text(16),
  city: text(35),
  /** ISO 3166-1 alpha-2. */
  country: Type.String({ format: 'country' }),
});

export const receivingAccountSchema = closedObject({
  /** Chosen by the operator; unique in its account and mode. */
  id: text(32, 'id'),
  /** ISO 4217. */
  currency: Type.String({ format: 'currency' }),
  holder: holderSchema,
  iban: identifier('iban'),
  bic: identifier('bic'),
  /** For accounts without an IBAN, or known by another number in their country. */
  account_number: nullable(text(34, 'account-number')),
  /** Clearing code of the bank: sort code, routing number, BSB, IFSC …, as payers know it. */
  bank_code: nullable(text(34, 'account-number')),
  bank_name: nullable(text(140)),
  /** QR-IBAN of the same account, which receives payments with a QR reference. */
  qr_iban: identifier('qr_iban'),
  /** UEN, or mobile number with +65. */
  paynow: identifier('paynow'),
  /** Mobile number (0…), national or tax id (13 digits), e-wallet id (15 digits). */
  promptpay: identifier('promptpay'),
  /** CPF, CNPJ, e-mail address, telephone number with +55, or random key. */
  pix: identifier('pix'),
  /** `name@handle`. */
  upi: identifier('upi'),
});
type Given = Static<typeof receivingAccountSchema>;

/** A receiving account; all of its identifiers are in their normal form, see `identifiers.ts`. */
export type ReceivingAccount = CamelKeys<Given>;

const emptyHolder = { street: '', building_number: '', postal_code: '', city: '' };
const emptyAccount: Partial<Given> = {
  iban: null,
  bic: null,
  account_number: null,
  bank_code: null,
  bank_name: null,
  qr_iban: null,
  paynow: null,
  promptpay: null,
  pix: null,
  upi: null,
};

/** The account as given, with all of its fields: an empty text and null are as good as no field. */
export function withAccountDefaults(given: unknown): unknown {
  if (!isObject(given)) return given;
  const account = withoutEmpty(given, receivingAccountSchema.properties);
  const holder = isObject(account.holder)
    ? { holder: { ...emptyHolder, ...withoutEmpty(account.holder, holderSchema.properties) } }
    : {};
  return { ...emptyAccount, ...account, ...holder };
}

function withoutEmpty(given: object, known: object): Readonly<Record<string, unknown>> {
  const isEmpty = (value: unknown) => value === undefined || value === null || value === '';
  return Object.fromEntries(
    Object.entries(given)
      .map(([name, value]) => [name, trimmed(value)] as const)
      .filter(([name, value]) => !(Object.hasOwn(known, name) && isEmpty(value))),
  );
}

/** The account as given, with its identifiers and codes in their normal form. */
function normalized(account: Given): Given {
  const normal = ({ normal }: Identifier, value: string | null) => (value === null ? null : normal(value));
  return {
    ...account,
    currency: account.currency.toUpperCase(),
    holder: { ...account.holder, country: account.holder.country.toUpperCase() },
    iban: normal(iban, account.iban),
    bic: normal(bic, account.bic),
    qr_iban: normal(qrIban, account.qr_iban),
    paynow: normal(payNow, account.paynow),
    promptpay: normal(promptPay, account.promptpay),
    pix: normal(pix, account.pix),
    upi: normal(upi, account.upi),
  };
}

/** The account in the form that the service works with. */
export function receivingAccountFrom(valid: Given): ReceivingAccount {
  return camelKeys(normalized(valid));
}

const validate = validator(receivingAccountSchema, receivingAccountFormats);

/** The account that was given as JSON, or all of its mistakes. */
export function readReceivingAccount(
  given: unknown,
): { readonly account: ReceivingAccount } | { readonly problems: readonly Problem[] } {
  const account = withAccountDefaults(given);
  const validated = validate(account);
  const found = 'problems' in validated ? validated.problems : [];
  const problems = [...found, ...accountConflicts(account, new Set(found.map(({ pointer }) => pointer)))];
  return 'valid' in validated && problems.length === 0
    ? { account: receivingAccountFrom(validated.valid) }
    : { problems };
}

/** The account as JSON for clients; reading that gives the same account again. */
export function serializeReceivingAccount(account: ReceivingAccount): Given {
  return snakeKeys<Given>(account);
}

/** The numbers by which statements may name the account, in their normal form, by the name of their field. */
export function numbersOf(
  account: Readonly<Record<string, unknown>>,
  faulty: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const normals = { iban: iban.normal, qr_iban: qrIban.normal, account_number: (number: string) => number };
  return Object.fromEntries(
    Object.entries(normals).flatMap(([name, normal]) => {
      const number = account[name];
      return typeof number === 'string' && !faulty.has(`/${name}`) ? [[name, normal(number)]] : [];
    }),
  );
}

/** Currencies of identifiers that cannot be paid in any other. */
const currenciesOf: Readonly<Record<string, readonly string[]>> = {
  qr_iban: ['CHF', 'EUR'],
  paynow: ['SGD'],
  promptpay: ['THB'],
  pix: ['BRL'],
  upi: ['INR'],
};

/** Fields that say where the money goes; an account needs at least one. */
const destinations = ['iban', 'account_number', 'paynow', 'promptpay', 'pix', 'upi'];

/**
 * Mistakes between the fields of an account with defaults. A field at fault in itself takes no part: a second sentence
 * would only confuse.
 */
export function accountConflicts(account: unknown, faulty: ReadonlySet<string>): Problem[] {
  if (!isObject(account)) return [];
  const textAt = (fields: Readonly<Record<string, unknown>>, name: string, parent = '') => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' && !faulty.has(`${parent}/${name}`) ? value : null;
  };
  const holder = isObject(account.holder) ? account.holder : {};
  const problems: Problem[] = [];
  const currency = textAt(account, 'currency')?.toUpperCase();
  for (const [name, currencies] of Object.entries(currenciesOf)) {
    if (currency !== undefined && textAt(account, name) !== null && !currencies.includes(currency)) {
      problems.push({ pointer: `/${name}`, detail: `is for ${currencies.join(' and ')} only` });
    }
  }
  const [ibanText, bicText] = [textAt(account, 'iban'), textAt(account, 'bic')];
  if (ibanText !== null && bicText !== null) {
    const [one, other] = [iban.normal(ibanText), bic.normal(bicText)];
    const detail = `is of a bank in ${other.slice(4, 6)}, and the IBAN of one in ${one.slice(0, 2)}`;
    if (!belongTogether(one, other)) problems.push({ pointer: '/bic', detail });
  }
  if (textAt(account, 'qr_iban') !== null) {
    if (ibanText === null) {
      problems.push({ pointer: '/iban', detail: 'is required beside qr_iban, for all other payments' });
    }
    for (const name of ['postal_code', 'city']) {
      if (textAt(holder, name, '/holder') === null) {
        problems.push({ pointer: `/holder/${name}`, detail: 'is required for a QR-bill' });
      }
    }
  }
  const isGiven = (name: string) => textAt(account, name) !== null || faulty.has(`/${name}`);
  // A QR-IBAN alone has been answered with what it needs.
  if (!['qr_iban', ...destinations].some(isGiven)) {
    problems.push({ pointer: '', detail: `must have at least one of ${destinations.join(', ')}` });
  }
  return problems.filter(({ pointer }) => !faulty.has(pointer));
}
