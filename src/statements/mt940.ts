/**
 * Reads SWIFT customer statements (MT940) as banks provide them: with or without the blocks of a SWIFT message, with
 * `-` or nothing between statements, and lines of any length. It keeps at most one entry in memory.
 */

import { isValidIBAN } from 'ibantools';
import { trimWhere } from '../lib/trim.ts';
import type { Line } from './bytes.ts';
import { type Fail, StatementError, type StatementHeader, type StatementPart } from './entry.ts';
import type { Limits } from './limits.ts';
import { informationOf } from './mt940-information.ts';
import { balanceOf, entryOf, type Movement, movementOf } from './mt940-movement.ts';
import { checkBalance, compact, quoted, signed } from './values.ts';

/** A field: its tag, and its lines without the tag. */
type Field = { readonly tag: string; readonly line: number; readonly lines: string[] };

/** A statement from its `:20:` to its closing balance. */
type Open = {
  readonly line: number;
  readonly reference: string;
  account: string;
  number: string;
  header: StatementHeader | null;
  sum: bigint;
  /** The last `:61:`, whose `:86:` may follow. */
  movement: Movement | null;
  information: readonly string[] | null;
};

const TAG = /^:(\d{2}[A-Z]?|NS):(.*)$/s;

/** Fields of a statement; others may stand between statements as well. */
const NEEDED = /^(25P?|28C?|60[FM]|61|62[FM])$/;
const INTERIM =
  'the file is an interim report (MT942), whose entries are not final: give the statement (MT940)';

