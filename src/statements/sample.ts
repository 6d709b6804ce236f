/** The first rows of a CSV file, as somebody looks at them who describes its columns. Lenient: nothing of it is booked. */
import { encodings, markedEncoding } from './bytes.ts';
import type { CsvMapping } from './mapping.ts';

/** Bytes of a sample: some dozens of rows. */
export const SAMPLE_BYTES = 12_288;
const MAX_ROWS = 20;
const MAX_COLUMNS = 60;
const MAX_CELL = 200;

type Form = Pick<CsvMapping, 'delimiter' | 'encoding' | 'skipLines'>;
export type SampleForm = Pick<CsvMapping, 'delimiter' | 'encoding' | 'dateFormat' | 'decimal' | 'thousands'>;

/** The text of a sample, without a last line that may be cut off. A byte order mark takes precedence over the encoding. */
export function sampleText(bytes: Uint8Array, encoding: string): string {
  const known = encodings.includes(encoding) ? encoding : 'utf-8';
  const text = new TextDecoder(markedEncoding(bytes) ?? decoderOf(known))
    .decode(bytes)
    .replace(/\r\n?/g, '\n');
  return bytes.length < SAMPLE_BYTES ? text : text.slice(0, text.lastIndexOf('\n') + 1);
}

const decoderOf = (encoding: string): string => (encoding === 'iso-8859-1' ? 'windows-1252' : encoding);

/** Rows of the sample as columns; the first one is the header, where there is one. */
export async function sampleRows(
  bytes: Uint8Array,
  { delimiter, encoding, skipLines }: Form,
): Promise<string[][]> {
  const lines = sampleText(bytes, encoding).split('\n').slice(skipLines);
  // Loaded only for whoever describes a file.
  const { parse } = await import('csv-parse/sync');
  const options = { delimiter, relax_column_count: true, relax_quotes: true, skip_empty_lines: true };
  let rows: string[][];
  try {
    rows = parse(lines.join('\n'), { ...options, to: MAX_ROWS });
  } catch {
    // A quotation mark that is never closed: the rows are shown as they are, and a preview tells what is wrong.
    rows = lines.slice(0, MAX_ROWS).map((line) => line.split(delimiter));
  }
  return rows.map((row) => row.slice(0, MAX_COLUMNS).map((cell) => cell.trim().slice(0, MAX_CELL)));
}

const dates: ReadonlyArray<readonly [form: RegExp, format: CsvMapping['dateFormat']]> = [
  [/\d{4}-\d\d-\d\d/, 'YYYY-MM-DD'],
  [/\d{4}\/\d\d\/\d\d/, 'YYYY/MM/DD'],
  [/\d{4}\.\d\d\.\d\d/, 'YYYY.MM.DD'],
  [/\b\d\d\.\d\d\.\d{4}/, 'DD.MM.YYYY'],
  [/\b\d\d\.\d\d\.\d\d\b/, 'DD.MM.YY'],
  [/\b\d\d\/\d\d\/\d{4}/, 'DD/MM/YYYY'],
  [/\b\d\d\/\d\d\/\d\d\b/, 'DD/MM/YY'],
  [/\b\d\d-\d\d-\d{4}/, 'DD-MM-YYYY'],
  [/\b20\d{6}\b/, 'YYYYMMDD'],
];

/** Guess at how the sample is written; a person looks at it and decides. */
export function guessedForm(bytes: Uint8Array): SampleForm {
  const encoding = isUtf8(bytes) ? 'utf-8' : 'windows-1252';
  const text = sampleText(bytes, encoding);
  const count = (each: string) => text.split(each).length;
  const delimiter = ([';', '\t', '|', ','] as const).reduce((best, each) =>
    count(each) > count(best) ? each : best,
  );
  const decimal = /\d,\d\d(?!\d)/.test(delimiter === ',' ? '' : text) ? ',' : '.';
  const grouped = decimal === ',' ? /\d\.\d{3},\d\d/ : /\d,\d{3}\.\d\d/;
  const [, dateFormat] = dates
    .map(([form, format]) => [text.match(new RegExp(form, 'g'))?.length ?? 0, format] as const)
    .reduce((best, each) => (each[0] > best[0] ? each : best));
  return {
    delimiter,
    encoding,
    dateFormat,
    decimal,
    thousands: grouped.test(text) ? (decimal === ',' ? '.' : ',') : '',
  };
}

/** True if the bytes are UTF-8; the last character may be cut off. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
