/**
 * Cache of bytes, in blocks that are filled one after the other and used again in turns. The collector knows the blocks
 * alone: bytes with memory of their own would be old objects to it, and where they come and go it would have to look at all
 * that lives again and again.
 */

/** Bytes that are kept, from `start` to `end` of a block that will have others one day, and what is known of them. */
export type Kept<About> = {
  about: About;
  readonly block: Buffer;
  readonly start: number;
  readonly end: number;
};

type Block = { readonly bytes: Buffer; filled: number; keys: string[] };
type Entry<About> = Kept<About> & { readonly place: number };

/** Keeps `blocks` × `blockBytes` at most. Memory for a block is taken when it is first needed. */
export function createKeptBytes<About>(blocks: number, blockBytes: number) {
  const ring: Block[] = [];
  const entries = new Map<string, Entry<About>>();
  /** The block that is being filled. */
  let current = 0;

  function blockFor(length: number): Block {
    const block = ring[current];
    if (block !== undefined && block.filled + length <= blockBytes) return block;
    if (block !== undefined) current = (current + 1) % blocks;
    const next = ring[current];
    if (next === undefined) {
      const begun = { bytes: Buffer.allocUnsafeSlow(blockBytes), filled: 0, keys: [] };
      ring[current] = begun;
      return begun;
    }
    for (const key of next.keys) if (entries.get(key)?.place === current) entries.delete(key);
    next.filled = 0;
    next.keys = [];
    return next;
  }

  function keep(key: string, about: About, length: number, write: (block: Buffer, start: number) => void) {
    const block = blockFor(length);
    const start = block.filled;
    write(block.bytes, start);
    block.filled += length;
    block.keys.push(key);
    const entry = { about, block: block.bytes, start, end: start + length, place: current };
    entries.set(key, entry);
    return entry;
  }

  /** True for a block that is among the next half of those that will be filled. */
  const isOld = (place: number): boolean => {
    const turnsUntil = (place - current + blocks) % blocks;
    return turnsUntil > 0 && turnsUntil <= blocks / 2;
  };

  return {
    /** Bytes under the key, to be read before anything else is set. What is used in a block that is old moves to a new one. */
    get(key: string): Kept<About> | undefined {
      const entry = entries.get(key);
      if (entry === undefined || !isOld(entry.place)) return entry;
      const { about, block, start, end } = entry;
      return keep(key, about, end - start, (target, at) => block.copy(target, at, start, end));
    },

    /** Text that is longer than a block in UTF-8 is not kept, and the earlier one under its key is forgotten. */
    set(key: string, text: string, about: About): void {
      const length = Buffer.byteLength(text);
      if (length > blockBytes) entries.delete(key);
      else keep(key, about, length, (target, at) => target.write(text, at));
    },
  };
}
