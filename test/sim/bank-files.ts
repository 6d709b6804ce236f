/** Files of the bank in a simulation: bookings told as a statement, as a notification, or as CSV. */
import { createHash } from 'node:crypto';
import type { EntryContent } from '../../src/banking/entry.ts';
import { decimalAmount } from '../../src/checkout/money.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { isUsable } from '../../src/statements/values.ts';
import { OUR_IBAN } from '../support/statements.ts';
import type { Booking } from './bank.ts';

export type Format = 'camt.053' | 'camt.054' | 'csv';

export type BankFile = {
  readonly tenant: Tenant;
  readonly format: Format;
  readonly bytes: Buffer;
  readonly hash: string;
  readonly bookings: readonly Booking[];
};

/** CSV has a column for little of a booking: it tells of simple transfers. */
export const isInCsv = ({ what, endToEndId }: Booking): boolean => what === 'transfer' && endToEndId === '';

export function fileOf(tenant: Tenant, format: Format, told: readonly Booking[], number: number): BankFile {
  const bookings = format === 'csv' ? told.filter(isInCsv) : told;
  const text = format === 'csv' ? csvOf(bookings) : camtOf(format, bookings, number);
  const bytes = Buffer.from(text);
  return { tenant, format, bytes, hash: createHash('sha256').update(bytes).digest('hex'), bookings };
}

/** The identity of a booking in each telling: with a lasting reference of the bank, nothing else counts. */
export function tellingOf(booking: Booking, format: Format): string {
  const { direction, amount, bookedOn, bankReference, endToEndId, creditorReference, text, payer } = booking;
  const isCsv = format === 'csv';
  return telling({
    ...{ direction, amount, bookedOn, bankReference, endToEndId },
    creditorReference: isCsv ? '' : creditorReference,
    remittance: isCsv ? csvTextOf(booking) : text,
    account: isCsv ? '' : payer.iban,
  });
}

/** The same of an entry that was stored. */
export const tellingOfEntry = ({ counterparty, ...entry }: EntryContent): string =>
  telling({ ...entry, account: counterparty.account });

type Told = Pick<
  EntryContent,
  | 'direction'
  | 'amount'
  | 'bookedOn'
  | 'bankReference'
  | 'endToEndId'
  | 'creditorReference'
  | 'remittance'
  | 'account'
>;

function telling(told: Told): string {
  const { direction, amount, bookedOn, bankReference, endToEndId } = told;
  if (bankReference.length >= 10) return JSON.stringify([direction, amount, bankReference]);
  const common = [direction, amount, bookedOn, endToEndId];
  if (isUsable(bankReference)) return JSON.stringify([...common, bankReference]);
  return JSON.stringify([...common, told.creditorReference, told.remittance, told.account]);
}

const csvTextOf = ({ text, creditorReference }: Booking): string => `${text} ${creditorReference}`.trim();

function csvOf(bookings: readonly Booking[]): string {
  const rows = bookings.map((booking) =>
    [booking.bookedOn, decimalAmount(booking.amount, 'EUR'), csvTextOf(booking), booking.bankReference].join(
      ';',
    ),
  );
  return `${['Date;Amount;Text;Id', ...rows].join('\n')}\n`;
}

function camtOf(format: 'camt.053' | 'camt.054', bookings: readonly Booking[], number: number): string {
  const [message, part] =
    format === 'camt.053' ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'];
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${format}.001.02"><${message}><GrpHdr><MsgId>${number}</MsgId></GrpHdr>
<${part}><Id>${number}</Id><Acct><Id><IBAN>${OUR_IBAN}</IBAN></Id><Ccy>EUR</Ccy></Acct>
${bookings.map(entryOf).join('\n')}
</${part}></${message}></Document>
`;
}

function entryOf(booking: Booking): string {
  const { what, direction, amount, bookedOn, bankReference, endToEndId, creditorReference, text } = booking;
  const comesBack = what === 'recall' || what === 'return';
  // A return keeps the parties of the payment that it undoes.
  const party = (direction === 'credit') !== comesBack ? 'Dbtr' : 'Cdtr';
  const { name, iban } = booking.payer;
  const tagged = (tag: string, content: string) => (content === '' ? '' : `<${tag}>${content}</${tag}>`);
  return `<Ntry><Amt Ccy="EUR">${decimalAmount(amount, 'EUR')}</Amt><CdtDbtInd>${direction === 'credit' ? 'CRDT' : 'DBIT'}</CdtDbtInd>\
<Sts>BOOK</Sts><BookgDt><Dt>${bookedOn}</Dt></BookgDt>${tagged('AcctSvcrRef', bankReference)}\
<NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId || 'NOTPROVIDED'}</EndToEndId></Refs>\
<RltdPties><${party}><Nm>${name}</Nm></${party}><${party}Acct><Id><IBAN>${iban}</IBAN></Id></${party}Acct></RltdPties>\
<RmtInf>${tagged('Ustrd', text)}${creditorReference === '' ? '' : `<Strd><CdtrRefInf><Ref>${creditorReference}</Ref></CdtrRefInf></Strd>`}</RmtInf>\
${comesBack ? '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>' : ''}</TxDtls></NtryDtls></Ntry>`;
}
