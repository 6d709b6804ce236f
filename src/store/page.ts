/** Pages of lists. */

/** A page of a list in one direction; `cursor` is the id next to which it begins. */
export type PageRequest = {
  readonly limit: number;
  readonly after?: string;
  readonly before?: string;
};
export type Page<T> = { readonly rows: readonly T[]; readonly hasMore: boolean };
