/** Looks at a database file without changing it, beside the service that has it open. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { messageLineOf } from '../../lib/error-message.ts';
import { advised, type Finding, good, sentence, wrong } from '../../lib/finding.ts';
import { UnusableDatabase } from '../../store/errors.ts';
import { openForReading } from '../../store/sqlite/file.ts';
import { migrations, schemaOf } from '../../store/sqlite/migrate.ts';
import { schemaFinding } from './schema-finding.ts';

/** Room on the disk that is enough: the log alone may take more than a tenth of it. */
const ENOUGH_BYTES = 2 ** 30;

export function examineFile(path: string): readonly Finding[] {
  if (!existsSync(path)) return [absent(path)];
  // One that this user cannot read is not damaged for that: it cannot be written either, which is told.
  return [...(may(path, constants.R_OK) ? whole(path) : []), ...writable(path), ...spacious(path)];
}

function absent(path: string): Finding {
  const place = existing(dirname(resolve(path)));
  return may(place, constants.W_OK)
    ? advised(`There is no database ${path} yet.`, 'The first start of the service creates it.')
    : wrong(
        `There is no database ${path}, and this user cannot create one in ${place}.`,
        'Let the user of the service write there, or set DATABASE_URL to another path.',
      );
}

/** Findings on what is in the file: it can be read, is of this version, and its pages are in order. */
function whole(path: string): readonly Finding[] {
  let database: DatabaseSync;
  try {
    database = openForReading(path);
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error;
    return [wrong(sentence(error.message), 'If the file is damaged, restore a backup: opentill db restore.')];
  }
  try {
    const damage = String(Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})[0]);
    return [
      schemaFinding(path, schemaOf(database), migrations.length),
      damage === 'ok'
        ? good(`The pages of ${path} are in order.`)
        : wrong(
            `${path} is damaged: ${damage.replaceAll(/\s+/g, ' ')}.`,
            'opentill db check says where; restore a backup.',
          ),
    ];
  } catch (error) {
    return [
      wrong(
        `${path} cannot be read: ${messageLineOf(error)}.`,
        'opentill db check says where it is damaged; restore a backup.',
      ),
    ];
  } finally {
    database.close();
  }
}

function writable(path: string): readonly Finding[] {
  const denied = [path, dirname(resolve(path))].filter((each) => !may(each, constants.W_OK));
  return denied.map((each) =>
    wrong(
      `This user cannot write ${each}.`,
      'Run this command as the user of the service; if it is, give that user the file and its directory.',
    ),
  );
}

function spacious(path: string): readonly Finding[] {
  const { bavail, bsize } = statfsSync(dirname(resolve(path)));
  const free = bavail * bsize;
  const text = `The disk of ${path} has ${Math.floor(free / 2 ** 20)} MiB left.`;
  return [free < ENOUGH_BYTES ? advised(text, 'Make room: a full disk refuses all changes.') : good(text)];
}

function may(path: string, access: number): boolean {
  try {
    accessSync(path, access);
    return true;
  } catch {
    return false;
  }
}

/** Nearest directory that is there: this one, or one above it. */
function existing(directory: string): string {
  // One that this user must not look into counts as absent.
  return existsSync(directory) || dirname(directory) === directory ? directory : existing(dirname(directory));
}
