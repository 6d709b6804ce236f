/**
 * Information to the account owner (`:86:`) of an MT940, which no standard governs. Three forms are known: the fields
 * of German and Austrian banks (`166?00…?20EREF+…`), the codes between slashes of Dutch and other banks
 * (`/EREF/…/REMI/…`), and free text. Pure.
 */
import { trimWhere } from '../lib/trim.ts';
import type { StatementEntry } from './entry.ts';
import { compact, given, structuredReference, tidied } from './values.ts';

export type Information = Pick<
  StatementEntry,
  'endToEndId' | 'instructionId' | 'creditorReference' | 'remittance' | 'counterparty' | 'returned'
> & {
  /** The German code of the kind of business, three digits; empty elsewhere. */
  readonly transactionCode: string;
};

const nothing: Information = {
  endToEndId: '',
  instructionId: '',
  creditorReference: '',
  remittance: '',
  counterparty: { name: '', account: '', bic: '' },
  returned: null,
  transactionCode: '',
};

/** Three digits and then a sign, mostly a question mark, which begins each field together with two digits. */
const FIELDS = /^(\d{3})([?>~^|+@!])(?=\d\d)/;

/** Codes that no information begins with by chance. */
const CODED = /^\/(TRTP|EREF|PREF|KREF|IREF|RTRN|MARF|CSID|CNTP|ORDP|BENM|REMI|IBAN|NAME|NRTX|TRCD)\//;

export function informationOf(lines: readonly string[]): Information {
  const [first = ''] = lines;
  const [start, code = '', sign = ''] = FIELDS.exec(first) ?? [];
  if (start !== undefined) return ofFields(code, fieldsOf(lines.join('').slice(3), sign));
  if (CODED.test(first)) return ofCodes(codesOf(unwrapped(lines)));
  return { ...nothing, remittance: tidied(lines.join(' ')) };
}

/** The fields by their two digits, in their order. */
function fieldsOf(text: string, sign: string): readonly (readonly [number: string, text: string])[] {
  return text.split(sign).reduce<[string, string][]>((fields, each) => {
    const last = fields.at(-1);
    // The sign may be in a text as well; there, no two digits follow it.
    if (/^\d\d/.test(each)) fields.push([each.slice(0, 2), each.slice(2)]);
    else if (last) last[1] += sign + each;
    return fields;
  }, []);
}

const PURPOSE = /^(2\d|6[0-3])$/;

/** A purpose is cut into fields of 27 characters; where one is shorter, a blank was lost or a new text begins. */
const FIELD_LENGTH = 27;

const SEPA_TAG = /(?:^|\s)(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|IBAN|BIC)\+/g;
const BEGINS_WITH_TAG = /^(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|IBAN|BIC)\+/;

/** Codes of transfers and direct debits that the other bank returned; 160 is an instant transfer. */
const RETURNS: ReadonlySet<string> = new Set(['108', '109', '159', '160', '181', '184']);

function ofFields(code: string, fields: readonly (readonly [string, string])[]): Information {
  // The last one counts: the bank's own fields follow the purpose, into which a payer may have written such a field.
  const field = (number: string) => fields.findLast(([each]) => each === number)?.[1] ?? '';
  const { free, tags } = taggedOf(purposeOf(fields));
  const endToEndId = given(tags.get('EREF') ?? '');
  const name = tidied(field('32') + field('33')) || tidied(tags.get('ABWA') ?? '');
  return {
    endToEndId,
    instructionId: given(tags.get('KREF') ?? ''),
    creditorReference: '',
    remittance: tidied([free, tags.get('SVWZ') ?? ''].join(' ')),
    counterparty: {
      name,
      account: compact(field('31') || (tags.get('IBAN') ?? '')),
      bic: compact(field('30') || (tags.get('BIC') ?? '')),
    },
    returned: RETURNS.has(code)
      ? { reasonCode: tidied(field('34')), reasonText: tidied(field('00')), originalEndToEndId: endToEndId }
      : null,
    transactionCode: code,
  };
}

function purposeOf(fields: readonly (readonly [string, string])[]): string {
  let purpose = '';
  let isFull = true;
  for (const [number, text] of fields) {
    if (!PURPOSE.test(number)) continue;
    purpose += isFull && !BEGINS_WITH_TAG.test(text) ? text : ` ${text}`;
    isFull = text.length >= FIELD_LENGTH;
  }
  return purpose;
}

/**
 * The first of each tag counts: text that a payer writes into the purpose cannot replace what the bank wrote before it.
 */
