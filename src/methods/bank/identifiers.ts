/**
 * Identifiers under which money is received, each with its normal form, its check, and its grouping for readers. Pure.
 */
import {
  countrySpecs,
  friendlyFormatIBAN,
  isQRIBAN,
  isValidBIC,
  ValidationErrorsIBAN,
  validateIBAN,
} from 'ibantools';

export type Identifier = {
  /** Normal form, which is stored and sent: without the blanks and hyphens that people write into it. */
  normal(text: string): string;
  /** Problem of a normal form, as the rest of the sentence "<field> …", or null. */
  problem(normal: string): string | null;
  /** A valid normal form in groups, as people read it. */
  display(normal: string): string;
};

const compact = (text: string): string => text.replace(/[\s.\-/]/g, '').toUpperCase();
const asItIs = (normal: string): string => normal;

/** True for the code of a country: ISO 3166-1 alpha-2, and XK, which banks use for Kosovo. */
export function isCountry(code: string): boolean {
  return Object.hasOwn(countrySpecs, code);
}

/**
 * ISO 13616: length and structure as the country registered them, check digits modulo 97-10 (ISO/IEC 7064), and the
 * check digits of the account number itself where the country has such.
 */
export const iban: Identifier = {
  normal: (text) => compact(text).replace(/^IBAN:?/, ''),
  problem(normal) {
    if (!/^[A-Z]{2}\d{2}[A-Z0-9]*$/.test(normal)) {
      return 'must be an IBAN: two letters for the country, two check digits, then letters and digits';
    }
    const country = normal.slice(0, 2);
    const { errorCodes } = validateIBAN(normal);
    const has = (code: ValidationErrorsIBAN) => errorCodes.includes(code);
    if (has(ValidationErrorsIBAN.NoIBANCountry)) return `begins with ${country}, a country without IBANs`;
    if (has(ValidationErrorsIBAN.WrongBBANLength)) {
      return `must have ${countrySpecs[country]?.chars} characters for ${country}, and has ${normal.length}`;
    }
    if (has(ValidationErrorsIBAN.WrongBBANFormat)) return `has letters or digits where ${country} has none`;
    if (has(ValidationErrorsIBAN.WrongIBANChecksum)) return 'has wrong check digits';
    return errorCodes.length > 0 ? 'has wrong check digits within the account number' : null;
  },
  display: (normal) => friendlyFormatIBAN(normal) ?? normal,
};

/**
 * An IBAN for payments with a QR reference only: of Switzerland or Liechtenstein, with an institution (IID) between
 * 30000 and 31999 (Swiss Implementation Guidelines QR-bill, on QR-IBAN and QR-IID).
 */
export const qrIban: Identifier = {
  ...iban,
  problem(normal) {
    const problem = iban.problem(normal);
    if (problem !== null) return problem;
    return isQRIBAN(normal)
      ? null
      : 'must be a QR-IBAN: from CH or LI, with digits 5 to 9 between 30000 and 31999';
  },
};

/** True if a valid IBAN accepts only payments with a QR reference. */
export const isQrIban = (normal: string): boolean => isQRIBAN(normal);

/** ISO 9362: four letters, a country, two characters of a place, and three of a branch where there is one. */
export const bic: Identifier = {
  normal: compact,
  problem(normal) {
    if (normal.length !== 8 && normal.length !== 11) return 'must have 8 or 11 characters';
    if (!isCountry(normal.slice(4, 6))) return 'must name a country with its 5th and 6th letter';
    return isValidBIC(normal) ? null : 'must begin with six letters, and have only letters and digits';
  },
  display: asItIs,
};

/** Countries whose banks use each other's codes: possessions and neighbours without a system of their own. */
const sharedBanking = [
  ['GB', 'GG', 'IM', 'JE', 'GI'],
  ['FR', 'MC', 'BL', 'GF', 'GP', 'MF', 'MQ', 'NC', 'PF', 'PM', 'RE', 'TF', 'WF', 'YT'],
  ['DK', 'FO', 'GL'],
  ['ES', 'AD'],
  ['FI', 'AX'],
  ['NO', 'SJ'],
  ['CH', 'LI'],
  ['IT', 'SM', 'VA'],
];

/** True if a bank of this BIC can hold an account of this IBAN: both name a country. */
export function belongTogether(validIban: string, validBic: string): boolean {
  const countries = [validIban.slice(0, 2), validBic.slice(4, 6)] as const;
  return (
    countries[0] === countries[1] ||
    sharedBanking.some((group) => countries.every((each) => group.includes(each)))
  );
}

/** A number of Singapore's companies (UEN), with the three characters that a company may add for PayNow. */
const UEN = /^(\d{8}[A-Z]|(19|20)\d{7}[A-Z]|[RST]\d{2}[A-Z]{2}\d{4}[A-Z])([A-Z0-9]{3})?$/;
const SINGAPORE_MOBILE = /^\+65[89]\d{7}$/;

/**
 * Identifier of a payee for PayNow: a UEN in one of its three forms (uen.gov.sg; the rule of its check letter is not
 * published) or a mobile number.
 */
