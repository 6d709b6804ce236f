/** Pieces of Markdown for the generated pages. */

export function generatedFrom(source: string): string {
  return `<!-- Generated from ${source} by npm run generate. Do not edit. -->\n`;
}

/** A table; a vertical bar in a cell would end it, and so is escaped. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly (string | number)[]>): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
