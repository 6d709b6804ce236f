/** The shop's bank in the demo: it keeps an account, and writes statements of it as camt.053.001.08 (ISO 20022). */
import { decimalAmount } from '../../src/checkout/money.ts';

export type Booking = {
  /** Minor units, more than 0. */
  readonly amount: number;
  readonly direction: 'credit' | 'debit';
  /** The other party's name: sender or receiver. */
  readonly name: string;
  readonly iban: string;
  /** Fields that the sender has filled in; absent if empty. */
  readonly endToEndId?: string;
  readonly creditorReference?: string;
  readonly text?: string;
};

type Booked = Booking & { readonly day: string; readonly bankReference: string };

export type Statement = {
  readonly name: string;
  readonly content: string;
  /** Bookings in the order of the statement. */
  readonly bookings: ReadonlyArray<Booking & { readonly day: string }>;
};

export type Bank = {
  /** Minor units: before anything was booked. */
  readonly openingBalance: number;
  /** Minor units: now. */
  balance(): number;
  /** Puts it on the account; `day` is YYYY-MM-DD, and never before that of the booking before. */
  book(day: string, booking: Booking): void;
  /**
   * A statement of both days and those between. Statements may overlap, as a bank's do that are requested by
   * date.
   */
  statement(fromDay: string, toDay: string): Statement;
};

const CURRENCY = 'EUR';

export function openBank(iban: string, openingBalance: number): Bank {
  const booked: Booked[] = [];
  let statements = 0;
  return {
    openingBalance,
    balance: () => openingBalance + sumOf(booked),
    book(day, booking) {
      const bankReference = `${day.replaceAll('-', '')}${String(booked.length + 1).padStart(8, '0')}`;
      booked.push({ ...booking, day, bankReference });
    },
    statement(fromDay, toDay) {
      const number = ++statements;
      const entries = booked.filter(({ day }) => fromDay <= day && day <= toDay);
      const opening = openingBalance + sumOf(booked.filter(({ day }) => day < fromDay));
      const closing = opening + sumOf(entries);
      const content = written({ number, iban, opening, closing, fromDay, toDay }, entries);
      return { name: `statement-${number}.xml`, content, bookings: entries };
    },
  };
}

/** The sum of the bookings, in minor units. */
function sumOf(bookings: readonly Booking[]): number {
  return bookings.reduce(
    (sum, { direction, amount }) => sum + (direction === 'credit' ? amount : -amount),
    0,
  );
}

type Frame = {
  readonly number: number;
  readonly iban: string;
  readonly opening: number;
  readonly closing: number;
  readonly fromDay: string;
  readonly toDay: string;
};

function written(
  { number, iban, opening, closing, fromDay, toDay }: Frame,
  entries: readonly Booked[],
): string {
  const createdAt = `<CreDtTm>${toDay}T22:00:00Z</CreDtTm>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">
  <BkToCstmrStmt>
    <GrpHdr><MsgId>DEMO-${number}</MsgId>${createdAt}</GrpHdr>
    <Stmt>
      <Id>STATEMENT-${number}</Id>
      <ElctrncSeqNb>${number}</ElctrncSeqNb>
      ${createdAt}
      <FrToDt><FrDtTm>${fromDay}T00:00:00Z</FrDtTm><ToDtTm>${toDay}T22:00:00Z</ToDtTm></FrToDt>
      <Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>${CURRENCY}</Ccy></Acct>
${balance('OPBD', opening, fromDay)}${balance('CLBD', closing, toDay)}${entries.map(entry).join('')}    </Stmt>
  </BkToCstmrStmt>
</Document>
`;
}

function balance(code: 'OPBD' | 'CLBD', amount: number, day: string): string {
  return `      <Bal>
        <Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>
        ${money(Math.abs(amount), amount < 0 ? 'debit' : 'credit')}
        <Dt><Dt>${day}</Dt></Dt>
      </Bal>
`;
}

function entry({ amount, direction, day, bankReference, ...sent }: Booked): string {
  const { name, iban, endToEndId = 'NOTPROVIDED', creditorReference = '', text = '' } = sent;
  const isCredit = direction === 'credit';
  const side = isCredit ? 'Dbtr' : 'Cdtr';
  const code = '<Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry></Tp>';
  const structured = `<Strd><CdtrRefInf>${code}<Ref>${escaped(creditorReference)}</Ref></CdtrRefInf></Strd>`;
  const remittance = creditorReference === '' ? `<Ustrd>${escaped(text)}</Ustrd>` : structured;
  return `      <Ntry>
        ${money(amount, direction)}
        <Sts><Cd>BOOK</Cd></Sts>
        <BookgDt><Dt>${day}</Dt></BookgDt>
        <ValDt><Dt>${day}</Dt></ValDt>
        <AcctSvcrRef>${bankReference}</AcctSvcrRef>
        <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${isCredit ? 'RCDT' : 'ICDT'}</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>
        <NtryDtls><TxDtls>
          <Refs><EndToEndId>${escaped(endToEndId)}</EndToEndId></Refs>
          ${money(amount, direction)}
          <RltdPties>
            <${side}><Pty><Nm>${escaped(name)}</Nm></Pty></${side}>
            <${side}Acct><Id><IBAN>${iban}</IBAN></Id></${side}Acct>
          </RltdPties>
          <RmtInf>${remittance}</RmtInf>
        </TxDtls></NtryDtls>
      </Ntry>
`;
}

function money(amount: number, direction: Booking['direction']): string {
  const indicator = direction === 'credit' ? 'CRDT' : 'DBIT';
  return `<Amt Ccy="${CURRENCY}">${decimalAmount(amount, CURRENCY)}</Amt><CdtDbtInd>${indicator}</CdtDbtInd>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