/** Blocks before the text of a SWIFT message; the application header names the message. */
const BLOCKS = /^\{[1-5]:/;
const APPLICATION_HEADER = /\{2:[IO](\d{3})/;

/** True for control characters of transmission and storage between messages: SOH, ETX and the end of a DOS file. */
const isFraming = (character: string) => /\p{Cc}/u.test(character);

/** Parts of the file in these lines. Throws StatementError. */
export async function* readMt940(
  lines: AsyncIterable<readonly Line[]>,
  limits: Limits,
): AsyncGenerator<StatementPart> {
  const reader = createReader(limits);
  for await (const some of lines) {
    for (const { number, text } of some) reader.addLine(number, trimWhere(text, isFraming));
    yield* reader.taken();
  }
  reader.end();
  yield* reader.taken();
}

function createReader(limits: Limits) {
  const seen = new Set<string>();
  let parts: StatementPart[] = [];
  let entries = 0;
  let line = 0;
  let isInBlock = false;
  let field: Field | null = null;
  let fieldSize = 0;
  let statement: Open | null = null;

  function fail(detail: string, at: { line: number; isEntry?: boolean } = { line }): never {
    throw new StatementError(detail, { line: at.line, entry: at.isEntry ? entries + 1 : null });
  }

  function addLine(number: number, text: string): void {
    line = number;
    if (text.startsWith('-}') || text === '-') endMessage(text);
    else if (BLOCKS.test(text)) beginMessage(text);
    else if (TAG.test(text)) beginField(text);
    else if (text.trim() !== '') continueField(text);
  }

  function beginMessage(text: string): void {
    finishField();
    if (isInBlock || statement) fail('a message begins before the last one has ended');
    const type = APPLICATION_HEADER.exec(text)?.[1] ?? '940';
    if (type !== '940') fail(`the message is an MT${type}, but must be an MT940`);
    const at = text.indexOf('{4:');
    isInBlock = at >= 0;
    if (isInBlock) addLine(line, text.slice(at + 3));
  }

  /** `-` or `-}`, which other blocks may follow, and after them the next message. */
  function endMessage(text: string): void {
    finishField();
    if (statement) fail('the statement ends without a closing balance (:62F:)');
    if (text !== '-') isInBlock = false;
    const next = text.indexOf('{1:');
    if (next >= 0) beginMessage(text.slice(next));
  }

  function beginField(text: string): void {
    finishField();
    const [, tag = '', rest = ''] = TAG.exec(text) ?? [];
    field = { tag, line, lines: [rest] };
    fieldSize = rest.length;
  }

  function continueField(text: string): void {
    // Outside a statement, banks write what they like, such as their name.
    if (!field) return;
    fieldSize += text.length;
    if (fieldSize > limits.text) fail(`the field :${field.tag}: is longer than ${limits.text} characters`);
    field.lines.push(text);
  }

  function finishField(): void {
    if (!field) return;
    const { tag, line: at, lines } = field;
    const text = lines.join('').trim();
    field = null;
    if (tag === '20') beginStatement(text, at);
    else if (tag === '34F') fail(INTERIM, { line: at });
    else if (!statement && NEEDED.test(tag)) fail(`:${tag}: stands outside of a statement`, { line: at });
    else if (statement) addField(tag, text, lines, at, statement);
  }

  /** Other fields have nothing that is needed, such as the available balance (`:64:`). */
  function addField(tag: string, text: string, lines: readonly string[], at: number, open: Open): void {
    if (tag.startsWith('25')) open.account = accountOf(lines[0] ?? '');
    if (tag.startsWith('28')) open.number = text;
    if (tag.startsWith('60')) beginEntries(text, at, open);
    if (tag === '61') addMovement(lines, at, open);
    if (tag === '86' && open.movement) addInformation(lines, at, open);
    if (tag.startsWith('62')) finishStatement(text, at, open);
  }

  function beginStatement(reference: string, at: number): void {
    if (statement)
      fail('a statement begins before the last one has its closing balance (:62F:)', { line: at });
    const empty = { account: '', number: '', header: null, sum: 0n, movement: null, information: null };
    statement = { line: at, reference, ...empty };
  }

  function beginEntries(text: string, at: number, open: Open): void {
    if (open.header) fail('the statement has a second opening balance', { line: at });
    if (open.account === '') fail('the statement names no account (:25:)', { line: at });
    const opening = balanceOf(text, (detail) => fail(detail, { line: at }));
    const header: StatementHeader = {
      statementId: open.number || open.reference,
      account: open.account,
      currency: opening.currency,
      openingBalance: opening.amount,
      closingBalance: null,
      fromDate: opening.date,
      toDate: null,
    };
    open.header = header;
    parts.push({ kind: 'statement', header });
  }

  function addMovement(lines: readonly string[], at: number, open: Open): void {
    flush(open);
    const place = { line: at, isEntry: true };
    const { header } = open;
    if (!header) fail('an entry stands before the opening balance (:60F:)', place);
    open.movement = movementOf(lines, at, header.currency, (detail) => fail(detail, place));
  }

  function addInformation(lines: readonly string[], at: number, open: Open): void {
    // Some banks write several of them for one entry.
    const all = [...(open.information ?? []), ...lines];
    const size = all.reduce((sum, each) => sum + each.length, 0);
    if (size > limits.text) {
      fail(`the information of an entry is longer than ${limits.text} characters`, {
        line: at,
        isEntry: true,
      });
    }
    open.information = all;
  }

  /** The entry is complete once anything but its information begins. */
  function flush(open: Open): void {
    const { movement, information, header } = open;
    if (!movement || !header) return;
    entries += 1;
    open.sum += BigInt(signed(movement.amount, movement.direction));
    open.movement = null;
    open.information = null;
    const entry = entryOf(movement, informationOf(information ?? []), header.currency, entries);
    parts.push({ kind: 'entry', header, entry });
  }

  function finishStatement(text: string, at: number, open: Open): void {
    flush(open);
    const failHere: Fail = (detail) => fail(detail, { line: at });
    const { header } = open;
    if (!header) failHere('the statement has no opening balance (:60F:)');
    const closing = balanceOf(text, failHere);
    if (closing.currency !== header.currency) {
      failHere(`the statement opens in ${header.currency} and closes in ${closing.currency}`);
    }
    const opening = header.openingBalance ?? 0;
    checkBalance({ opening, sum: open.sum, closing: closing.amount }, header.currency, failHere);
    // Statement numbers begin anew each year, and some banks give none, so the days and balances count as well.
    const { reference, number, account } = open;
    const key = JSON.stringify([reference, number, account, header.fromDate, opening, closing]);
    if (seen.has(key)) failHere(`the statement ${quoted(header.statementId)} is in the file twice`);
    if (seen.size >= limits.statements) failHere(`the file has more than ${limits.statements} statements`);
    seen.add(key);
    statement = null;
  }

  return {
    addLine,
    taken(): readonly StatementPart[] {
      const done = parts;
      parts = [];
      return done;
    },
    end(): void {
      finishField();
      if (statement) fail('the file ends before the closing balance (:62F:) of its last statement');
      if (isInBlock) fail('the file ends before the end of its last message (-})');
      if (seen.size === 0) fail('the file has no statement');
    },
  };
}

/** `:25:` is an account, or BIC or bank code and account; some banks put the currency behind an IBAN. */
function accountOf(text: string): string {
  const account = compact(text);
  const last = account.slice(account.lastIndexOf('/') + 1);
  for (const iban of [last, last.slice(0, -3)]) if (isValidIBAN(iban)) return iban;
  return account;
}
