/** A bank beside the service: accounts that take transfers, payers who are shown where to, and statements. */
import assert from 'node:assert/strict';
import { type AccountSettings, defaultSettings } from '../../src/accounts/settings.ts';
import { decimalAmount } from '../../src/checkout/money.ts';
import type { Attempt } from '../../src/checkout/session.ts';
import type { Mode } from '../../src/checkout/tenant.ts';
import type { ReceivingAccount } from '../../src/methods/bank/receiving-account.ts';
import { readReceivingAccount } from '../../src/methods/bank/receiving-account-schema.ts';
import { configureAccount } from '../support/configure.ts';
import { shownForm } from '../support/pay-form.ts';
import type { Answer, OtherService } from '../support/service.ts';
import { createSession, type Data, succeeded } from './shop.ts';

export const IBAN = 'DE02120300000000202051';
export const PAYER_IBAN = 'DE89370400440532013000';
const holder = { name: 'Test Shop', country: 'DE' };

export function receiving(given: object): ReceivingAccount {
  const read = readReceivingAccount({ holder, ...given });
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.account;
}

export const eur = receiving({ id: 'eur', currency: 'EUR', iban: IBAN, bic: 'BYLADEM1001' });

/** The account takes transfers in EUR, unless it is told otherwise. */
export async function configure(
  { service, account }: OtherService,
  settings: Partial<AccountSettings> = {},
  { mode = 'test', number = account.number }: { mode?: Mode; number?: number } = {},
): Promise<void> {
  const all = { ...defaultSettings, receivingAccounts: [eur], ...settings };
  assert.ok(await configureAccount(service.store, { account: number, mode }, all));
}

export type Transfer = {
  readonly id: string;
  readonly attempt: string;
  /** The reference that the payer has to name. */
  readonly reference: string;
};

/** A session whose payer was shown where to transfer the money to. */
export async function awaitTransfer(
  service: OtherService,
  fields: object = {},
  method = 'local_bank_transfer_eur',
): Promise<Transfer> {
  const session = await createSession(service, fields);
  return { id: session.id, ...(await startTransfer(service, session, method)) };
}

/** Starts a bank transfer on the payer's page. */
export async function startTransfer(
  { service, account }: OtherService,
  { id, url }: Data,
  method = 'local_bank_transfer_eur',
): Promise<Pick<Transfer, 'attempt' | 'reference'>> {
  const body = new URLSearchParams({ method, ...(await shownForm(`${url}?choose`)) });
  const answer = await fetch(`${url}/pay`, { method: 'POST', redirect: 'manual', body });
  assert.equal(answer.status, 303, await answer.text());
  const tenant = { account: account.number, mode: 'test' } as const;
  const attempt = (await service.store.checkouts.fetch(tenant, id))?.attempts.at(-1) as Attempt;
  assert.equal(attempt.rail, 'bank');
  return { attempt: attempt.id, reference: attempt.reference };
}

export type Line = {
  readonly amount: number;
  readonly direction?: 'credit' | 'debit';
  readonly currency?: string;
  /** The bank's own; each line has one of its own if it is not told. */
  readonly bankReference?: string;
  readonly reference?: string;
  readonly text?: string;
  readonly endToEndId?: string;
  readonly name?: string;
  readonly iban?: string;
  readonly day?: string;
  readonly isReversal?: boolean;
  /** The reason of a return. */
  readonly returned?: string;
  /** A booking of several transactions, each with its own amount and texts. */
  readonly parts?: readonly Line[];
};

type Statement = {
  readonly kind?: '053' | '054';
  readonly account?: string;
  readonly currency?: string;
  readonly id?: string;
};

let lines = 0;
/** A reference of the bank that no other line has. */
export const bankReference = (): string => `2030013100${String(++lines).padStart(8, '0')}`;

let statements = 0;