export const payNow: Identifier = {
  normal(text) {
    const short = compact(text);
    return /^(\+?65)?[89]\d{7}$/.test(short) ? `+65${short.slice(-8)}` : short;
  },
  problem: (normal) =>
    UEN.test(normal) || SINGAPORE_MOBILE.test(normal)
      ? null
      : 'must be a UEN such as 201403121W, or a mobile number such as +6591234567',
  display: (normal) => normal.replace(/^(\+65)(\d{4})(\d{4})$/, '$1 $2 $3'),
};

export const isMobileNumber = (normal: string): boolean => normal.startsWith('+');

/**
 * Identifier of a payee for PromptPay: a mobile number, the 13 digits of a person or a company, or the 15 of an
 * electronic wallet.
 */
export const promptPay: Identifier = {
  normal(text) {
    const short = compact(text);
    return /^\+?66[689]\d{8}$/.test(short) ? `0${short.slice(-9)}` : short;
  },
  problem(normal) {
    if (/^0[689]\d{8}$/.test(normal) || /^\d{15}$/.test(normal)) return null;
    if (/^\d{13}$/.test(normal)) return hasThaiCheckDigit(normal) ? null : 'has a wrong check digit';
    return 'must be a mobile number such as 0812345678, a national or tax id of 13 digits, or an e-wallet id of 15';
  },
  display: (normal) =>
    normal
      .replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3')
      .replace(/^(\d)(\d{4})(\d{5})(\d{2})(\d)$/, '$1-$2-$3-$4-$5'),
};

/** Modulo 11 with the weights 13 … 2, as for the national id of Thailand and its tax id. */
function hasThaiCheckDigit(id: string): boolean {
  const sum = weighted(id.slice(0, 12), [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  return (11 - (sum % 11)) % 10 === Number(id[12]);
}

const CPF = /^\d{11}$/;
/** CNPJ: numbers of companies may have letters since 2026. */
const CNPJ = /^[0-9A-Z]{12}\d{2}$/;
const RANDOM_KEY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BRAZILIAN_NUMBER = /^\+55[1-9]{2}\d{8,9}$/;
const EMAIL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/;
const LONGEST_EMAIL = 77;

/**
 * A key of Pix: CPF, CNPJ, e-mail address, telephone number or random key (Banco Central do Brasil, Manual
 * Operacional do DICT, section on keys; CNPJ with letters: Instrução Normativa RFB 2.229/2024).
 */
export const pix: Identifier = {
  normal(text) {
    const trimmed = text.trim();
    if (trimmed.includes('@') || RANDOM_KEY.test(trimmed.toLowerCase())) return trimmed.toLowerCase();
    return trimmed.replace(/[\s.\-/()]/g, '').toUpperCase();
  },
  problem(normal) {
    if (normal.includes('@')) {
      if (normal.length > LONGEST_EMAIL)
        return `must have at most ${LONGEST_EMAIL} characters as an e-mail address`;
      return EMAIL.test(normal) ? null : 'must be an e-mail address where it has an @';
    }
    if (normal.startsWith('+')) {
      return BRAZILIAN_NUMBER.test(normal) ? null : 'must be a telephone number such as +5511987654321';
    }
    if (RANDOM_KEY.test(normal)) return null;
    if (CPF.test(normal)) return hasCpfDigits(normal) ? null : 'has wrong check digits for a CPF';
    if (CNPJ.test(normal)) return hasCnpjDigits(normal) ? null : 'has wrong check digits for a CNPJ';
    return 'must be a CPF, a CNPJ, an e-mail address, a telephone number with +55, or a random key';
  },
  display: (normal) =>
    normal
      .replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, '$1.$2.$3-$4')
      .replace(/^([0-9A-Z]{2})([0-9A-Z]{3})([0-9A-Z]{3})([0-9A-Z]{4})(\d{2})$/, '$1.$2.$3/$4-$5'),
};

function hasCpfDigits(cpf: string): boolean {
  const weights = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2];
  return hasBrazilianDigits(cpf, weights);
}

function hasCnpjDigits(cnpj: string): boolean {
  return hasBrazilianDigits(cnpj, [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]);
}

/**
 * Two check digits modulo 11: the first of what is before them, the second of that and the first. `weights` are those
 * of the second; the first has the same without the first of them. One character all over fits, and is nobody's number.
 */
function hasBrazilianDigits(id: string, weights: readonly number[]): boolean {
  const digit = (text: string, from: readonly number[]) => {
    const rest = weighted(text, from) % 11;
    return String(rest < 2 ? 0 : 11 - rest);
  };
  const isSame = id === (id[0] ?? '').repeat(id.length);
  const first = digit(id.slice(0, -2), weights.slice(1));
  const second = digit(id.slice(0, -1), weights);
  return !isSame && id.endsWith(first + second);
}

/** The sum of all characters, each times its weight; a letter counts for its place in ASCII after the digit 0. */
function weighted(text: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * (text.charCodeAt(index) - 48), 0);
}

/** A virtual payment address of UPI, `name@handle` (NPCI, UPI Linking Specifications 1.6, parameter `pa`). */
export const upi: Identifier = {
  normal: (text) => text.trim().toLowerCase(),
  problem(normal) {
    if (normal.length > 255) return 'must have at most 255 characters';
    return /^[a-z0-9._-]{2,}@[a-z][a-z0-9]+$/.test(normal) ? null : 'must be a UPI address such as shop@bank';
  },
  display: asItIs,
};
