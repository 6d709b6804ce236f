/**
 * Export queue: pages of sessions become lines in a thread, since a million sessions leave so much garbage behind that its
 * collection would hold up the thread that answers.
 */
import { createThreadPool } from '../../lib/thread-pool.ts';
import type { ApiCaller } from '../api.ts';
import { bytesOf, type Listed, patiently } from '../export.ts';
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
    memory: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
  },
  errors: {
    tooMany: () => new Error('Too many pages wait for the thread that exports.'),
    tooLong: () => new Error('A page took too long to export.'),
    failed: (why) => new Error(`The thread that exports has failed: ${why}`),
  },
  memoryOf: ({ bytes }) => [bytes.buffer],
});

/** The bytes with memory of their own: a short answer shares that of other buffers, which cannot be handed over. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? new Uint8Array(bytes.buffer)
    : new Uint8Array(bytes);

type Given = {
  readonly api: Pick<ApiCaller, 'file'>;
  /** Whose sessions they are; tenants have their turns. */
  readonly tenant: string;
  readonly list: Listed;
  readonly format: FormatName;
  /** The first page, as the API has answered it. */
  readonly first: Uint8Array;
};

/** Pieces of the file. Throws where the API refuses to go on, so that nobody takes a part for the whole. */
export async function* sessionsFile({ api, tenant, list, format, first }: Given) {
  yield formats[format].head;
  let bytes = first;
  for (;;) {
    const { lines, nextCursor } = await pool.run(tenant, { format, bytes: owned(bytes) });
    yield lines;
    if (nextCursor === null) return;
    ({ bytes } = (await patiently(() => bytesOf(api, list, nextCursor))).data);
  }
}
