/** Text from the bytes of a file, piece by piece and strictly: bytes that are no text of the encoding are refused. */
import { isAscii, isUtf8 } from 'node:buffer';
import { StatementError } from './entry.ts';

/** Small enough that a piece of any file costs nothing, large enough that few are needed. */
const PIECE_BYTES = 65_536;

const NEWLINE = 0x0a;

/** The chunks in pieces of at most 64 KiB. Throws if they exceed `maxBytes` together. */
export async function* piecesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new StatementError(`the file is larger than ${maxBytes} bytes`);
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      yield chunk.subarray(from, from + PIECE_BYTES);
    }
  }
}

/** Encodings by the names that files and mappings give them, to those that `TextDecoder` knows. */
const decoders: ReadonlyMap<string, string> = new Map([
  ['utf-8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['utf-16', 'utf-16le'],
  ['utf-16le', 'utf-16le'],
  ['utf-16be', 'utf-16be'],
  // ISO 8859-1 differs from it only where it has no printable characters.
  ['iso-8859-1', 'windows-1252'],
  ['iso-8859-15', 'iso-8859-15'],
  ['windows-1252', 'windows-1252'],
]);

/** Names of all encodings that can be read. */
export const encodings: readonly string[] = [...decoders.keys()];

/** Encoding of the byte order mark at the beginning of the bytes, or null. */
export function markedEncoding(start: Uint8Array): string | null {
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) return 'utf-8';
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : null;
}

/** Text of the pieces, without a byte order mark. Throws with the line of the first byte that is not text. */
export async function* textsOf(pieces: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(decoders.get(encoding.toLowerCase()) ?? encoding, { fatal: true });
  let line = 1;
  const wrong = (at: number) =>
    new StatementError(`the text is not in ${encoding.toUpperCase()}, in which the file is to be read`, {
      line: at,
      entry: null,
    });
  for await (const piece of pieces) {
    const text = decodedOr(decoder, piece, () => wrong(line + linesBeforeFault(piece, decoder.encoding)));
    line += newlinesOf(text);
    yield text;
  }
  yield decodedOr(decoder, null, () => wrong(line));
}

function decodedOr(decoder: TextDecoder, piece: Uint8Array | null, error: () => StatementError): string {
  try {
    return piece === null ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    throw error();
  }
}

function newlinesOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/**
 * Number of lines that end before the first fault of a piece that did not decode. No character of UTF-8 contains the
 * byte of a line break, so each line can be checked by itself; only the first may begin inside a character.
 */
function linesBeforeFault(piece: Uint8Array, encoding: string): number {
  if (encoding !== 'utf-8') return 0;
  let from = 0;
  while (from < 3 && ((piece[from] ?? 0) & 0xc0) === 0x80) from += 1;
  for (let lines = 0; ; lines += 1) {
    const end = piece.indexOf(NEWLINE, from);
    if (end < 0) return beginsText(piece.subarray(from)) ? 0 : lines;
    if (!isUtf8(piece.subarray(from, end))) return lines;
    from = end + 1;
  }
}

/** True if the bytes are UTF-8; the last character may be cut off. */
function beginsText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

export type Line = { readonly number: number; readonly text: string };

/**
 * Lines of a file without their ends, as many at once as a piece has. Each is UTF-8, or else ISO 8859-1: MT940 does not
 * specify an encoding, and banks write both.
 */
export async function* linesOf(
  pieces: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<readonly Line[]> {
  let open: Uint8Array = new Uint8Array(0);
  let number = 0;
  const line = (bytes: Uint8Array): Line => {
    number += 1;
    const place = { line: number, entry: null };
    if (bytes.length > maxLength) {
      throw new StatementError(`the line is longer than ${maxLength} bytes`, place);
    }
    if (bytes.includes(0)) throw new StatementError('the line has a NUL character', place);
    return { number, text: lineText(bytes) };
  };
  for await (const piece of pieces) {
    const bytes = open.length === 0 ? piece : Buffer.concat([open, piece]);
    const lines: Line[] = [];
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      lines.push(line(bytes.subarray(from, end)));
      from = end + 1;
    }
    open = Buffer.from(bytes.subarray(from));
    if (open.length > maxLength) line(open);
    yield lines;
  }
  if (open.length > 0) yield [line(open)];
}

const latin = new TextDecoder('windows-1252');

function lineText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = isAscii(buffer) || isUtf8(buffer) ? buffer.toString() : latin.decode(buffer);
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
