/** Exports: all rows of a list of the API that fit some filters, page by page, made while they are read. */
import { setTimeout as pause } from 'node:timers/promises';
import { breathe } from '../lib/breath.ts';
import type { ApiAnswer, ApiCaller, ApiRefusal, Told } from './api.ts';

/** The list that is asked for: its path in the API, and the filters. */
export type Listed = { readonly path: string; readonly query: URLSearchParams };

type Asked = Pick<ApiCaller, 'get'>;

/**
 * Rows of a page. V8 makes texts over 128 KiB among its old objects, whose collection holds up everybody; a page of
 * 50 sessions with a few items each stays below that.
 */
const PAGE = 50;
/** Rows of a page of a search, which looks at all that it finds for each page. */
const SEARCHED_PAGE = 100;
/** Pause of an export that asks too often, or while the service has no time. */
const WAIT_MS = 1_000;
/** Pages that the service had no time for, in a row. */
const MAX_WAITS = 60;

const isSearch = (query: URLSearchParams): boolean =>
  [...query.keys()].some((name) => name === 'q' || name.startsWith('metadata['));

export const pageOf = <T>(api: Asked, list: Listed, after: string | null): Promise<ApiAnswer<T[]>> =>
  api.get(addressOf(list, after));

/** A page as the API answers it. */
export const piecesOf = (api: Pick<ApiCaller, 'pieces'>, list: Listed, after: string | null) =>
  api.pieces(addressOf(list, after));

function addressOf({ path, query }: Listed, after: string | null): string {
  const limit = String(isSearch(query) ? SEARCHED_PAGE : PAGE);
  const asked = [...query, ['limit', limit], ...(after === null ? [] : [['after', after]])];
  return `${path}?${new URLSearchParams(asked)}`;
}

/**
 * Pages behind a first one that is known: no more than one is in memory. Throws where the API refuses to go on, so that
 * nobody takes a part for the whole.
 */
export async function* pagesFrom<T>(
  api: Asked,
  list: Listed,
  first: ApiAnswer<T[]> & { readonly ok: true },
): AsyncGenerator<readonly T[]> {
  let page = first;
  for (;;) {
    yield page.data;
    if (page.nextCursor === null) return;
    const { nextCursor } = page;
    page = await patiently(() => pageOf<T>(api, list, nextCursor));
  }
}

/**
 * Answer to one of many questions: behind a pause in which others get their turn, and asked again while the service has no
 * time. Throws where the API refuses it.
 */
export async function patiently<A extends Told<unknown>>(
  ask: () => Promise<A>,
): Promise<Exclude<A, ApiRefusal>> {
  await breathe();
  for (let waits = 0; ; waits++) {
    const answer = await ask();
    if (answer.ok) return answer as Exclude<A, ApiRefusal>;
    const isForNow = answer.status === 429 || answer.status === 503;
    if (!isForNow || waits === MAX_WAITS) throw new Error(`an export ended early: ${answer.status}`);
    await pause(WAIT_MS);
  }
}

export async function* jsonLines(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map(jsonLine).join('');
}

export const jsonLine = (row: unknown): string => `${JSON.stringify(row)}\n`;
