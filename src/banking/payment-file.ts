/**
 * Payment file with credit transfers for a bank: ISO 20022 pain.001.001.09 (CustomerCreditTransferInitiation), in the
 * subset of the SEPA rulebook (EPC132-08) for euro accounts. Pure.
 *
 * The file asks for single bookings (`BtchBookg` false): with one sum for all, the statement would not tell which
 * refunds were carried out.
 */

import { decimalAmount } from '../checkout/money.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import { bic as bicCode, iban } from '../methods/bank/identifiers.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import { endToEndIdOf } from './entry.ts';

export type CreditTransfer = {
  /** Id of the refund, or of the entry that goes back. */
  readonly id: string;
  /** Minor units of the account's currency. */
  readonly amount: number;
  readonly creditor: { readonly name: string; readonly account: string; readonly bic: string };
  readonly remittance: string;
};

type File = {
  readonly id: string;
  readonly createdAt: TenantTime;
  /** YYYY-MM-DD. */
  readonly executeOn: string;
  readonly account: ReceivingAccount;
  readonly transfers: readonly CreditTransfer[];
};

export function paymentFile({ id, createdAt, executeOn, account, transfers }: File): string {
  const { currency } = account;
  const total = transfers.reduce((sum, { amount }) => sum + amount, 0);
  const sums = `<NbOfTxs>${transfers.length}</NbOfTxs><CtrlSum>${decimalAmount(total, currency)}</CtrlSum>`;
  const messageId = endToEndIdOf(id);
  const debtor = `<Nm>${text(account.holder.name, 70)}</Nm>`;
  const isSepa = currency === 'EUR' && account.iban !== null;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
<CstmrCdtTrfInitn>
<GrpHdr><MsgId>${messageId}</MsgId><CreDtTm>${new Date(createdAt).toISOString().slice(0, 19)}</CreDtTm>${sums}<InitgPty>${debtor}</InitgPty></GrpHdr>
<PmtInf>
<PmtInfId>${messageId}</PmtInfId><PmtMtd>TRF</PmtMtd><BtchBookg>false</BtchBookg>${sums}
${isSepa ? '<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>' : ''}<ReqdExctnDt><Dt>${executeOn}</Dt></ReqdExctnDt>
<Dbtr>${debtor}</Dbtr>
<DbtrAcct>${accountOf(account.iban ?? '', account.accountNumber ?? '')}<Ccy>${currency}</Ccy></DbtrAcct>
<DbtrAgt>${agentOf(account.bic ?? '')}</DbtrAgt>${isSepa ? '<ChrgBr>SLEV</ChrgBr>' : ''}
${transfers.map((transfer) => transferOf(transfer, currency)).join('\n')}
</PmtInf>
</CstmrCdtTrfInitn>
</Document>
`;
}

function transferOf({ id, amount, creditor, remittance }: CreditTransfer, currency: string): string {
  const { name, account } = creditor;
  // The BIC comes from a statement and may be anything. Banks refuse a whole file for one wrong BIC, and need none.
  const bic = isBic(creditor.bic) ? creditor.bic : '';
  const hasIban = isIban(account);
  const shown = text(remittance, 140);
  return `<CdtTrfTxInf>
<PmtId><EndToEndId>${endToEndIdOf(id)}</EndToEndId></PmtId>
<Amt><InstdAmt Ccy="${currency}">${decimalAmount(amount, currency)}</InstdAmt></Amt>
${bic === '' ? '' : `<CdtrAgt>${agentOf(bic)}</CdtrAgt>\n`}<Cdtr><Nm>${/[A-Za-z0-9]/.test(text(name, 70)) ? text(name, 70) : 'NOTPROVIDED'}</Nm></Cdtr>
<CdtrAcct>${accountOf(hasIban ? account : '', hasIban ? '' : account)}</CdtrAcct>
${
  shown === ''
    ? ''
    : `<RmtInf><Ustrd>${shown}</Ustrd></RmtInf>
`
}</CdtTrfTxInf>`;
}

export function isIban(account: string): boolean {
  return iban.problem(account) === null;
}

/** True for a BIC. `NOTPROVIDED`, which banks write when they have none, has the form of a Romanian one. */
function isBic(text: string): boolean {
  return text !== 'NOTPROVIDED' && /^[A-Z0-9]+$/.test(text) && bicCode.problem(text) === null;
}

function accountOf(iban: string, other: string): string {
  return iban === ''
    ? `<Id><Othr><Id>${text(other, 34)}</Id></Othr></Id>`
    : `<Id><IBAN>${text(iban, 34)}</IBAN></Id>`;
}

function agentOf(bic: string): string {
  return bic === ''
    ? '<FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId>'
    : `<FinInstnId><BICFI>${text(bic, 11)}</BICFI></FinInstnId>`;
}

/**
 * Text in the characters that every bank accepts (EPC217-08, section 6.2): accents removed, other characters as points.
 */
function text(value: string, maxLength: number): string {
  return value
    .replaceAll('ß', 'ss')
    .replaceAll(/[äÄöÖüÜ]/g, (letter) => umlauts[letter] ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/&/g, '+')
    .replace(/[^A-Za-z0-9/\-?:().,'+ ]/gu, '.')
    .trim()
    .slice(0, maxLength)
    .trim();
}

const umlauts: Readonly<Record<string, string>> = { ä: 'ae', Ä: 'Ae', ö: 'oe', Ö: 'Oe', ü: 'ue', Ü: 'Ue' };
