/** Statements of banks for tests: camt.053 of one account, with the entries that a test needs. */
import { type AccountSettings, defaultSettings } from '../../src/accounts/settings.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { readReceivingAccount } from '../../src/methods/bank/receiving-account-schema.ts';
import type { Store } from '../../src/store/store.ts';
import { mappingOf } from '../statements/support.ts';
import { configureAccount } from './configure.ts';

export const OUR_IBAN = 'DE20500502010000123456';
export const PAYER_IBAN = 'DE62370400440532013001';

export type Line = {
  /** The amount as the bank writes it: `25.00`. */
  readonly amount: string;
  readonly text: string;
  readonly reference: string;
  readonly name?: string;
};

export function camt(id: string, lines: readonly Line[], iban = OUR_IBAN): string {
  const entries = lines.map(
    ({ amount, text, reference, name = 'Ada Lovelace' }) => `
<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-02-03</Dt></BookgDt>
<AcctSvcrRef>${reference}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>
<NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs><RltdPties><Dbtr><Nm>${name}</Nm></Dbtr>
<DbtrAcct><Id><IBAN>${PAYER_IBAN}</IBAN></Id></DbtrAcct></RltdPties><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><GrpHdr><MsgId>${id}</MsgId><CreDtTm>2026-02-04T05:00:00</CreDtTm></GrpHdr>
<Stmt><Id>${id}</Id><CreDtTm>2026-02-04T05:00:00</CreDtTm><Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>EUR</Ccy></Acct>${entries.join('')}
</Stmt></BkToCstmrStmt></Document>
`;
}

/** The same in CSV, as `csvMapping` reads it. */
export function csv(lines: readonly Line[]): string {
  const rows = lines.map(({ amount, text, reference }) => `2026-02-03;${amount};${text};${reference}`);
  return `${['Date;Amount;Text;Id', ...rows].join('\n')}\n`;
}

export const csvMapping = mappingOf({
  delimiter: ';',
  date_format: 'YYYY-MM-DD',
  decimal: '.',
  amount: { signed: 'Amount' },
  currency: { fixed: 'EUR' },
  account: { fixed: OUR_IBAN },
  booked_on: 'Date',
  remittance: ['Text'],
  bank_reference: 'Id',
});

/** Settings of an account that receives euros, as `eur`, and reads the CSV of `my-bank`. */
export function euroSettings(): AccountSettings {
  const holder = { name: 'Muster Handels GmbH', country: 'DE' };
  const read = readReceivingAccount({ id: 'eur', currency: 'EUR', iban: OUR_IBAN, holder });
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return { ...defaultSettings, receivingAccounts: [read.account], csvMappings: { 'my-bank': csvMapping } };
}

export async function receiveEuros(store: Store, tenant: Tenant): Promise<void> {
  await configureAccount(store, tenant, euroSettings());
}
