/** Document cache: each document is made once for all who ask meanwhile, and kept while it is in demand. */
import { createLru } from '../lib/lru.ts';
import { NobodyWaits, TooManyDocuments } from './render-queue.ts';

export type Wanted = {
  /** Key: everything that the document depends on. */
  readonly key: string;
  /** Owner of the document: nobody may have many of them in progress. */
  readonly owner: string;
  readonly make: (unwanted: AbortSignal) => Promise<Buffer>;
};

type Making = {
  readonly owner: string;
  readonly made: Promise<Buffer>;
  readonly unwanted: AbortController;
  readers: number;
};

export type DocumentCache = {
  /** `gone` signals that this reader has left. Rejects with `TooManyDocuments`, `NobodyWaits`, and as `make` does. */
  get(wanted: Wanted, gone: AbortSignal): Promise<Buffer>;
};

export function createDocumentCache({
  maxBytes,
  maxOfOwner,
}: {
  maxBytes: number;
  maxOfOwner: number;
}): DocumentCache {
  const kept = createLru<string, Buffer>({
    most: maxBytes,
    sizeOf: ({ length }) => length + 1,
  });
  // Documents in progress are apart from the cache, which drops entries for lack of room, while every waiting reader
  // has to be answered.
  const making = new Map<string, Making>();

  function begin({ key, owner, make }: Wanted): Making {
    const others = [...making.values()].filter((each) => each.owner === owner).length;
    if (others >= maxOfOwner)
      throw new TooManyDocuments(`${others} documents of one session are under way already.`);
    const unwanted = new AbortController();
    const made = make(unwanted.signal)
      .then((pdf) => {
        kept.set(key, pdf);
        return pdf;
      })
      .finally(() => making.delete(key));
    const begun = { owner, made, unwanted, readers: 0 };
    making.set(key, begun);
    return begun;
  }

  async function get(wanted: Wanted, gone: AbortSignal): Promise<Buffer> {
    if (gone.aborted) throw new NobodyWaits('The reader left before the document was asked for.');
    const there = kept.get(wanted.key);
    if (there) return there;
    const joined = making.get(wanted.key) ?? begin(wanted);
    joined.readers++;
    const leave = () => {
      joined.readers--;
      if (joined.readers === 0) joined.unwanted.abort();
    };
    gone.addEventListener('abort', leave, { once: true });
    try {
      return await joined.made;
    } catch (error) {
      // The last other reader may have left at the very moment in which this one came.
      if (error instanceof NobodyWaits && !gone.aborted) return get(wanted, gone);
      throw error;
    }
  }

  return { get };
}
