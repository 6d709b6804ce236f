/**
 * Reads bank statements (camt.053) and notifications of bookings (camt.054) of ISO 20022, versions 02 to 13. It keeps
 * at most one booking in memory.
 */
import { SaxesParser, type SaxesTagNS } from 'saxes';
import {
  type Balance,
  balanceOf,
  boundsOf,
  type Detail,
  detailOf,
  entriesOf,
  type Found,
  headerOf,
  isBooked,
} from './camt-entry.ts';
import {
  documentElement,
  type Element,
  type Field,
  messageElements,
  NAMESPACE,
  repeated,
  type Section,
} from './camt-fields.ts';
import { StatementError, type StatementHeader, type StatementPart } from './entry.ts';
import type { Limits } from './limits.ts';
import { checkBalance, quoted, signed, tidied } from './values.ts';

/** The current statement. */
type Open = {
  readonly found: Found;
  readonly balances: Balance[];
  /** Null until the first entry or the end, since the header needs what stands before them. */
  header: StatementHeader | null;
  sum: bigint;
};

/** Parts of the message in these texts. Throws StatementError. */
export async function* readCamt(texts: AsyncIterable<string>, limits: Limits): AsyncGenerator<StatementPart> {
  const parser = createParser(limits);
  for await (const text of texts) yield* parser.write(text);
  yield* parser.end();
}

