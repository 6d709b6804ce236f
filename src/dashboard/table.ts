/** Tables, which scroll by themselves where they are too wide, also by the keyboard. */
import { type Content, type Html, html } from '../lib/html.ts';

/** A column: its name, which is empty for what speaks for itself, and whether numbers are in it. */
export type Column = string | { readonly name: string; readonly isNumber: true };

const nameOf = (column: Column): string => (typeof column === 'string' ? column : column.name);

/**
 * `label` says of what it is a table. Each row has its cells in the order of the columns; `empty` stands in the place of a
 * table without rows.
 */
export function table(
  label: string,
  columns: readonly Column[],
  rows: ReadonlyArray<readonly Content[]>,
  empty: Content = '',
): Html {
  if (rows.length === 0) return html`<p>${empty}</p>`;
  const classOf = (column: Column | undefined) => typeof column === 'object' && html` class="number"`;
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${columns.map((column) =>
    nameOf(column) === '' ? html`<td></td>` : html`<th scope="col"${classOf(column)}>${nameOf(column)}</th>`,
  )}</tr></thead>
<tbody>
${rows.map(
  (cells) => html`<tr>${cells.map((cell, index) => html`<td${classOf(columns[index])}>${cell}</td>`)}</tr>
`,
)}</tbody></table></div>`;
}
