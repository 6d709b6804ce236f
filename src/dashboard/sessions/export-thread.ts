/** Thread that turns pages of sessions into lines of a file, one after the other; each message is a page. */
import { parentPort } from 'node:worker_threads';
import { yieldToServing } from '../../lib/thread-priority.ts';
import { type FormatName, formats } from './export.ts';
import type { Session } from './view.ts';

/** Page of the list of sessions, as the API answers it. */
export type SessionsPage = {
  readonly format: FormatName;
  readonly pieces: ReadonlyArray<Uint8Array<ArrayBuffer>>;
};

/** Its lines, and where the next page begins. */
export type SessionLines = { readonly lines: Uint8Array<ArrayBuffer>; readonly nextCursor: string | null };

type Answer = { readonly data: readonly Session[]; readonly next_cursor: string | null };

yieldToServing();
const encoder = new TextEncoder();

parentPort?.postMessage('ready');
parentPort?.on('message', ({ format, pieces }: SessionsPage) => {
  const { data, next_cursor: nextCursor }: Answer = JSON.parse(Buffer.concat(pieces).toString());
  const lines = encoder.encode(formats[format].linesOf(data));
  parentPort?.postMessage({ lines, nextCursor } satisfies SessionLines, [lines.buffer]);
});
