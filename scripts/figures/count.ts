/** How large the code of a tree is, how its rooms hang together, and how often it overrules its types. */
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { floorsIn, importsIn, mutual, roomOf, roomsOf, upward } from './rooms.ts';

export type Room = {
  readonly name: string;
  readonly files: number;
  /** Files at the top of the room. */
  readonly loose: number;
  readonly lines: number;
  /** Rooms that it imports from. */
  readonly imports: number;
};

export type Figures = ReturnType<typeof figuresOf>;

/** The figures of the tree below a root. */
export function figuresOf(root: string) {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const linesOf = (file: string) => lines(read(file));
  const imports = importsIn(root);
  const rooms = roomsOf(imports);
  const files = [...imports.keys()];
  const inStore = files.filter((file) => roomOf(file) === 'store');
  const casts = files.flatMap((file) => castsIn(read(file)));
  const faults = globSync('scripts/faults/*.ts', { cwd: root }).map(read);
  return {
    rooms: [...rooms].map(([name, others]): Room => {
      const own = files.filter((file) => roomOf(file) === name);
      const loose = own.filter((file) => file.split('/').length <= 3).length;
      return { name, files: own.length, loose, lines: sum(own.map(linesOf)), imports: others.size };
    }),
    files: files.length,
    lines: sum(files.map(linesOf)),
    storeFiles: inStore.length,
    storeLines: sum(inStore.map(linesOf)),
    loose: files.filter((file) => file.split('/').length === 2).length,
    floors: floorsIn(rooms),
    arrows: sum([...rooms.values()].map(({ size }) => size)),
    upward: upward(imports),
    mutualRooms: mutual(rooms),
    mutualFiles: mutual(imports),
    casts: casts.length,
    castsByUnknown: casts.filter((each) => each.startsWith('unknown as ')).length,
    linesOfOpenApi: linesOf('openapi.json'),
    faults: sum(faults.map((code) => code.match(/^ +find:/gm)?.length ?? 0)),
  };
}

export const lines = (text: string): number => text.split('\n').length - 1;

export function sum(figures: readonly number[]): number {
  return figures.reduce((total, each) => total + each, 0);
}

/**
 * The types that expressions are cast to, but `const`. Without types a text has blanks in their place: what is still
 * there before an `as` that is gone was an expression. (Of two casts in a row, the second is part of the first.)
 */
function castsIn(code: string): string[] {
  const plain = stripTypeScriptTypes(code);
  return [...code.matchAll(/(\S)\s+as (?!const\b)([^;\n]*)/g)].flatMap(({ 0: text, 2: type = '', index }) => {
    const at = index + text.indexOf('as ', 1);
    const isExpression = plain[index] === code[index] && plain[at] === ' ';
    return isExpression ? [type] : [];
  });
}
