/** Pages of lists. */
import type { Tenant } from '../checkout/tenant.ts';
import { createOneATurn } from '../lib/one-a-turn.ts';
import { pack } from './packed.ts';

/** A page of a list in one direction; `cursor` is the id next to which it begins. */
export type PageRequest = {
  readonly limit: number;
  readonly after?: string;
  readonly before?: string;
};
export type Page<T> = { readonly rows: readonly T[]; readonly hasMore: boolean };

/** Length after which a page ends: the longest session has 280,000 characters, and a hundred of them would hold up everybody. */
export const PAGE_LENGTH = 2 ** 20;

/** Rows as the bytes of an answer, with commas between them. */
export type SerializedPage<Id> = {
  readonly ids: readonly Id[];
  readonly json: Uint8Array<ArrayBuffer>;
  readonly hasMore: boolean;
};

/** Serializes the rows of a page, those next to its cursor first, until they are long enough for a page. */
export function serializedPage<R, Id extends string>(
  { rows, hasMore }: Page<R>,
  { before }: PageRequest,
  serialize: (row: R) => { readonly id: Id; readonly json: string },
): SerializedPage<Id> {
  const inOrder = <E>(list: readonly E[]) => (before === undefined ? list : list.toReversed());
  const written: ReturnType<typeof serialize>[] = [];
  let length = 0;
  for (const row of inOrder(rows)) {
    if (length >= PAGE_LENGTH) break;
    const text = serialize(row);
    written.push(text);
    length += text.json.length;
  }
  const page = inOrder(written);
  const { bytes } = pack(
    page.map(({ json }) => json),
    ',',
  );
  return { ids: page.map(({ id }) => id), json: bytes, hasMore: hasMore || written.length < rows.length };
}

type List<F, T> = (tenant: Tenant, filter: F, page: PageRequest) => Promise<Page<T>>;

/** Rows that are read at once: metadata alone may be 16 KiB in each, which the thread that answers parses. */
const STEP_ROWS = 20;

/** The list, its pages read in steps, each in a turn of the event loop of its own. */
export function inSteps<F, T extends { readonly id: string }>(list: List<F, T>): List<F, T> {
  const ownTurn = createOneATurn();
  return async (tenant, filter, page) => {
    const isBackwards = page.before !== undefined;
    let rows: readonly T[] = [];
    for (let left = page; ; await ownTurn()) {
      const limit = Math.min(left.limit, STEP_ROWS);
      const step = await list(tenant, filter, { ...left, limit });
      rows = isBackwards ? [...step.rows, ...rows] : [...rows, ...step.rows];
      const edge = isBackwards ? rows[0] : rows.at(-1);
      if (!step.hasMore || edge === undefined || limit === left.limit) return { rows, hasMore: step.hasMore };
      left = { limit: left.limit - limit, [isBackwards ? 'before' : 'after']: edge.id };
    }
  };
}
