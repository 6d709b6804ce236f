/**
 * Keys that were seen lately, by and large. What is wanted once is not worth keeping: to put a session among those in memory,
 * and to collect it later, takes half as long as to read it. So it is kept when it is asked for again.
 */

/** Places, a power of two; a key that comes to the place of another takes it. */
const PLACES = 2 ** 16;

/** The function notes a key, and tells whether it was seen lately: wrongly once in 65,536 times, which keeps one too many. */
export function createSeenLately(): (key: string) => boolean {
  const hashes = new Int32Array(PLACES);
  return (key) => {
    const hash = hashOf(key);
    const place = hash & (PLACES - 1);
    if (hashes[place] === hash) return true;
    hashes[place] = hash;
    return false;
  };
}

/** 32-bit hash FNV-1a of the code units; never 0, which is an empty place. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < key.length; place++) hash = Math.imul(hash ^ key.charCodeAt(place), 0x01000193);
  return hash || 1;
}
