/** Damage to one page of a database file, as by a failing disk, a cable, or a copy that was cut off. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Random } from './random.ts';

export const PAGE_BYTES = 4096;

type Damage = (file: Buffer, page: Buffer, random: Random) => Buffer;

export const damages: Readonly<Record<string, Damage>> = {
  'random bytes': (file, page, random) => {
    for (let at = 0; at < page.length; at++) page[at] = random.between(0, 255);
    return file;
  },
  'a few random bytes': (file, page, random) => {
    const length = random.between(2, 64);
    const from = random.between(0, page.length - length);
    for (let at = from; at < from + length; at++) page[at] = random.between(0, 255);
    return file;
  },
  zeroes: (file, page) => {
    page.fill(0);
    return file;
  },
  'another page': (file, page, random) => {
    const from = PAGE_BYTES * random.between(0, pagesOf(file) - 1);
    page.set(file.subarray(from, from + PAGE_BYTES));
    return file;
  },
  'the rest is missing': (file, page) => file.subarray(0, page.byteOffset - file.byteOffset),
  'one bit': (file, page, random) => {
    const at = random.between(0, page.length - 1);
    page[at] = (page[at] ?? 0) ^ (1 << random.between(0, 7));
    return file;
  },
};

const pagesOf = (file: Buffer): number => file.length / PAGE_BYTES;

/** Damages a page of the file in one of these ways; what was done, in words. */
export function damagePage(path: string, random: Random): string {
  const kind = random.pick(Object.keys(damages));
  const file = readFileSync(path);
  const number = random.between(0, statSync(path).size / PAGE_BYTES - 1);
  const page = file.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES);
  writeFileSync(path, damages[kind]?.(file, page, random) ?? file);
  return `${kind} at page ${number + 1} of ${pagesOf(file)}`;
}

/** The tables that read differently in another file; all of them if it cannot be read at all. */
export function differences(path: string, other: string): string[] {
  const [before, after] = [contentsOf(path), contentsOf(other)];
  return [...before.keys()].filter((table) => before.get(table) !== after.get(table));
}

/** The stored rows, table by table, without the indexes. */
function contentsOf(path: string): Map<string, string> {
  const contents = new Map<string, string>();
  const database = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string) => {
    try {
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      return statement.all();
    } catch (error) {
      return [{ error: (error as Error).message }];
    }
  };
  const rows = (sql: string) =>
    JSON.stringify(all(sql), (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  const schema = all('SELECT name, sql FROM sqlite_schema ORDER BY name');
  contents.set('schema', JSON.stringify(schema) + rows('PRAGMA user_version'));
  for (const { name, sql } of schema) {
    if (!/^CREATE TABLE/.test(`${sql}`)) continue;
    contents.set(`${name}`, rows(`SELECT * FROM ${name} NOT INDEXED`));
  }
  database.close();
  return contents;
}
