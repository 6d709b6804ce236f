/** Makes large camt.053.001.08 files, chunk by chunk: the same options make the same bytes. */
import { decimalAmount } from '../../src/checkout/money.ts';

export type GeneratedEntry = {
  /** Minor units. */
  readonly amount: number;
  readonly direction: 'credit' | 'debit';
  readonly creditorReference: string;
  readonly endToEndId: string;
  readonly bankReference: string;
  readonly name: string;
  readonly iban: string;
  readonly remittance: string;
  /** YYYY-MM-DD. */
  readonly bookedOn: string;
};

export type Generation = {
  readonly entries: number;
  readonly seed?: number;
  readonly statementId?: string;
  readonly account?: string;
  readonly currency?: string;
  /** Signed minor units. */
  readonly openingBalance?: number;
  /** YYYY-MM-DD. */
  readonly firstDay?: string;
  readonly entriesPerDay?: number;
  /**
   * Parts of an entry that are not invented; `index` counts from 0, `random` is a number in [0, 1) each time
   * it is called. Called twice for each entry and must answer the same, for the balances stand before the
   * entries.
   */
  readonly entry?: (index: number, random: () => number) => Partial<GeneratedEntry>;
};

const CHUNK_CHARACTERS = 65_536;
const DAY_MS = 86_400_000;
const GIVEN_NAMES = ['Ada', 'Björn', 'Chloé', 'Dario', 'Emilia', 'Ferenc', 'Ğamze', 'Håkon'];
const SURNAMES = [
  'Ahornwald',
  'Bergtal',
  'Ćwirko',
  'Dünenfeld',
  'Eichgrund',
  'Fjordvik',
  'Grasmück',
  'Heidehof',
];

/** The file, in chunks of about 64 KiB. */
export async function* generateCamt(options: Generation): AsyncGenerator<Buffer> {
  let chunk = head(options, closingBalance(options));
  for (let index = 0; index < options.entries; index += 1) {
    chunk += entryText(entryAt(options, index), options.currency ?? 'EUR');
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  yield Buffer.from(`${chunk}    </Stmt>\n  </BkToCstmrStmt>\n</Document>\n`);
}

/** The entry at this index, from 0. */
export function entryAt(options: Generation, index: number): GeneratedEntry {
  const random = randomOf((options.seed ?? 1) * 1_000_003 + index);
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? '';
  const firstDay = Date.parse(options.firstDay ?? '2026-01-01');
  const day = Math.floor(index / (options.entriesPerDay ?? 1000));
  const invented: GeneratedEntry = {
    amount: 1 + Math.floor(random() * 500_000),
    direction: random() < 0.9 ? 'credit' : 'debit',
    creditorReference: '',
    endToEndId: `E2E-${String(index).padStart(12, '0')}`,
    bankReference: `2026${String(index).padStart(16, '0')}`,
    name: `${pick(GIVEN_NAMES)} ${pick(SURNAMES)} & Co`,
    iban: 'DE89370400440532013000',
    remittance: `Rechnung ${100_000 + Math.floor(random() * 900_000)} vom Frühjahr, danke`,
    bookedOn: new Date(firstDay + day * DAY_MS).toISOString().slice(0, 10),
  };
  return { ...invented, ...options.entry?.(index, random) };
}

/** Signed minor units. */
export function closingBalance(options: Generation): number {
  let balance = options.openingBalance ?? 0;
  for (let index = 0; index < options.entries; index += 1) {
    const { amount, direction } = entryAt(options, index);
    balance += direction === 'credit' ? amount : -amount;
  }
  return balance;
}

/** Mulberry32: small, and good enough to invent with. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function head(options: Generation, closing: number): string {
  const { statementId = 'STMT-1', account = 'DE02120300000000202051', currency = 'EUR' } = options;
  const { firstDay = '2026-01-01' } = options;
  const balance = (code: string, amount: number) => `      <Bal>
        <Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>
        <Amt Ccy="${currency}">${decimalAmount(Math.abs(amount), currency)}</Amt>
        <CdtDbtInd>${amount < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd>
        <Dt><Dt>${firstDay}</Dt></Dt>
      </Bal>
`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">
  <BkToCstmrStmt>
    <GrpHdr>
      <MsgId>MSG-${statementId}</MsgId>
      <CreDtTm>${firstDay}T23:00:00Z</CreDtTm>
    </GrpHdr>
    <Stmt>
      <Id>${statementId}</Id>
      <CreDtTm>${firstDay}T23:00:00Z</CreDtTm>
      <Acct>
        <Id><IBAN>${account}</IBAN></Id>
        <Ccy>${currency}</Ccy>
      </Acct>
${balance('OPBD', options.openingBalance ?? 0)}${balance('CLBD', closing)}`;
}

function entryText(entry: GeneratedEntry, currency: string): string {
  const amount = `<Amt Ccy="${currency}">${decimalAmount(entry.amount, currency)}</Amt>`;
  const isCredit = entry.direction === 'credit';
  const indicator = `<CdtDbtInd>${isCredit ? 'CRDT' : 'DBIT'}</CdtDbtInd>`;
  const side = isCredit ? 'Dbtr' : 'Cdtr';
  const reference =
    entry.creditorReference &&
    `
              <Strd>
                <CdtrRefInf>
                  <Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry></Tp>
                  <Ref>${escaped(entry.creditorReference)}</Ref>
                </CdtrRefInf>
              </Strd>`;
  const text =
    entry.remittance &&
    `
              <Ustrd>${escaped(entry.remittance)}</Ustrd>`;
  return `      <Ntry>
        ${amount}
        ${indicator}
        <Sts><Cd>BOOK</Cd></Sts>
        <BookgDt><Dt>${entry.bookedOn}</Dt></BookgDt>
        <ValDt><Dt>${entry.bookedOn}</Dt></ValDt>
        <AcctSvcrRef>${escaped(entry.bankReference)}</AcctSvcrRef>
        <BkTxCd>
          <Domn><Cd>PMNT</Cd><Fmly><Cd>${isCredit ? 'RCDT' : 'ICDT'}</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn>
        </BkTxCd>
        <NtryDtls>
          <TxDtls>
            <Refs>
              <EndToEndId>${escaped(entry.endToEndId)}</EndToEndId>
            </Refs>
            ${amount}
            ${indicator}
            <RltdPties>
              <${side}><Pty><Nm>${escaped(entry.name)}</Nm></Pty></${side}>
              <${side}Acct><Id><IBAN>${entry.iban}</IBAN></Id></${side}Acct>
            </RltdPties>
            <RmtInf>${text}${reference}
            </RmtInf>
          </TxDtls>
        </NtryDtls>
      </Ntry>
`;
}
