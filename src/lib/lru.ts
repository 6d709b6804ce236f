/** A cache that keeps what was used last, up to a size in all: a list in the order of use, and a map that leads there. */

export type Lru<Key, Value> = {
  /** Counts as a use. */
  get(key: Key): Value | undefined;
  /** A value larger than `most` is not kept, and the earlier one under its key is removed. */
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
};

type Entry<Key, Value> = {
  readonly key: Key;
  value: Value;
  size: number;
  newer: Entry<Key, Value> | null;
  older: Entry<Key, Value> | null;
};

/** `most` is a number of entries, or what their sizes may come to. */
export function createLru<Key, Value>({
  most,
  sizeOf = () => 1,
}: {
  readonly most: number;
  readonly sizeOf?: (value: Value) => number;
}): Lru<Key, Value> {
  const entries = new Map<Key, Entry<Key, Value>>();
  let newest: Entry<Key, Value> | null = null;
  let oldest: Entry<Key, Value> | null = null;
  let total = 0;

  function unlink(entry: Entry<Key, Value>): void {
    if (entry.newer === null) newest = entry.older;
    else entry.newer.older = entry.older;
    if (entry.older === null) oldest = entry.newer;
    else entry.older.newer = entry.newer;
  }

  function putFirst(entry: Entry<Key, Value>): void {
    entry.newer = null;
    entry.older = newest;
    if (newest === null) oldest = entry;
    else newest.newer = entry;
    newest = entry;
  }

  function use(entry: Entry<Key, Value>): void {
    if (entry === newest) return;
    unlink(entry);
    putFirst(entry);
  }

  function remove(entry: Entry<Key, Value>): void {
    unlink(entry);
    entries.delete(entry.key);
    // What is removed must keep nothing alive, should it stay itself until the slow collector comes.
    entry.newer = null;
    entry.older = null;
    total -= entry.size;
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry !== undefined) use(entry);
      return entry?.value;
    },

    set(key, value) {
      const size = sizeOf(value);
      const known = entries.get(key);
      if (size > most) {
        if (known !== undefined) remove(known);
        return;
      }
      if (known !== undefined) {
        total += size - known.size;
        known.value = value;
        known.size = size;
        use(known);
      } else {
        const entry = { key, value, size, newer: null, older: null };
        entries.set(key, entry);
        putFirst(entry);
        total += size;
      }
      while (total > most && oldest !== null) remove(oldest);
    },

    delete(key) {
      const known = entries.get(key);
      if (known !== undefined) remove(known);
    },

    clear() {
      entries.clear();
      newest = null;
      oldest = null;
      total = 0;
    },
  };
}
