/** The log of a shop's requests: a line of JSON for each, in the order in which they were sent. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { messageOf } from '../../lib/error-message.ts';
import { type Static, Type } from '../../lib/json-schema.ts';
import { validator } from '../../lib/schema-problems.ts';
import { Failure } from '../failure.ts';
import { nameOf } from '../json-file.ts';
import { printable } from '../printable.ts';

const text = Type.String();
const requestSchema = Type.Object({
  method: text,
  /** Or the whole address. */
  path: text,
  headers: Type.Optional(Type.Record(text, text)),
  /** JSON, or its text. */
  body: Type.Optional(Type.Unknown()),
  /** Answer of the other service: JSON, or its text. */
  response: Type.Optional(Type.Unknown()),
  /** ISO 8601. */
  at: Type.Optional(text),
});
export type Logged = Static<typeof requestSchema>;

const validate = validator(requestSchema, {});

/** The requests with the numbers of their lines; `-` is standard input. */
export async function* readLog(
  file: string,
): AsyncGenerator<{ readonly line: number; readonly request: Logged }> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  let line = 0;
  try {
    for await (const content of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      line++;
      if (content.trim() !== '') yield { line, request: requestIn(content.replace(/^\uFEFF/, '')) };
    }
  } catch (error) {
    const place = line === 0 ? nameOf(file) : `line ${line} of the log`;
    throw new Failure(`${place} cannot be read: ${printable(messageOf(error))}`);
  }
}

function requestIn(content: string): Logged {
  const read = validate(JSON.parse(content));
  if ('valid' in read) return read.valid;
  throw new Error(
    read.problems.map(({ pointer, detail }) => `${pointer.slice(1) || 'it'} ${detail}`).join(', '),
  );
}

/** A body or an answer as a value; undefined where there is none, or one that is no JSON. */
export function jsonOf(logged: unknown): unknown {
  if (typeof logged !== 'string') return logged ?? undefined;
  try {
    return JSON.parse(logged);
  } catch {
    return undefined;
  }
}