function taggedOf(purpose: string): { free: string; tags: ReadonlyMap<string, string> } {
  const found = [...purpose.matchAll(SEPA_TAG)];
  const tags = new Map<string, string>();
  found.forEach((match, index) => {
    const [whole, tag = ''] = match;
    const text = purpose.slice(match.index + whole.length, found[index + 1]?.index);
    if (!tags.has(tag)) tags.set(tag, text.trim());
  });
  return { free: purpose.slice(0, found[0]?.index), tags };
}

/** Lines are cut at 65 characters, the first of which may have the tag among them; a shorter one lost a blank. */
function unwrapped(lines: readonly string[]): string {
  return lines.reduce((text, line, index) => {
    const before = lines[index - 1]?.length ?? 0;
    const isCut = before >= 65 || (index === 1 && before === 61);
    return text + (isCut || index === 0 ? '' : ' ') + line;
  }, '');
}

const CODE =
  /\/(TRTP|EREF|PREF|KREF|IREF|RTRN|MARF|CSID|CNTP|ORDP|BENM|REMI|IBAN|BIC|NAME|ADDR|ID|ISDT|PURP|ULTD|ULTC|ULTB|OCMT|EXCH|CHGS|CHG1|CHG2|NRTX|TRCD|SVCL)\//g;

/**
 * Codes that end the text of the payer. Banks put these behind it, and a payer who writes them gains nothing: each is
 * the payer's own, or is ignored. Other codes stay part of the text there, since a payer could otherwise claim a return
 * or another sender.
 */
const CODE_BEHIND_TEXT = /\/(EREF|PURP|ULTD|ULTB|ULTC|ISDT)\//g;

/** Codes with their values. The first of each code counts, and none that belongs to an ultimate party. */
function codesOf(text: string): ReadonlyMap<string, string> {
  const codes = new Map<string, string>();
  let from = 0;
  let code = '';
  let isUltimate = false;
  let ends = CODE;
  const add = (end: number) => {
    if (code !== '' && !codes.has(code) && !isUltimate) codes.set(code, text.slice(from, end));
  };
  for (let match = nextOf(ends, text, 0); match; match = nextOf(ends, text, from - 1)) {
    add(match.index);
    [, code = ''] = match;
    from = match.index + match[0].length;
    // The text goes to the very end: anything behind a code within the text may be the payer's as well.
    if (code === 'REMI') ends = CODE_BEHIND_TEXT;
    if (!/^(NAME|ADDR|ID|IBAN|BIC)$/.test(code)) isUltimate = /^ULT/.test(code);
  }
  add(text.length);
  return codes;
}

/** Two codes may share the slash between them, as in `/ORDP//NAME/` they need not. */
function nextOf(codes: RegExp, text: string, from: number): RegExpExecArray | null {
  codes.lastIndex = from;
  return codes.exec(text);
}

function withoutSlashes(text: string): string {
  return trimWhere(text, (character) => character === '/');
}

function ofCodes(codes: ReadonlyMap<string, string>): Information {
  const value = (code: string) => tidied(withoutSlashes(codes.get(code) ?? ''));
  // Account, BIC, name and city of the other side.
  const [account = '', bic = '', name = ''] = (codes.get('CNTP') ?? '').split('/');
  const endToEndId = given(value('EREF'));
  const { reference, text } = remittanceOf(value('REMI'));
  const reason = value('RTRN');
  const [reasonCode = '', ...reasonText] = reason.split('/');
  return {
    endToEndId,
    instructionId: given(value('KREF') || value('PREF')),
    creditorReference: reference,
    remittance: text || value('NRTX'),
    counterparty: {
      name: tidied(name) || value('NAME'),
      account: compact(account || value('IBAN')),
      bic: compact(bic || value('BIC')),
    },
    returned:
      reason === ''
        ? null
        : { reasonCode, reasonText: tidied(reasonText.join(' ')), originalEndToEndId: endToEndId },
    transactionCode: '',
  };
}

/** `USTD//text`, or `STRD/scheme/reference` with the scheme of its issuer (CUR, ISO …), or just a text. */
function remittanceOf(text: string): { reference: string; text: string } {
  const [scheme] = /^STRD\/+[A-Z]{2,4}\//.exec(text) ?? [];
  if (scheme !== undefined) {
    return { reference: structuredReference(withoutSlashes(text.slice(scheme.length))), text: '' };
  }
  return { reference: '', text: text.replace(/^USTD\/+/, '') };
}
