/**
 * Structured references, which a payer's bank carries unchanged, so that a payment finds its session. Check digits
 * reveal typing errors. Pure.
 */

/**
 * `RF`: ISO 11649, for all accounts. `QRR`: the QR reference of Switzerland and Liechtenstein, which a QR-IBAN demands
 * and which no other account takes.
 */
export type ReferenceKind = 'RF' | 'QRR';

/** Crockford's base 32: no I, L, O or U, which people confuse with others. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 90 random bits. With the prefix 22 characters, which fits wherever 25 do. */
const RF_BODY_LENGTH = 18;
const RF_LENGTH = RF_BODY_LENGTH + 4;
const QRR_LENGTH = 27;

/** Number of random characters for the 26 digits of a QR reference (86 bits): enough that all are equally likely. */
const QRR_RANDOM_LENGTH = 30;

/**
 * New reference in electronic form. `random` gives so many characters of Crockford's base 32, each equally likely; case
 * does not matter.
 */
export function newReference(kind: ReferenceKind, random: (length: number) => string): string {
  if (kind === 'RF') return creditorReference(random(RF_BODY_LENGTH).toUpperCase());
  let number = 0n;
  for (const character of random(QRR_RANDOM_LENGTH).toUpperCase()) {
    number = number * 32n + BigInt(ALPHABET.indexOf(character));
  }
  return qrReference(String(number % 10n ** 26n).padStart(QRR_LENGTH - 1, '0'));
}

/** Creditor reference with this body of at most 21 letters and digits (ISO 11649, on the check digits). */
export function creditorReference(body: string): string {
  const checkDigits = 98 - modulo97(`${body}RF00`);
  return `RF${String(checkDigits).padStart(2, '0')}${body}`;
}

/** QR reference with these 26 digits (Swiss Implementation Guidelines QR-bill, annex on modulo 10 recursive). */
export function qrReference(digits: string): string {
  return `${digits}${modulo10Recursive(digits)}`;
}

/** True for a valid reference of either kind in electronic form. */
export function isReference(text: string): boolean {
  return isCreditorReference(text) || isQrReference(text);
}

/** ISO 11649: RF, two check digits (modulo 97-10 of ISO/IEC 7064), and at most 21 letters and digits. */
export function isCreditorReference(text: string): boolean {
  // Check digits run from 02 to 98: 00, 01 and 99 have the right remainder too, but nobody calculates them.
  if (!/^RF(?!00|01|99)\d{2}[0-9A-Z]{1,21}$/.test(text)) return false;
  return modulo97(text.slice(4) + text.slice(0, 4)) === 1;
}

/** 27 digits, the last of which is the check digit. All zeros are right by that rule, and refer to nothing. */
export function isQrReference(text: string): boolean {
  return /^(?!0+$)\d{27}$/.test(text) && modulo10Recursive(text.slice(0, -1)) === Number(text.at(-1));
}

/** Reference for comparison: capitals and digits, without whatever a bank or a payer put between. */
export function normalReference(text: string): string {
  return text.toUpperCase().replace(/[^0-9A-Z]/g, '');
}

/** Reference in groups, as the standards print it: fours for RF, 2 and then fives for QRR. */
export function displayReference(reference: string): string {
  return isQrReference(reference)
    ? reference.replace(/^(\d{2})(\d{5})(\d{5})(\d{5})(\d{5})(\d{5})$/, '$1 $2 $3 $4 $5 $6')
    : reference.replace(/(.{4})(?!$)/g, '$1 ');
}

/** Characters of a text that are searched; the longest remittance information of a bank has 9,000. */
const LONGEST_TEXT = 10_000;

/**
 * The valid references in the free text of a payment, in electronic form, in the order in which they begin. The bank
 * may have put blanks and line breaks into them, and the payer small letters, or into ours an O for a zero.
 *
 * Check digits fit by accident too (of 97 texts about one, for QRR one of ten). So what is found is to be compared
 * with references that were given out, and proves nothing by itself.
 */
export function referencesIn(text: string): string[] {
  const looked = text.slice(0, LONGEST_TEXT);
  // Most texts have nothing that could be one, and a statement has very many texts.
  if (!/RF[0-9O]{2}|[0-9]{27}/.test(normalReference(looked))) return [];
  const { characters, endsAt } = readable(looked);
  const found = new Set<string>();
  for (let start = 0; start < characters.length; start++) {
    for (const reference of creditorReferencesAt(characters, endsAt, start)) found.add(reference);
    const digits = characters.slice(start, start + QRR_LENGTH);
    // Digits directly before or after would belong to a longer number.
    const isWhole =
      isBoundary(characters, endsAt, start) && isBoundary(characters, endsAt, start + QRR_LENGTH);
    if (isWhole && isQrReference(digits)) found.add(digits);
  }
  return [...found];
}

/** The letters and digits of a text, and after how many of them something else stood between. */
function readable(text: string): { characters: string; endsAt: ReadonlySet<number> } {
  let characters = '';
  const endsAt = new Set<number>([0]);
  for (const character of text.toUpperCase()) {
    if (/[0-9A-Z]/.test(character)) characters += character;
    else endsAt.add(characters.length);
  }
  endsAt.add(characters.length);
  return { characters, endsAt };
}

/** True if a number may begin or end here: one of its neighbours is no digit, or something stands between them. */
function isBoundary(characters: string, endsAt: ReadonlySet<number>, at: number): boolean {
  return endsAt.has(at) || !/^\d\d$/.test(characters.slice(at - 1, at + 1));
}

/** A reference of unknown length may end wherever a word does, or where ours do. */
function creditorReferencesAt(characters: string, endsAt: ReadonlySet<number>, start: number): string[] {
  if (!/^RF[0-9O]{2}/.test(characters.slice(start, start + 4))) return [];
  const found: string[] = [];
  const ours = characters.slice(start, start + RF_LENGTH);
  const repaired = `RF${ours.slice(2).replaceAll('O', '0').replace(/[IL]/g, '1')}`;
  if (isCreditorReference(ours)) found.push(ours);
  else if (ours.length === RF_LENGTH && isCreditorReference(repaired)) found.push(repaired);
  for (let length = 5; length <= 25; length++) {
    const candidate = characters.slice(start, start + length);
    if (candidate.length === length && endsAt.has(start + length) && isCreditorReference(candidate)) {
      found.push(candidate);
    }
  }
  return found;
}

/** The remainder of a text read as a number in which A is 10 and Z is 35 (ISO/IEC 7064, system 97-10). */
function modulo97(text: string): number {
  let rest = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value < 10 ? 10 : 100) + value) % 97;
  }
  return rest;
}

const carries = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5];

/** The check digit of a QR reference, "modulo 10 recursive". */
function modulo10Recursive(digits: string): number {
  let carry = 0;
  for (const digit of digits) carry = carries[(carry + Number(digit)) % 10] as number;
  return (10 - carry) % 10;
}