function createParser(limits: Limits) {
  const xml = new SaxesParser({ xmlns: true });
  const stack: (Element | null)[] = [];
  const seen = new Set<string>();
  let namespace = '';
  let kind = '';
  let parts: StatementPart[] = [];
  let entries = 0;
  let statement: Open | null = null;
  let collected: Partial<Record<Section, Found>> = {};
  let details: Detail[] = [];
  let text = '';
  let size = 0;
  let written = 0;
  let tokenStart = 0;

  function fail(detail: string): never {
    const entry = collected.entry === undefined ? null : entries + 1;
    throw new StatementError(detail, { line: xml.line, entry });
  }

  /** Called at the end of each text, tag, comment and instruction. */
  function endToken(): void {
    checkToken(xml.position);
    tokenStart = xml.position;
  }

  function checkToken(position: number): void {
    if (position - tokenStart > limits.text) fail(`a text or tag is longer than ${limits.text} characters`);
  }

  function open(tag: SaxesTagNS): void {
    endToken();
    if (stack.length >= limits.depth) fail(`elements are more than ${limits.depth} within each other`);
    if (Object.keys(tag.attributes).length > limits.attributes) {
      fail(`an element has more than ${limits.attributes} attributes`);
    }
    if (stack.length === 0) openRoot(tag);
    if (stack.length === 1) checkMessage(tag);
    const element = stack.length === 0 ? documentElement : childOf(tag);
    stack.push(element);
    text = '';
    if (element?.section) begin(element.section);
    if (element?.field) noteCurrency(element.field, tag);
  }

  function openRoot({ local, uri }: SaxesTagNS): void {
    if (/camt\.052\./.test(uri)) {
      fail(
        'the file is an interim report (camt.052), whose entries are not final: give the statement (camt.053)',
      );
    }
    if (local !== 'Document' || !NAMESPACE.test(uri)) {
      fail(
        `the file is ${quoted(local)} of ${quoted(uri)}, but must be Document of camt.053 or camt.054, ` +
          'versions 02 to 13',
      );
    }
    namespace = uri;
    kind = NAMESPACE.exec(uri)?.[1] ?? '';
  }

  function checkMessage({ local, uri }: SaxesTagNS): void {
    const expected = messageElements.get(kind);
    if (local !== expected || uri !== namespace) {
      fail(`the message of a camt.${kind} must be ${expected}, not ${quoted(local)}`);
    }
  }

  function childOf({ local, uri }: SaxesTagNS): Element | null {
    const parent = stack.at(-1);
    return (uri === namespace ? parent?.children.get(local) : null) ?? null;
  }

  function begin(section: Section): void {
    const found: Found = { line: xml.line, texts: new Map(), currencies: new Map() };
    collected[section] = found;
    size = 0;
    if (section === 'entry') details = [];
    if (section === 'statement') statement = { found, balances: [], header: null, sum: 0n };
    if (section === 'balance' && statement?.header) fail('a balance stands after the entries');
  }

  /** The innermost open part; there is one wherever a field is. */
  function innermost(): Found {
    const { detail, entry, balance, statement: outermost } = collected;
    return detail ?? entry ?? balance ?? outermost ?? fail('a field stands outside of a statement');
  }

  function noteCurrency(field: Field, tag: SaxesTagNS): void {
    const currency = tag.attributes.Ccy?.value;
    if (currency !== undefined) innermost().currencies.set(field, currency);
  }

  function addText(more: string): void {
    endToken();
    if (stack.at(-1)?.field === undefined) return;
    text += more;
    if (text.length > limits.text) fail(`a text is longer than ${limits.text} characters`);
  }

  function close(tag: SaxesTagNS): void {
    endToken();
    const element = stack.pop();
    if (element?.field !== undefined) keep(element.field, tag.local, tidied(text));
    text = '';
    if (element?.section) finish(element.section);
  }

  function keep(field: Field, name: string, text: string): void {
    if (text === '') return;
    const { texts } = innermost();
    const before = texts.get(field);
    if (before !== undefined && !repeated.has(field)) fail(`${name} stands twice where one is expected`);
    size += text.length;
    if (size > limits.text) fail(`the texts of a transaction have more than ${limits.text} characters`);
    if (before === undefined) texts.set(field, [text]);
    else before.push(text);
  }

  function finish(section: Section): void {
    const found = collected[section];
    if (!found || !statement) return;
    if (section === 'balance') statement.balances.push(balanceOf(found, fail));
    if (section === 'detail') addDetail(found, statement);
    if (section === 'entry') finishEntry(found, statement);
    if (section === 'statement') finishStatement(statement);
    collected = { ...collected, [section]: undefined };
  }

  function addDetail(found: Found, { header }: Open): void {
    const { entry } = collected;
    if (details.length >= limits.details) fail(`a booking has more than ${limits.details} transactions`);
    if (!entry || !statement) return;
    details.push(detailOf(entry, found, header ?? begun(statement, entry), fail));
  }

  function finishEntry(found: Found, open: Open): void {
    const header = open.header ?? begun(open, found);
    if (!isBooked(found, fail)) return;
    for (const entry of entriesOf(found, details, header, entries + 1, fail)) {
      if (entry.currency !== header.currency) {
        fail(`the entry is in ${quoted(entry.currency)}, but the account in ${quoted(header.currency)}`);
      }
      entries += 1;
      open.sum += BigInt(signed(entry.amount, entry.direction));
      parts.push({ kind: 'entry', header, entry });
    }
  }

  /** Header of a statement, which is complete once its first entry begins. */
  function begun(open: Open, firstEntry: Found | null): StatementHeader {
    const header = headerOf(open.found, open.balances, firstEntry?.currencies.get('amount') ?? '', fail);
    const page = open.found.texts.get('page')?.[0] ?? '';
    const key = JSON.stringify([header.statementId, page, header.account, header.currency]);
    if (seen.has(key)) fail(`the statement ${quoted(header.statementId)} is in the file twice`);
    if (seen.size >= limits.statements) fail(`the file has more than ${limits.statements} statements`);
    seen.add(key);
    open.header = header;
    parts.push({ kind: 'statement', header });
    return header;
  }

  function finishStatement(open: Open): void {
    const header = open.header ?? begun(open, null);
    const { opening, closing } = boundsOf(open.balances);
    if (kind === '053' && opening && closing) {
      const balances = { opening: opening.amount, sum: open.sum, closing: closing.amount };
      checkBalance(balances, header.currency, fail);
    }
    statement = null;
  }

  // A seventh handler would change the shape of the parser for the engine, which then takes three times as long. So
  // instructions count as part of what follows them, and faults are caught.
  xml.on('text', addText);
  xml.on('cdata', addText);
  xml.on('comment', endToken);
  xml.on('doctype', () =>
    fail('the file has a DOCTYPE, which no bank writes: entities could be hidden in it'),
  );
  xml.on('opentag', open);
  xml.on('closetag', close);

  /** Its faults read `12:7: unclosed tag`. */
  function parse(piece: string | null): void {
    try {
      xml.write(piece);
    } catch (error) {
      const isFault = error instanceof Error && /^\d+:\d+: /.test(error.message);
      if (!isFault) throw error;
      fail(`the file is not well-formed XML: ${error.message.replace(/^\d+:\d+: /, '')}`);
    }
  }

  function taken(): readonly StatementPart[] {
    const done = parts;
    parts = [];
    return done;
  }

  return {
    write(piece: string): readonly StatementPart[] {
      parse(piece);
      written += piece.length;
      checkToken(written);
      return taken();
    },
    end(): readonly StatementPart[] {
      parse(null);
      if (seen.size === 0) fail('the file has no statement');
      return taken();
    },
  };
}
