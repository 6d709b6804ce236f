/** `bank import`: takes in statements, each of them whole or not at all. */
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { type Client, clientOptions, createClient, Refused, Unreachable } from '../client.ts';
import { printable } from '../printable.ts';
import { parsed, UsageError } from '../usage-error.ts';

type Statement = {
  readonly id: string;
  readonly entries: number;
  readonly new: number;
  readonly settled: number;
  readonly open: number;
};

/** Of the name that the service keeps. */
const MAX_NAME = 200;

export async function importFiles(args: readonly string[]): Promise<void> {
  const { values, positionals: files } = parsed(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...clientOptions, mapping: { type: 'string' } },
    }),
  );
  if (files.length === 0) throw new UsageError('bank import takes the files of one statement or more');
  const client = createClient(values);
  for (const file of files) {
    try {
      await importFile(client, file, values.mapping);
    } catch (error) {
      // What is wrong with one file says nothing of the others.
      if (!isOfFile(error)) throw error;
      console.error(`opentill: ${printable(file)}: ${error.message}`);
      process.exitCode = 1;
    }
  }
}

/** As opposed to a key or a service that is not right for any of them. */
function isOfFile(error: unknown): error is Error {
  if (error instanceof Refused) return error.status === 400 || error.status === 413;
  return error instanceof UsageError && !(error instanceof Unreachable);
}

async function importFile(client: Client, file: string, mapping: string | undefined): Promise<void> {
  const newest = await newestOf(client);
  const content = await contentOf(file);
  const query = new URLSearchParams({
    name: basename(file)
      .replace(/\p{Cc}/gu, ' ')
      .slice(0, MAX_NAME),
    ...(mapping === undefined ? {} : { mapping }),
  });
  const statement = await client.upload<Statement>(`/bank_statement?${query}`, content);
  const { id, entries, new: fresh, settled, open } = statement;
  const counts = `${entries} ${entries === 1 ? 'entry' : 'entries'}, ${fresh} new: ${settled} settled, ${open} open`;
  // Ids grow: what is not newer than the newest was there before.
  const isKnown = newest !== null && id <= newest;
  console.log([id, printable(file), isKnown ? 'was taken in before' : counts].join('  '));
}

/** Id of the statement that was taken in last, or null if there is none, or the key may not see it. */
async function newestOf(client: Client): Promise<string | null> {
  try {
    const { data } = await client.page<Statement>('/bank_statement', { limit: '1' });
    return data[0]?.id ?? null;
  } catch (error) {
    if (error instanceof Refused && error.status === 403) return null;
    throw error;
  }
}

async function contentOf(file: string): Promise<Blob> {
  try {
    if (!(await stat(file)).isFile()) throw new Error('it is no file');
    return await openAsBlob(file);
  } catch (error) {
    // The system names the file at the end, which is named already.
    const why = (error as Error).message.replace(/, \w+ '.*'$/s, '');
    throw new UsageError(`it cannot be read: ${why}`);
  }
}
