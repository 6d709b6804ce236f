/** An account that receives money: what it is made of, and what is wrong with one as it was given. Pure. */
import { currencyExponent } from '../../checkout/money.ts';
import type { Problem } from '../../checkout/refusals.ts';
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

/** The name of the rail of transfers, in attempts, the ledger and entries. */
export const BANK = 'bank';

/** Who the money is paid to. Parts that are not known are empty. */
export type AccountHolder = {
  readonly name: string;
  readonly street: string;
  readonly buildingNumber: string;
  readonly postalCode: string;
  readonly city: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
};

/** All identifiers are in their normal form, see `identifiers.ts`. */
export type ReceivingAccount = {
  /** Chosen by the operator; unique in its account and mode. */
  readonly id: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly holder: AccountHolder;
  readonly iban: string | null;
  readonly bic: string | null;
  /** Where there is no IBAN, or where payers of the country know the account by another number. */
  readonly accountNumber: string | null;
  /** Clearing code of the bank: sort code, routing number, BSB, IFSC …, as payers know it. */
  readonly bankCode: string | null;
  readonly bankName: string | null;
  /** Of the same account: payments with a QR reference go there. */
  readonly qrIban: string | null;
  /** UEN, or mobile number with +65. */
  readonly payNow: string | null;
  /** Mobile number (0…), national or tax id (13 digits), e-wallet id (15 digits). */
  readonly promptPay: string | null;
  /** CPF, CNPJ, e-mail address, telephone number with +55, or random key. */
  readonly pix: string | null;
  /** `name@handle`. */
  readonly upi: string | null;
};

type Rules = {
  /** In characters; no payment standard has room for more. */
  readonly maxLength: number;
  readonly isRequired?: boolean;
  readonly normal?: (text: string) => string;
  readonly problem?: (normal: string) => string | null;
  /** The currencies that it can be paid in. */
  readonly currencies?: readonly string[];
};

const code = (problem: (normal: string) => string | null): Rules => ({
  maxLength: 3,
  isRequired: true,
  normal: (text) => text.toUpperCase(),
  problem,
});
const identified = ({ normal, problem }: Identifier, currencies?: readonly string[]): Rules => ({
  maxLength: 255,
  normal,
  problem,
  ...(currencies ? { currencies } : {}),
});
const numbered: Rules = {
  maxLength: 34,
  problem: (text) =>
    /^[0-9A-Za-z][0-9A-Za-z ./-]*$/.test(text) ? null : 'must have only letters, digits, blanks and . / -',
};

/** ISO 20022, `PostalAddress24` and `Max70Text` for the name, within what the QR codes have room for. */
const holderRules: Readonly<Record<string, Rules>> = {
  name: { maxLength: 70, isRequired: true },
  street: { maxLength: 70 },
  building_number: { maxLength: 16 },
  postal_code: { maxLength: 16 },
  city: { maxLength: 35 },
  country: code((text) => (isCountry(text) ? null : 'must be an ISO 3166-1 alpha-2 country code such as DE')),
};

const accountRules: Readonly<Record<string, Rules>> = {
  id: {
    maxLength: 32,
    isRequired: true,
    problem: (text) => (/^[a-z0-9-]+$/.test(text) ? null : 'must have only a to z, 0 to 9 and -'),
  },
  currency: code((text) =>
    currencyExponent(text) === undefined ? 'must be an ISO 4217 currency code such as EUR' : null,
  ),
  iban: identified({
    ...iban,
    problem: (text) =>
      iban.problem(text) ?? (isQrIban(text) ? 'is a QR-IBAN, which belongs into qr_iban' : null),
  }),
  bic: identified(bic),
  account_number: numbered,
  bank_code: numbered,
  bank_name: { maxLength: 140 },
  qr_iban: identified(qrIban, ['CHF', 'EUR']),
  paynow: identified(payNow, ['SGD']),
  promptpay: identified(promptPay, ['THB']),
  pix: identified(pix, ['BRL']),
  upi: identified(upi, ['INR']),
};

/** One of them is where the money goes. */
const destinations = ['iban', 'account_number', 'paynow', 'promptpay', 'pix', 'upi'];

type Read = { readonly account: ReceivingAccount } | { readonly problems: readonly Problem[] };

/**
 * The account that was given as JSON, with the names that `presentReceivingAccount` writes, or everything that is
 * wrong with it. Identifiers may be written with blanks, an empty text is as good as none.
 */
export function readReceivingAccount(given: unknown): Read {
  if (!isObject(given)) return { problems: [{ pointer: '', detail: 'must be an object' }] };
  const { holder: givenHolder, ...rest } = given;
  const account = readFields(rest, accountRules, '');
  const holder = readHolder(givenHolder);
  const problems = [...account.problems, ...holder.problems];
  const faulty = new Set(problems.map(({ pointer }) => pointer));
  // What is wrong in itself need not fit to anything else: a second sentence would only confuse.
  const isFaulty = (pointer: string) => faulty.has(pointer);
  problems.push(
    ...consistencyProblems(account.values, holder.values).filter(({ pointer }) => !isFaulty(pointer)),
    ...destinationProblems(account.values, isFaulty),
  );
  if (problems.length > 0) return { problems };
  const text = (name: string) => account.values[name] ?? null;
  const holderText = (name: string) => holder.values[name] ?? '';
  return {
    account: {
      id: text('id') ?? '',
      currency: text('currency') ?? '',
      holder: {
        name: holderText('name'),
        street: holderText('street'),
        buildingNumber: holderText('building_number'),
        postalCode: holderText('postal_code'),
        city: holderText('city'),
        country: holderText('country'),
      },
      iban: text('iban'),
      bic: text('bic'),
      accountNumber: text('account_number'),
      bankCode: text('bank_code'),
      bankName: text('bank_name'),
      qrIban: text('qr_iban'),
      payNow: text('paynow'),
      promptPay: text('promptpay'),
      pix: text('pix'),
      upi: text('upi'),
    },
  };
}

