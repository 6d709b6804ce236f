/** Pieces of Markdown for the generated pages. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const biome = join(import.meta.dirname, '../../node_modules/.bin/biome');

export function generatedFrom(source: string): string {
  return `<!-- Generated from ${source} by npm run generate. Do not edit. -->\n`;
}

/** A table; a vertical bar in a cell would end it, and so is escaped. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly (string | number)[]>): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

/** The page as the formatter of this repository would write the file, so that the two never disagree. */
export function formatted(page: string, path = 'page.md'): string {
  return execFileSync(biome, ['format', `--stdin-file-path=${path}`], {
    input: page,
    encoding: 'utf8',
    cwd: join(import.meta.dirname, '../..'),
  });
}
