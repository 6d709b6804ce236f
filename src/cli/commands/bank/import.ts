import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '../../../lib/error-message.ts';
import { type Client, Refused, Unreachable } from '../../client.ts';
import { apiCommand } from '../../declare/access.ts';
import { linesOf } from '../../declare/json.ts';
import { flag, optional, several } from '../../declare/parameter.ts';
import { file, text } from '../../declare/values.ts';
import { exitStatus, Failure } from '../../failure.ts';
import { printable } from '../../printable.ts';

type Statement = {
  readonly id: string;
  readonly entries: number;
  readonly new: number;
  readonly settled: number;
  readonly open: number;
};

type Preview = {
  readonly entries: number;
  readonly known: number;
  readonly settled: number;
  readonly open: number;
  readonly not_matched: number;
  readonly mistakes: number;
  readonly first_mistakes: ReadonlyArray<{
    readonly line: number | null;
    readonly column: string;
    readonly message: string;
  }>;
};

/** Characters of the name that the service keeps. */
const MAX_NAME = 200;

export const command = apiCommand('bank')({
  purpose: 'Import bank statements: camt.053, camt.054, MT940 or CSV.',
  details: [
    'Each file is imported as a whole or not at all. A file with a mistake does not stop the others, but the exit status is then 1.',
  ],
  arguments: { file: several(file(), 'The files.') },
  options: {
    mapping: optional(
      text('name'),
      'For CSV: the name of a mapping among the `csv_mappings` of the account.',
    ),
    dryRun: flag('Only tell what the import would do, with the mistakes of each file by their lines.'),
  },
  json: linesOf({
    preview: {
      file: 'Name of the file.',
      entries: 'Number of entries.',
      known: 'Number of entries that add nothing, because they are known.',
      settled: 'Number of entries that would be settled.',
      open: 'Number of entries that would wait.',
      not_matched: 'Number of further entries, for which nothing was looked up.',
      mistakes: 'Number of mistakes.',
    },
    mistake: {
      file: 'Name of the file.',
      line: 'Line of the file, or null.',
      column: 'Column of a CSV file, or empty.',
      message: 'What is wrong.',
    },
    statement: {
      id: 'Id of the statement file, `bfl_…`.',
      file: 'Name of the file.',
      was_known: 'True if the file had been imported before: then it changes nothing.',
      entries: 'Number of entries.',
      new: 'Number of new entries.',
      settled: 'Number of new entries that are settled.',
      open: 'Number of new entries that wait.',
    },
  }),
  examples: [
    ['opentill bank import january.xml february.sta', 'Two statements, each in its own format'],
    ['opentill bank import --mapping my-bank january.csv', 'A CSV file'],
    ['opentill bank import --dry-run january.xml', 'What the import of a file would do'],
  ],
  async run({ file: files, mapping, dryRun }, { client, output }) {
    for (const file of files) {
      try {
        if (dryRun) {
          const preview = await previewFile(client, file, mapping);
          const { entries, known, settled, open, not_matched, mistakes } = preview;
          output.record(
            { record: 'preview', file, entries, known, settled, open, not_matched, mistakes },
            `${printable(file)}  ${summaryOf(preview)}`,
          );
          for (const { line, column, message } of preview.first_mistakes)
            output.record(
              { record: 'mistake', file, line, column, message },
              `${printable(file)}  ${textOf({ line, column, message })}`,
            );
          if (mistakes > 0) process.exitCode = exitStatus.failure;
          continue;
        }
        const { wasKnown, statement } = await importFile(client, file, mapping);
        const { id, entries, new: fresh, settled, open } = statement;
        const counts = `${countOf(entries)}, ${fresh} new: ${settled} settled, ${open} open`;
        output.record(
          { record: 'statement', id, file, was_known: wasKnown, entries, new: fresh, settled, open },
          [id, printable(file), wasKnown ? 'was imported before' : counts].join('  '),
        );
      } catch (error) {
        // A mistake in one file says nothing of the others.
        if (!isOfFile(error)) throw error;
        output.remark(`${printable(file)}: ${error.message}`);
        process.exitCode = exitStatus.failure;
      }
    }
  },
});

/** True for an error of this file; false for one of the key or the service. */
function isOfFile(error: unknown): error is Error {
  if (error instanceof Refused) return error.status === 400 || error.status === 413;
  return error instanceof Failure && !(error instanceof Unreachable);
}

function summaryOf({ entries, known, settled, open, not_matched, mistakes }: Preview): string {
  const counts = `${countOf(entries)}, ${known} known: ${settled} would be settled, ${open} would wait`;
  const more = not_matched > 0 ? `, ${not_matched} not looked up` : '';
  return `${counts}${more}${mistakes > 0 ? `; with ${mistakes} mistakes it is not imported` : ''}`;
}

function textOf({ line, column, message }: Preview['first_mistakes'][number]): string {
  const place = [line === null ? '' : `line ${line}`, column].filter(Boolean);
  return printable([...place, message].join(': '));
}

const countOf = (entries: number): string => `${entries} ${entries === 1 ? 'entry' : 'entries'}`;

const queryOf = (file: string, mapping: string | undefined): URLSearchParams =>
  new URLSearchParams({
    name: basename(file)
      .replace(/\p{Cc}/gu, ' ')
      .slice(0, MAX_NAME),
    ...(mapping === undefined ? {} : { mapping }),
  });

async function previewFile(client: Client, file: string, mapping: string | undefined): Promise<Preview> {
  const content = await contentOf(file);
  return client.upload<Preview>(`/bank_statement/preview?${queryOf(file, mapping)}`, content);
}

async function importFile(client: Client, file: string, mapping: string | undefined) {
  const newest = await newestOf(client);
  const content = await contentOf(file);
  const statement = await client.upload<Statement>(`/bank_statement?${queryOf(file, mapping)}`, content);
  // Ids grow: what is not newer than the newest was there before.
  return { statement, wasKnown: newest !== null && statement.id <= newest };
}

/** Id of the statement that was imported last; null if there is none, or the key may not see it. */
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
    if (!(await stat(file)).isFile()) throw new Error('it is not a file');
    return await openAsBlob(file);
  } catch (error) {
    // The system names the file at the end, which is named already.
    const why = messageOf(error).replace(/, \w+ '.*'$/s, '');
    throw new Failure(`it cannot be read: ${why}`);
  }
}
