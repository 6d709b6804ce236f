/** Pages of lists. */

/** A page of a list in one direction; `cursor` is the id next to which it begins. */
export type PageRequest = {
  readonly limit: number;
  readonly after?: string;
  readonly before?: string;
};
export type Page<T> = { readonly rows: readonly T[]; readonly hasMore: boolean };

/** Characters after which a page ends: the longest session has 280,000, and a hundred of them would hold up everybody. */
const MAX_CHARACTERS = 2 ** 20;

/** Writes the rows of a page, those next to its cursor first, until they are long enough for a page. */
export function written<R, T extends { readonly json: string }>(
  { rows, hasMore }: Page<R>,
  { before }: PageRequest,
  write: (row: R) => T,
): Page<T> {
  const inOrder = <E>(list: readonly E[]) => (before === undefined ? list : list.toReversed());
  const texts: T[] = [];
  let characters = 0;
  for (const row of inOrder(rows)) {
    if (characters >= MAX_CHARACTERS) return { rows: inOrder(texts), hasMore: true };
    const text = write(row);
    texts.push(text);
    characters += text.json.length;
  }
  return { rows: inOrder(texts), hasMore };
}