/** The account as JSON for clients; reading that gives the same account again. */
export function presentReceivingAccount(account: ReceivingAccount) {
  const { name, street, buildingNumber, postalCode, city, country } = account.holder;
  return {
    id: account.id,
    currency: account.currency,
    holder: { name, street, building_number: buildingNumber, postal_code: postalCode, city, country },
    iban: account.iban,
    bic: account.bic,
    account_number: account.accountNumber,
    bank_code: account.bankCode,
    bank_name: account.bankName,
    qr_iban: account.qrIban,
    paynow: account.payNow,
    promptpay: account.promptPay,
    pix: account.pix,
    upi: account.upi,
  };
}

/** The ids of the methods that can be paid with into this account; see `methods/catalogue.ts`. */
export function methodsOf(account: ReceivingAccount): string[] {
  const hasNumber = account.iban !== null || account.accountNumber !== null;
  return [
    ...(account.payNow === null ? [] : ['paynow_sgd']),
    ...(account.promptPay === null ? [] : ['promptpay_thb']),
    ...(account.pix === null ? [] : ['pix_brl']),
    ...(account.upi === null ? [] : ['upi_inr']),
    ...(hasNumber ? [localBankTransfer(account)] : []),
    // Abroad a bank is found by its BIC only.
    ...(hasNumber && account.bic !== null ? ['wire_transfer'] : []),
  ];
}

export function localBankTransfer({ currency }: Pick<ReceivingAccount, 'currency'>): string {
  return `local_bank_transfer_${currency.toLowerCase()}`;
}

type Values = Readonly<Record<string, string>>;
type FieldsRead = { readonly values: Values; readonly problems: readonly Problem[] };

function readHolder(given: unknown): FieldsRead {
  if (given === undefined || given === null) {
    return { values: {}, problems: [{ pointer: '/holder', detail: 'is required' }] };
  }
  if (!isObject(given))
    return { values: {}, problems: [{ pointer: '/holder', detail: 'must be an object' }] };
  return readFields(given, holderRules, '/holder');
}

function readFields(
  given: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, Rules>>,
  parent: string,
): FieldsRead {
  const values: Record<string, string> = {};
  const problems: Problem[] = Object.keys(given)
    .filter((name) => !Object.hasOwn(rules, name))
    .map((name) => ({ pointer: `${parent}/${escaped(name)}`, detail: 'is not a known field' }));
  for (const [name, rule] of Object.entries(rules)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const read = readText(value, rule);
    if (read.problem !== null) problems.push({ pointer: `${parent}/${name}`, detail: read.problem });
    else if (read.text !== '') values[name] = read.text;
  }
  return { values, problems };
}

/** Control characters, separators of lines, and halves of characters: they would break codes, files and listings. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

function readText(given: unknown, rule: Rules): { text: string; problem: string | null } {
  const wrong = (problem: string) => ({ text: '', problem });
  if (given !== undefined && given !== null && typeof given !== 'string') return wrong('must be a string');
  const raw = (given ?? '').trim();
  if (raw === '') return { text: '', problem: rule.isRequired ? 'is required' : null };
  if (UNPRINTABLE.test(raw)) return wrong('must have no control characters and no line breaks');
  const text = rule.normal ? rule.normal(raw) : raw;
  if ([...text].length > rule.maxLength) return wrong(`must have at most ${rule.maxLength} characters`);
  return { text, problem: rule.problem?.(text) ?? null };
}

/** What is wrong between fields that are right in themselves. */
function consistencyProblems(values: Values, holder: Values): Problem[] {
  const { currency, iban, bic, qr_iban } = values;
  const problems: Problem[] = [];
  for (const [name, { currencies }] of Object.entries(accountRules)) {
    if (
      currencies &&
      currency !== undefined &&
      values[name] !== undefined &&
      !currencies.includes(currency)
    ) {
      problems.push({ pointer: `/${name}`, detail: `is for ${currencies.join(' and ')} only` });
    }
  }
  if (iban !== undefined && bic !== undefined && !belongTogether(iban, bic)) {
    const detail = `is of a bank in ${bic.slice(4, 6)}, and the IBAN of one in ${iban.slice(0, 2)}`;
    problems.push({ pointer: '/bic', detail });
  }
  if (qr_iban !== undefined) {
    if (iban === undefined) {
      problems.push({ pointer: '/iban', detail: 'is required beside qr_iban, for all other payments' });
    }
    for (const name of ['postal_code', 'city']) {
      if (holder[name] === undefined) {
        problems.push({ pointer: `/holder/${name}`, detail: 'is required for a QR-bill' });
      }
    }
  }
  return problems;
}

/** Whether money could get there at all, as far as it was meant to. */
function destinationProblems(values: Values, isFaulty: (pointer: string) => boolean): Problem[] {
  const isMeant = (name: string) => values[name] !== undefined || isFaulty(`/${name}`);
  // A QR-IBAN alone has been answered with what it needs.
  if (['qr_iban', ...destinations].some(isMeant)) return [];
  return [{ pointer: '', detail: `must have at least one of ${destinations.join(', ')}` }];
}

function isObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

/** A name within a JSON pointer (RFC 6901, section 3). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
