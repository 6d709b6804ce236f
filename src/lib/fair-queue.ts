/**
 * A bounded queue of several owners, of whom each gets its part of what is taken and none fills the room of the others: of
 * what does not fit, whoever has the most gives way.
 */
export type FairQueue<T> = {
  /** Adds an item; false if it, or another one in its place, is dropped. */
  add(owner: string, item: T): boolean;
  /** Takes so many at most, one of each owner in turn. */
  take(most: number): T[];
  size(): number;
};

export function createFairQueue<T>({
  ofOne,
  inAll,
}: {
  readonly ofOne: number;
  readonly inAll: number;
}): FairQueue<T> {
  const queues = new Map<string, T[]>();
  let size = 0;

  function longest(): T[] {
    let found: T[] = [];
    for (const queue of queues.values()) if (queue.length > found.length) found = queue;
    return found;
  }

  function push(owner: string, item: T): void {
    const queue = queues.get(owner);
    if (queue === undefined) queues.set(owner, [item]);
    else queue.push(item);
    size++;
  }

  return {
    add(owner, item) {
      const own = queues.get(owner)?.length ?? 0;
      if (own >= ofOne) return false;
      if (size < inAll) {
        push(owner, item);
        return true;
      }
      // Nobody has less than the mean but somebody has more.
      if (own * queues.size >= size) return false;
      const most = longest();
      if (most.length <= own + 1) return false;
      most.pop();
      size--;
      push(owner, item);
      return false;
    },

    take(most) {
      const taken: T[] = [];
      while (taken.length < most && size > 0) {
        for (const [owner, queue] of [...queues]) {
          if (taken.length >= most) break;
          const [first] = queue.splice(0, 1);
          queues.delete(owner);
          // Behind the others, so that the next round begins with those who had no turn.
          if (queue.length > 0) queues.set(owner, queue);
          if (first === undefined) continue;
          taken.push(first);
          size--;
        }
      }
      return taken;
    },

    size: () => size,
  };
}
