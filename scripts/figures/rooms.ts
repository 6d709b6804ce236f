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

/** Rooms that lead to each other, as one: their names in order, joined by commas. */
export function circlesAsOne(rooms: Rooms): Rooms {
  const reach = new Map([...rooms.keys()].map((room) => [room, reachedFrom(room, rooms)]));
  const leadToEachOther = (one: string, other: string) =>
    reach.get(one)?.has(other) && reach.get(other)?.has(one);
  const nameOf = (room: string) =>
    [room, ...[...rooms.keys()].filter((other) => other !== room && leadToEachOther(room, other))]
      .sort()
      .join(', ');
  const joined = new Map<string, Set<string>>();
  for (const [room, others] of rooms) {
    const name = nameOf(room);
    const all = joined.get(name) ?? new Set();
    joined.set(name, all);
    for (const each of others) if (nameOf(each) !== name) all.add(nameOf(each));
  }
  return joined;
}

function reachedFrom(room: string, rooms: Rooms, seen = new Set<string>()): Set<string> {
  for (const next of rooms.get(room) ?? []) {
    if (seen.has(next)) continue;
    seen.add(next);
    reachedFrom(next, rooms, seen);
  }
  return seen;
}

/** The number of floors on which rooms stand, each right above the highest of those that it imports from. */
export function floorsIn(rooms: Rooms): number {
  const joined = circlesAsOne(rooms);
  const heights = new Map<string, number>();
  const heightOf = (room: string): number => {
    const height = heights.get(room) ?? 1 + Math.max(0, ...[...(joined.get(room) ?? [])].map(heightOf));
    heights.set(room, height);
    return height;
  };
  return Math.max(...[...joined.keys()].map(heightOf));
}

/** The rooms as a Mermaid diagram, a circle as one. An arrow that follows from others is left out. */
export function houseOf(rooms: Rooms): string {
  const joined = circlesAsOne(rooms);
  const reach = new Map([...joined.keys()].map((room) => [room, reachedFrom(room, joined)]));
  const arrows = [...joined].flatMap(([room, others]) =>
    [...others]
      .filter((each) => ![...others].some((between) => reach.get(between)?.has(each)))
      .map((each) => `  ${nodeOf(room)} --> ${nodeOf(each)}`),
  );
  const circles = [...joined.keys()].filter((room) => room.includes(','));
  const boxes = circles.map((room) => `  ${nodeOf(room)}["${room.replaceAll('.ts', '')}"]`);
  return ['```mermaid', 'flowchart TD', ...boxes, ...arrows.sort(), '```'].join('\n');
}

/** The name by which Mermaid knows a room; a circle has that of its first one. */
const nodeOf = (room: string): string => room.split(',')[0]?.replace(/\.ts$/, '') ?? '';
