/** Pages of lists. */
import type { Tenant } from '../checkout/tenant.ts';
import { createOneATurn } from '../lib/one-a-turn.ts';
import { pack } from './packed.ts';

/** A page of a list in one direction; `cursor` is the id next to which it begins. */
export type PageRequest = {
  readonly limit: number;
  readonly after?: string;
  readonly before?: string;
  /** Bytes behind which it ends where its rows may be long; by default those of a whole page. */
  readonly most?: number;
  /** Rows that it looks at where no index finds those that fit; by default as many as one answer may cost. */
  readonly walk?: number;
};
export type Page<T> = {
  readonly rows: readonly T[];
  readonly hasMore: boolean;
  /** Bytes of the rows that were read, for `inSteps`. */
  readonly length?: number;
};

/**
 * Length after which a page ends: a session that was just created may have 280,000 characters, one with all its attempts
 * and refunds ten times as many, and a hundred of them would hold up everybody.
 */
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

/** Rows, and bytes of them, that are read at once: the thread that answers parses them. */
const STEP_ROWS = 20;
const STEP_LENGTH = 2 ** 17;

/** The list, its pages read in steps, each in a turn of the event loop of its own, until they are long enough. */
export function inSteps<F, T extends { readonly id: string }>(list: List<F, T>): List<F, T> {
  const ownTurn = createOneATurn();
  return async (tenant, filter, { limit, most = PAGE_LENGTH, ...cursor }) => {
    const isBackwards = cursor.before !== undefined;
    let rows: readonly T[] = [];
    let length = 0;
    for (let next: Omit<PageRequest, 'limit'> = cursor; ; await ownTurn()) {
      const request = { limit: Math.min(limit - rows.length, STEP_ROWS), most: STEP_LENGTH };
      const step = await list(tenant, filter, { ...next, ...request });
      rows = isBackwards ? [...step.rows, ...rows] : [...rows, ...step.rows];
      length += step.length ?? 0;
      const edge = isBackwards ? rows[0] : rows.at(-1);
      const isFull = rows.length === limit || length >= most;
      if (!step.hasMore || edge === undefined || isFull) return { rows, hasMore: step.hasMore };
      next = { [isBackwards ? 'before' : 'after']: edge.id };
    }
  };
}