/** A camt.053 or camt.054, version 8. */
export function camt(entries: readonly Line[], statement: Statement = {}): string {
  const { kind = '053', account = IBAN, currency = 'EUR', id = `S${++statements}` } = statement;
  const [message, element] = kind === '053' ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'];
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.08">
<${message}><GrpHdr><MsgId>M-${id}</MsgId><CreDtTm>2030-01-31T06:00:00Z</CreDtTm></GrpHdr>
<${element}><Id>${id}</Id><Acct><Id>${accountOf(account)}</Id><Ccy>${currency}</Ccy></Acct>
${entries.map((line) => entryOf(line, currency)).join('\n')}
</${element}></${message}></Document>
`;
}

const accountOf = (account: string) =>
  /^[A-Z]{2}\d\d/.test(account) ? `<IBAN>${account}</IBAN>` : `<Othr><Id>${account}</Id></Othr>`;
const amountOf = ({ amount, currency, direction = 'credit' }: Line, usual: string) =>
  `<Amt Ccy="${currency ?? usual}">${decimalAmount(amount, currency ?? usual)}</Amt>` +
  `<CdtDbtInd>${direction === 'credit' ? 'CRDT' : 'DBIT'}</CdtDbtInd>`;
export const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function entryOf(line: Line, currency: string): string {
  const { day = '2030-01-31', isReversal = false, bankReference: own = bankReference(), parts } = line;
  const details = (parts ?? [line]).map((part) => detailOf(part, currency, parts !== undefined));
  return `<Ntry>${amountOf(line, currency)}${isReversal ? '<RvslInd>true</RvslInd>' : ''}
<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt>
${own === '' ? '' : `<AcctSvcrRef>${own}</AcctSvcrRef>`}
<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>
${details.length === 0 ? '' : `<NtryDtls>${details.join('\n')}</NtryDtls>`}</Ntry>`;
}

function detailOf(line: Line, currency: string, isPart: boolean): string {
  const { direction = 'credit', endToEndId = '', name = 'Ada Lovelace', iban = PAYER_IBAN } = line;
  const { reference, text, returned } = line;
  const side = direction === 'credit' && returned === undefined ? 'Dbtr' : 'Cdtr';
  const refs = [
    isPart && line.bankReference ? `<AcctSvcrRef>${line.bankReference}</AcctSvcrRef>` : '',
    endToEndId === '' ? '' : `<EndToEndId>${xml(endToEndId)}</EndToEndId>`,
  ].join('');
  const remittance = [
    text === undefined ? '' : `<Ustrd>${xml(text)}</Ustrd>`,
    reference === undefined ? '' : `<Strd><CdtrRefInf><Ref>${reference}</Ref></CdtrRefInf></Strd>`,
  ].join('');
  return `<TxDtls><Refs>${refs}</Refs>${amountOf(line, currency)}
<RltdPties><${side}><Pty><Nm>${xml(name)}</Nm></Pty></${side}>
${iban === '' ? '' : `<${side}Acct><Id>${accountOf(iban)}</Id></${side}Acct>`}</RltdPties>
${remittance === '' ? '' : `<RmtInf>${remittance}</RmtInf>`}
${returned === undefined ? '' : `<RtrInf><Rsn><Cd>${returned}</Cd></Rsn></RtrInf>`}</TxDtls>`;
}

type Upload = {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends a file as the bank wrote it. */
export async function upload(
  { url, key }: OtherService,
  content: string | Uint8Array,
  { query = '', headers = {} }: Upload = {},
): Promise<Answer> {
  const response = await fetch(`${url}/v3/bank_statement${query}`, {
    method: 'POST',
    headers: {
      authorization: key.authorization,
      'content-type': 'application/xml',
      ...headers,
    },
    body: Buffer.from(content),
  });
  const text = await response.text();
  const json = text === '' ? null : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, json };
}

/** Ingests a statement with these lines; answers what came of the file. */
export async function imported(
  service: OtherService,
  entries: readonly Line[],
  statement: Statement = {},
): Promise<Data> {
  return succeeded(await upload(service, camt(entries, statement)));
}

/** The entries that are there, newest first. */
export async function entries({ call }: OtherService, query = ''): Promise<Data[]> {
  return (await call('GET', `/v3/bank_entry?limit=100${query}`)).json.data;
}

/** Ingests a statement with one line; answers its entry. */
export async function entered(service: OtherService, line: Line, statement: Statement = {}): Promise<Data> {
  await imported(service, [line], statement);
  return (await entries(service))[0];
}
