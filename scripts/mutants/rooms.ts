/** Which tests answer for which folder of `src`. */
import { globSync } from 'node:fs';
import { basename } from 'node:path';

/** Tests beside `test/<room>`, by the room: what is slower, and finds what only the whole service shows. */
const others: Readonly<Record<string, readonly string[]>> = {
  banking: ['test/api/bank-*.test.ts', 'test/api/payment-files.test.ts'],
};

/**
 * The test files of a source file in the order in which they are run: those that are named after it first. `isOwn`
 * leaves out those beside the room's own.
 */
export function stagesOf(root: string, room: string, file: string, isOwn: boolean): string[][] {
  const own = globSync(`test/${room}/**/*.test.ts`, { cwd: root }).sort();
  const name = basename(file, '.ts');
  const named = own.filter((test) => basename(test).startsWith(name));
  const rest = own.filter((test) => !named.includes(test));
  const further = isOwn ? [] : globSync([...(others[room] ?? [])], { cwd: root }).sort();
  return [named, rest, further].filter((stage) => stage.length > 0);
}

export function sourcesOf(root: string, room: string): string[] {
  return globSync(`src/${room}/**/*.ts`, { cwd: root }).sort();
}
