/**
 * Mappings of CSV columns as an operator writes them: with the names of the fields as everything else that is JSON here
 * has them. `statements/mapping.ts` has the same names as the code. Pure.
 */
import type { Problem } from '../checkout/refusals.ts';
import { type CsvMapping, readMapping } from '../statements/mapping.ts';

type Given = Readonly<Record<string, unknown>>;

/** A mapping has fields, and some of these have fields of their own. */
const LEVELS = 2;

/** The mapping with its defaults, or all that is wrong with it. */
export function readCsvMapping(
  given: unknown,
): { readonly mapping: CsvMapping } | { readonly problems: readonly Problem[] } {
  const foreign: Problem[] = [];
  const read = readMapping(withNames(given, 'code', LEVELS, '', foreign));
  const problems = 'problems' in read ? read.problems : [];
  if ('mapping' in read && foreign.length === 0) return read;
  return {
    problems: [
      ...foreign,
      ...problems.map(({ pointer, detail }) => ({ pointer: snakeCase(pointer), detail })),
    ],
  };
}

/** As JSON for an operator; reading that gives the same mapping again. */
export function presentCsvMapping(mapping: CsvMapping): unknown {
  return withNames(mapping, 'json', LEVELS, '', []);
}

/** The same with other names of its fields. A name that is none of an operator's goes to `foreign`, and is left out. */
function withNames(
  value: unknown,
  names: 'code' | 'json',
  levels: number,
  parent: string,
  foreign: Problem[],
): unknown {
  if (!isObject(value) || levels === 0) return value;
  const fields = Object.entries(value).flatMap(([name, each]) => {
    const pointer = `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (names === 'code' && /[A-Z]/.test(name)) {
      foreign.push({ pointer, detail: 'is no field of it' });
      return [];
    }
    const renamed = names === 'code' ? camelCase(name) : snakeCase(name);
    return [[renamed, withNames(each, names, levels - 1, pointer, foreign)] as const];
  });
  return Object.fromEntries(fields);
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
