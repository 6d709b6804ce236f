/**
 * Requests as bytes that are made once: what differs from one to the next has a place of fixed width, which is written
 * anew before each use. So the load generator makes no text while it measures.
 */

/** Place in a request, and what stands there: an id or token from a file of them, or a number that no other request has. */
export type Slot = {
  readonly at: number;
  readonly length: number;
  readonly kind: 'subject' | 'count' | 'digits';
};

export type Template = { readonly bytes: Buffer; readonly slots: readonly Slot[] };

/** A request as its parts; `{subject}`, `{count}` and `{digits}` in the path, the headers and the body are places. */
export type RequestText = {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Widths of the places that are numbers. `digits` never begins with 0: JSON has no such numbers. */
const COUNT_LENGTH = 14;
const DIGITS_LENGTH = 4;
const DIGITS = 10 ** (DIGITS_LENGTH - 1);

export function templateOf(
  { method, path, headers, body = '' }: RequestText,
  subjectLength: number,
): Template {
  const widths = { subject: subjectLength, count: COUNT_LENGTH, digits: DIGITS_LENGTH };
  const widened = (text: string): string =>
    text.replace(/\{(subject|count|digits)\}/g, (_, kind: Slot['kind']) => MARKS[kind].repeat(widths[kind]));
  const wide = widened(body);
  const lines = [
    `${method} ${widened(path)} HTTP/1.1`,
    'host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${widened(value)}`),
    ...(method === 'GET' ? [] : [`content-length: ${Buffer.byteLength(wide)}`]),
  ];
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${wide}`);
  const slots: Slot[] = [];
  for (const kind of ['subject', 'count', 'digits'] as const) {
    const mark = Buffer.from(MARKS[kind].repeat(widths[kind]));
    if (mark.length === 0) continue;
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + mark.length)) {
      slots.push({ at, length: mark.length, kind });
    }
  }
  return { bytes, slots };
}

/** Bytes that no request has otherwise. */
const MARKS = { subject: '\u0001', count: '\u0002', digits: '\u0003' } as const;

/** Writes the places of one request: `subject` begins at this offset of `subjects`, `count` is new each time. */
export function writeSlots(
  bytes: Buffer,
  slots: readonly Slot[],
  subjects: Buffer,
  subject: number,
  count: number,
): void {
  for (const { at, length, kind } of slots) {
    if (kind === 'subject') subjects.copy(bytes, at, subject, subject + length);
    else writeNumber(bytes, at, length, kind === 'count' ? count : DIGITS + (count % (9 * DIGITS)));
  }
}

function writeNumber(bytes: Buffer, at: number, length: number, value: number): void {
  let rest = value;
  for (let place = at + length - 1; place >= at; place--) {
    const next = Math.floor(rest / 10);
    bytes[place] = 48 + rest - 10 * next;
    rest = next;
  }
}
