/** Rooms of `src/`, the folders in it, and who imports whom: for the figures, the picture of the house and its rules. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Files by their paths from the root, each with what it imports. */
export type Imports = ReadonlyMap<string, readonly string[]>;
/** Rooms, each with those that it imports from. */
export type Rooms = ReadonlyMap<string, ReadonlySet<string>>;

/** Imports of a file: paths from the root for files of ours, names for everything else. */
export function importsOf(file: string, code: string): string[] {
  const specifiers = [
    ...code.matchAll(/^(?:import|export)\b[^'"`;=()]*?\bfrom\s+'([^']+)'/gm),
    ...code.matchAll(/^import\s+'([^']+)'/gm),
    ...code.matchAll(/\bimport\('([^']+)'\)/g),
    ...code.matchAll(/\bnew URL\('(\.[^']+\.ts)', import\.meta\.url\)/g),
  ].map(([, specifier]) => specifier ?? '');
  return [...new Set(specifiers)].map((specifier) =>
    specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier,
  );
}

/** The sources below a root. */
export function importsIn(root: string): Imports {
  const files = globSync('src/**/*.ts', { cwd: root }).sort();
  return new Map(files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]));
}

/** A file at the top of the tree is a room by itself. */
export const roomOf = (file: string): string => file.split('/')[1] ?? '';

export function roomsOf(imports: Imports): Rooms {
  const rooms = new Map<string, Set<string>>();
  for (const [file, imported] of imports) {
    const of = rooms.get(roomOf(file)) ?? new Set();
    rooms.set(roomOf(file), of);
    for (const each of imported) {
      if (each.startsWith('src/') && roomOf(each) !== roomOf(file)) of.add(roomOf(each));
    }
  }
  return rooms;
}

/** Pairs that import each other. */
export function mutual(all: ReadonlyMap<string, Iterable<string>>): string[] {
  const known = new Map([...all].map(([each, others]) => [each, new Set(others)]));
  return [...known].flatMap(([each, others]) =>
    [...others]
      .filter((other) => each < other && known.get(other)?.has(each))
      .map((other) => `${each} and ${other}`),
  );
}

/**
 * The floors of the house, from the ground up: a file imports from its own floor and from those below it. A room stands
 * on one floor, but for the facts of banks and of credentials, which are for everybody, and the databases, which only their opener knows.
 */
export const floors: ReadonlyArray<readonly [name: string, files: RegExp]> = [
  ['tools that know nothing of the domain', /^src\/(lib\/|config\/|version\.ts)/],
  ['the rules', /^src\/checkout\//],
  ['accounting', /^src\/accounting\//],
  ['statements', /^src\/statements\//],
  ['facts of banks', /^src\/methods\/bank\/(receiving-account|identifiers|references|instructions|codes\/)/],
  ['facts of credentials', /^src\/methods\/(stripe\/)?credentials\.ts/],
  ['events', /^src\/events\//],
  ['webhooks', /^src\/webhooks\//],
  ['accounts', /^src\/accounts\//],
  ['users', /^src\/users\//],
  ['rails', /^src\/methods\//],
  ['banking', /^src\/banking\//],
  ['languages', /^src\/i18n\//],
  ['documents', /^src\/documents\//],
  ['the interface of the store', /^src\/store\/(?!sqlite\/|postgres\/|open\.ts)/],
  ['the writer', /^src\/writer\//],
  ['ingest', /^src\/ingest\//],
  ['databases', /^src\/store\//],
  ['background work', /^src\/worker\//],
  ['pages', /^src\/pages\//],
  ['the API', /^src\/http\//],
  ['the dashboard', /^src\/dashboard\//],
  ['the composition root', /^src\/main\.ts$/],
  ['the command line', /^src\/cli\//],
];
export const floorOf = (file: string): number => floors.findIndex(([, inside]) => inside.test(file));

/** Imports from a higher floor. */
export function upward(imports: Imports): string[] {
  return [...imports].flatMap(([file, imported]) =>
    imported
      .filter((each) => each.startsWith('src/') && floorOf(each) > floorOf(file))
      .map((each) => `${file}: ${each}`),
  );
}

/** The rooms as a Mermaid diagram. An arrow that follows from others is left out. */
export function houseOf(rooms: Rooms): string {
  const nameOf = (room: string) => room.replace(/\.ts$/, '');
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(rooms.get(from) ?? [])].some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, to, seen);
    });
  const arrows = [...rooms].flatMap(([room, others]) =>
    [...others]
      .filter((each) => ![...others].some((between) => between !== each && reaches(between, each)))
      .map((each) => `  ${nameOf(room)} --> ${nameOf(each)}`),
  );
  return ['```mermaid', 'flowchart TD', ...arrows.sort(), '```'].join('\n');
}

const BEGIN = '<!-- The picture is made by npm run generate. -->\n';
const END = '\n<!-- The end of the picture. -->';

/** The page with the picture of today's rooms in the place of the one that it has. */
export function withHouse(page: string, root: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error('the page has no place for the picture of the rooms');
  return page.slice(0, begin + BEGIN.length) + houseOf(roomsOf(importsIn(root))) + page.slice(end);
}
