/**
 * Movements as a bank statement of Open Financial Exchange 1.0.2 (SGML), which more programs import than a later version.
 * Each transaction has an id that stays, so that a program which has it already adds nothing.
 */
import { decimalAmount } from '../checkout/money.ts';
import { type DayOf, type Movement, type Movements, oneLine } from './movement.ts';

export type Statement = {
  readonly dayOf: DayOf;
  /** First and last day, such as `2030-01-31`. */
  readonly first: string;
  readonly last: string;
  /** Digits, such as `20300131120000`. */
  readonly createdAt: string;
  readonly currency: string;
  /** Name of the account in the program that imports it. */
  readonly account: string;
};

const HEAD = [
  'OFXHEADER:100',
  'DATA:OFXSGML',
  'VERSION:102',
  'SECURITY:NONE',
  'ENCODING:USASCII',
  'CHARSET:1252',
  'COMPRESSION:NONE',
  'OLDFILEUID:NONE',
  'NEWFILEUID:NONE',
].join('\r\n');

const MAX_ACCOUNT = 22;
const MAX_NAME = 32;
const MAX_MEMO = 255;

export async function* ofxStatement(movements: Movements, statement: Statement): AsyncGenerator<string> {
  const { first, last, createdAt, currency, account, dayOf } = statement;
  const [start, end] = [noonOf(first), noonOf(last)];
  const status = ['<STATUS>', '<CODE>0', '<SEVERITY>INFO', '</STATUS>'];
  yield `${HEAD}\r\n\r\n${linesOf(
    ...['<OFX>', '<SIGNONMSGSRSV1>', '<SONRS>', ...status, `<DTSERVER>${createdAt}`, '<LANGUAGE>ENG'],
    ...['</SONRS>', '</SIGNONMSGSRSV1>', '<BANKMSGSRSV1>', '<STMTTRNRS>', '<TRNUID>0', ...status, '<STMTRS>'],
    ...[
      `<CURDEF>${currency}`,
      '<BANKACCTFROM>',
      '<BANKID>opentill',
      `<ACCTID>${ascii(account, MAX_ACCOUNT)}`,
    ],
    ...['<ACCTTYPE>CHECKING', '</BANKACCTFROM>', '<BANKTRANLIST>', `<DTSTART>${start}`, `<DTEND>${end}`],
  )}`;
  let balance = 0n;
  for await (const page of movements) {
    const transactions = page.flatMap((each) => transactionsOf(each, statement.currency));
    balance += transactions.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    yield transactions.map((each) => written(each, dayOf, currency)).join('');
  }
  yield linesOf(
    ...['</BANKTRANLIST>', '<LEDGERBAL>', `<BALAMT>${signed(balance, currency)}`, `<DTASOF>${end}`],
    ...['</LEDGERBAL>', '</STMTRS>', '</STMTTRNRS>', '</BANKMSGSRSV1>', '</OFX>'],
  );
}

type Transaction = {
  readonly id: string;
  readonly type: 'CREDIT' | 'DEBIT' | 'FEE';
  readonly createdAt: string;
  /** Minor units; less than zero for what went back. */
  readonly amount: number;
  readonly name: string;
  readonly memo: string;
};

/** The movement, and its fee where that is in the currency of the statement. */
function transactionsOf(movement: Movement, statementCurrency: string): Transaction[] {
  const { id, type, created_at: createdAt, amount, currency, fee, rail, reference, reference_id } = movement;
  if (currency !== statementCurrency) throw new Error(`a statement in ${statementCurrency} has ${currency}`);
  const isPayment = type === 'payment';
  const common = { createdAt, name: reference_id || movement.payin };
  const memo = `${type} ${rail} ${reference} ${movement.payin}`;
  const kept = fee !== null && fee.currency === currency && fee.amount > 0 ? fee.amount : 0;
  return [
    { ...common, id, type: isPayment ? 'CREDIT' : 'DEBIT', amount: isPayment ? amount : -amount, memo },
    ...(kept > 0
      ? [{ ...common, id: `${id}-fee`, type: 'FEE' as const, amount: -kept, memo: `fee of ${memo}` }]
      : []),
  ];
}

/** Elements in the order of the definition. */
const written = ({ id, type, createdAt, amount, name, memo }: Transaction, dayOf: DayOf, currency: string) =>
  linesOf(
    ...['<STMTTRN>', `<TRNTYPE>${type}`, `<DTPOSTED>${noonOf(dayOf(createdAt))}`],
    ...[`<TRNAMT>${signed(BigInt(amount), currency)}`, `<FITID>${id}`],
    ...[`<NAME>${ascii(name, MAX_NAME)}`, `<MEMO>${ascii(memo, MAX_MEMO)}`, '</STMTTRN>'],
  );

const linesOf = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n`;

/**
 * A day at noon, Greenwich time: one without a time is midnight there by the definition, which programs in America take for
 * the day before, and other programs warn of.
 */
const noonOf = (day: string): string => `${day.replaceAll('-', '')}120000`;

/** An exact sum in major units, however large. */
function signed(amount: bigint, currency: string): string {
  const fraction = decimalAmount(0, currency).length - 2;
  const text = String(amount < 0n ? -amount : amount).padStart(fraction + 1, '0');
  const major = fraction <= 0 ? text : `${text.slice(0, -fraction)}.${text.slice(-fraction)}`;
  return amount < 0n ? `-${major}` : major;
}

/** Text in ASCII, cut before what the definition escapes is escaped. An element must not be empty. */
function ascii(text: string, maxLength: number): string {
  const plain = oneLine(text)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/g, '.')
    .slice(0, maxLength)
    .trim();
  return (plain || '-').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
