/** Files that commands take, most of them JSON: how they are read, and how their mistakes are told. */
import { createReadStream } from 'node:fs';
import type { Problem } from '../checkout/refusals.ts';
import { messageOf } from '../lib/error-message.ts';
import { Failure } from './failure.ts';
import { printable } from './printable.ts';

/** More than the settings of any account. */
const MAX_BYTES = 8 * 2 ** 20;

/** Reads a file of JSON; `-` is standard input. Of one with secrets, no error repeats a part. */
export async function readJson(file: string, { hasSecrets = false } = {}): Promise<unknown> {
  const bytes = await readBytes(file, MAX_BYTES);
  try {
    // Takes away a byte order mark, which editors of some systems write.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw unreadable(file, hasSecrets && error instanceof SyntaxError ? 'it is not JSON' : messageOf(error));
  }
}

/** Reads a file of any kind; `-` is standard input. */
export async function readBytes(file: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`it has more than ${maxBytes / 1024} KiB`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    throw unreadable(file, messageOf(error));
  }
}

const unreadable = (file: string, reason: string): Failure =>
  new Failure(`${nameOf(file)} cannot be read: ${printable(reason)}`);

/** All mistakes at once, each with its place: one in one line, several in a line each. */
export function mistakesIn(file: string, problems: readonly Problem[]): Failure {
  const lines = problems.map(({ pointer, detail }) => printable(`${pointer.slice(1) || 'it'} ${detail}`));
  const [only] = lines;
  if (lines.length === 1) return new Failure(`${nameOf(file)}: ${only}; nothing is changed`);
  const all = lines.map((line) => `\n  ${line}`).join('');
  return new Failure(`${nameOf(file)} has ${lines.length} mistakes, and nothing is changed:${all}`);
}

export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}
