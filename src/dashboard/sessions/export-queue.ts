/**
 * Export queue: pages of sessions become lines in a thread, since a million sessions leave so much garbage behind that its
 * collection would hold up the thread that answers.
 */
import { createThreadPool } from '../../lib/thread-pool.ts';
import type { ApiCaller } from '../api.ts';
import { type Listed, patiently, piecesOf } from '../export.ts';
import { type FormatName, formats } from './export.ts';
import type { SessionLines, SessionsPage } from './export-thread.ts';

const pool = createThreadPool<SessionsPage, SessionLines>(new URL('./export-thread.ts', import.meta.url), {
  limits: {
    threads: 1,
    // An export has one page here at a time: there are no more of them than connections.
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitingOfTenant: Number.POSITIVE_INFINITY,
    startMs: 10_000,
    /** The longest page takes a hundredth of it. */
    jobMs: 10_000,
    idleMs: 10_000,
    memory: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 },
  },
  errors: {
    tooMany: () => new Error('Too many pages wait for the thread that exports.'),
    tooLong: () => new Error('A page took too long to export.'),
    failed: (why) => new Error(`The thread that exports has failed: ${why}`),
  },
  // Pieces of one answer may be parts of the same memory.
  memoryOf: ({ pieces }) => [...new Set(pieces.map(({ buffer }) => buffer))],
});

/** Shorter buffers share memory, which cannot be handed over: they are copied. */
const MAX_SHARED_BYTES = Buffer.poolSize >>> 1;

const owned = (piece: Uint8Array): Uint8Array<ArrayBuffer> =>
  piece.length > MAX_SHARED_BYTES && piece.buffer instanceof ArrayBuffer
    ? new Uint8Array(piece.buffer, piece.byteOffset, piece.length)
    : new Uint8Array(piece);

type Given = {
  readonly api: Pick<ApiCaller, 'pieces'>;
  /** Whose sessions they are; tenants have their turns. */
  readonly tenant: string;
  readonly list: Listed;
  readonly format: FormatName;
  /** The first page, as the API has answered it. */
  readonly first: readonly Uint8Array[];
};

/** Pieces of the file. Throws where the API refuses to go on, so that nobody takes a part for the whole. */
export async function* sessionsFile({ api, tenant, list, format, first }: Given) {
  yield formats[format].head;
  let page = first;
  for (;;) {
    const { lines, nextCursor } = await pool.run(tenant, { format, pieces: page.map(owned) });
    yield lines;
    if (nextCursor === null) return;
    page = (await patiently(() => piecesOf(api, list, nextCursor))).data;
  }
}
