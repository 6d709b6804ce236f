/** Bytes that are nearly those of a sample: as a broken line, a broken program or an attacker makes them. */
import fc from 'fast-check';

const RUNS = [
  'x',
  ' ',
  '\n',
  '\0',
  '"',
  '<',
  '>',
  '&',
  ',',
  ';',
  ':',
  '/',
  '-',
  '9',
  '\u0003',
  '\xff',
  '<a>',
  '&amp;',
  '(',
  '[',
  '{',
];

type Edit = (bytes: Buffer) => Buffer;

const place = fc.double({ min: 0, max: 1, noNaN: true });
const at = (bytes: Buffer, share: number): number => Math.floor(share * bytes.length);

function spliced(bytes: Buffer, from: number, to: number, more: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, from), more, bytes.subarray(to)]);
}

function edits(samples: readonly Buffer[], runLength: number): fc.Arbitrary<Edit> {
  const more = fc.oneof(
    fc.constantFrom(...RUNS).map((text) => Buffer.from(text, 'latin1')),
    fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(fc.constantFrom(...samples), place, fc.nat(200))
      .map(([sample, start, length]) => sample.subarray(at(sample, start)).subarray(0, length)),
  );
  const run = fc
    .tuple(fc.constantFrom(...RUNS), fc.nat(runLength))
    .map(([text, count]) => Buffer.from(text.repeat(Math.ceil(count / text.length)), 'latin1'));
  return fc.oneof(
    fc.tuple(place, fc.nat(255)).map(
      ([share, value]): Edit =>
        (bytes) => {
          const changed = Buffer.from(bytes);
          if (changed.length > 0) changed[at(changed, share * 0.999999)] = value;
          return changed;
        },
    ),
    fc.tuple(place, more).map(
      ([share, given]): Edit =>
        (bytes) =>
          spliced(bytes, at(bytes, share), at(bytes, share), given),
    ),
    fc.tuple(place, run).map(
      ([share, given]): Edit =>
        (bytes) =>
          spliced(bytes, at(bytes, share), at(bytes, share), given),
    ),
    fc.tuple(place, fc.nat(60)).map(
      ([share, length]): Edit =>
        (bytes) =>
          spliced(
            bytes,
            at(bytes, share),
            Math.min(bytes.length, at(bytes, share) + length),
            Buffer.alloc(0),
          ),
    ),
    place.map(
      (share): Edit =>
        (bytes) =>
          bytes.subarray(0, at(bytes, share)),
    ),
    // A part again and again.
    fc.tuple(place, fc.integer({ min: 1, max: 400 }), fc.nat(runLength)).map(
      ([share, length, count]): Edit =>
        (bytes) => {
          const part = bytes.subarray(at(bytes, share)).subarray(0, length);
          if (part.length === 0) return bytes;
          const times = Array.from({ length: Math.ceil(count / part.length) }, () => part);
          return spliced(bytes, at(bytes, share), at(bytes, share), Buffer.concat(times));
        },
    ),
  );
}

/** A sample after a few edits, some of which insert as many bytes. */
export function mutated(samples: readonly Buffer[], runLength: number): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom(...samples), fc.array(edits(samples, runLength), { minLength: 1, maxLength: 4 }))
    .map(([sample, all]) => all.reduce((bytes, edit) => edit(bytes), sample));
}
