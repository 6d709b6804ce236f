/** Reading statements in tests, and writing down what is expected of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  StatementEntry,
  StatementError,
  StatementHeader,
  StatementPart,
} from '../../src/statements/entry.ts';
import { type CsvMapping, readMapping } from '../../src/statements/mapping.ts';
import { type ReadOptions, readStatement } from '../../src/statements/read.ts';

export function sample(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'samples', name));
}

export async function* chunksOf(bytes: Uint8Array | string, size = 65_536): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.from(bytes);
  for (let from = 0; from < buffer.length; from += size) yield buffer.subarray(from, from + size);
}

export async function partsOf(
  bytes: Uint8Array | string,
  options: ReadOptions = {},
): Promise<StatementPart[]> {
  return Array.fromAsync(readStatement(chunksOf(bytes), options));
}

export async function entriesOf(
  bytes: Uint8Array | string,
  options: ReadOptions = {},
): Promise<StatementEntry[]> {
  const parts = await partsOf(bytes, options);
  return parts.flatMap((part) => (part.kind === 'entry' ? [part.entry] : []));
}

/** Entries before the end, and the error if there was one. */
export async function attempt(
  bytes: Uint8Array | string,
  options: ReadOptions = {},
): Promise<{ entries: number; error: StatementError | null }> {
  let entries = 0;
  try {
    for await (const part of readStatement(chunksOf(bytes), options)) if (part.kind === 'entry') entries += 1;
  } catch (error) {
    return { entries, error: error as StatementError };
  }
  return { entries, error: null };
}

export function mappingOf(given: unknown): CsvMapping {
  const read = readMapping(given);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.mapping;
}

/** A header that says nothing, with what it does say. */
export function header(said: Partial<StatementHeader>): StatementHeader {
  return {
    statementId: '',
    account: '',
    currency: 'EUR',
    openingBalance: null,
    closingBalance: null,
    fromDate: null,
    toDate: null,
    ...said,
  };
}

/** An entry of which the bank says nothing, with what it does say. */
export function entry(said: Partial<StatementEntry>): StatementEntry {
  return {
    number: 1,
    line: 1,
    direction: 'credit',
    amount: 0,
    currency: 'EUR',
    isReversal: false,
    bookedOn: '2026-02-04',
    valueOn: null,
    bankReference: '',
    batchReference: '',
    endToEndId: '',
    instructionId: '',
    creditorReference: '',
    remittance: '',
    counterparty: { name: '', account: '', bic: '' },
    transactionCode: '',
    returned: null,
    ...said,
  };
}
