/** Texts as UTF-8, one behind the other in memory of their own, which a thread hands over without a copy. */
export type Packed = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each text ends. */
  readonly ends: readonly number[];
};

/** The texts with `separator` between them, which is ASCII. */
export function pack(texts: readonly string[], separator = ''): Packed {
  const between = separator.length;
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const size = lengths.reduce((sum, length) => sum + between + length, 0) - (texts.length > 0 ? between : 0);
  // Not of the pool that small buffers share: the memory leaves this thread.
  const bytes = Buffer.from(new ArrayBuffer(size));
  let place = 0;
  const ends = texts.map((text, index) => {
    if (index > 0) place += bytes.write(separator, place, 'latin1');
    place += bytes.write(text, place);
    return place;
  });
  return { bytes, ends };
}

/** The texts that were packed without a separator, each a view. */
export function unpack({ bytes, ends }: Packed): Uint8Array[] {
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}
