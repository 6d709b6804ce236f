/** Logos: which bytes are one, and what is said of those that are none. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  isWhole,
  type Logo,
  logoBytes,
  logoFacts,
  MAX_LOGO_BYTES,
  readLogo,
} from '../../src/accounts/logo.ts';
import {
  chunk,
  exif,
  frameAt,
  header,
  jpeg,
  png,
  pngSignature,
  scanAt,
  segment,
  withSegments,
} from '../support/image.ts';

function logo(bytes: Buffer, declared?: string): Logo {
  const read = readLogo(bytes, declared);
  assert.ok(!('problems' in read), JSON.stringify(read));
  return read;
}

function refusal(bytes: Buffer, declared?: string): string {
  const read = readLogo(bytes, declared);
  assert.ok('problems' in read, 'it is a logo');
  assert.ok(read.problems.every(({ pointer }) => pointer === ''));
  return read.problems.map(({ detail }) => detail).join('; ');
}

const CUT = 'ends too early: it was cut off';
const TRAILING = 'goes on behind the end of its image';
const DAMAGED = 'is damaged';
const NO_PIXELS = 'is damaged: it has no pixels';
const UNSHOWN = 'is a JPEG of a kind that browsers do not show';
const NEITHER = 'must be a PNG or JPEG image, and begins as neither';

const pixels = chunk('IDAT', Buffer.alloc(9));
const end = chunk('IEND');
const pngOf = (...chunks: readonly Buffer[]) => Buffer.concat([pngSignature, ...chunks]);

/** The JPEG with other bytes at a place. */
function jpegWith(at: number, ...bytes: readonly number[]): Buffer {
  const changed = jpeg();
  changed.set(bytes, at);
  return changed;
}

/** The JPEG with further bytes at a place. */
const jpegWithMore = (at: number, ...bytes: readonly number[]): Buffer =>
  Buffer.concat([jpeg().subarray(0, at), Buffer.from(bytes), jpeg().subarray(at)]);

suite('a logo', () => {
  test('is a PNG or a JPEG, whose name says its size and its type', () => {
    const first = logo(png({ width: 320, height: 96 }), 'image/png');
    assert.match(first.name, /^[0-9a-f]{16}-320x96\.png$/);
    assert.deepEqual(logoFacts(first.name), { type: 'image/png', width: 320, height: 96 });
    assert.deepEqual(logoBytes(first), png({ width: 320, height: 96 }));
    const second = logo(jpeg({ width: 640, height: 480 }), 'image/jpeg');
    assert.deepEqual(logoFacts(second.name), { type: 'image/jpeg', width: 640, height: 480 });
    assert.deepEqual(logoBytes(second), jpeg({ width: 640, height: 480 }));
  });

  test('has another name where it has other bytes, and the same where it has the same', () => {
    const { name } = logo(png({ color: '#112233' }));
    assert.equal(logo(png({ color: '#112233' })).name, name);
    assert.notEqual(logo(png({ color: '#112234' })).name, name);
  });

  test('has the size in which it is shown, where it is to be turned', () => {
    const image = jpeg({ width: 640, height: 480 });
    const sizeOf = (...segments: readonly Buffer[]) => {
      const { width, height } = logoFacts(logo(withSegments(image, ...segments)).name);
      return `${width}x${height}`;
    };
    for (const order of ['II', 'MM'] as const) {
      for (const orientation of [1, 2, 3, 4]) assert.equal(sizeOf(exif(orientation, order)), '640x480');
      for (const orientation of [5, 6, 7, 8]) assert.equal(sizeOf(exif(orientation, order)), '480x640');
      for (const orientation of [0, 9, 65_535]) assert.equal(sizeOf(exif(orientation, order)), '640x480');
    }
    // Browsers take the first Exif data alone.
    assert.equal(sizeOf(exif(0), exif(6)), '640x480');
    assert.equal(sizeOf(exif(1), exif(6)), '640x480');
    assert.equal(sizeOf(segment(0xe1, 1), segment(0xfe, ...exif(1).subarray(4)), exif(6)), '480x640');
    const chunks = [
      header({ width: 3, height: 2 }),
      chunk('eXIf', exif(6).subarray(10)),
      pixels,
      end,
    ] as const;
    assert.match(logo(pngOf(...chunks)).name, /-2x3\.png$/);
    // Browsers do not wait for those behind the pixels.
    assert.match(logo(pngOf(chunks[0], pixels, chunks[1], end)).name, /-3x2\.png$/);
    // Exif data that are cut off, or of another form, say nothing.
    const whole = [...exif(6).subarray(4)];
    for (let length = 0; length < 28; length++)
      assert.equal(sizeOf(segment(0xe1, ...whole.slice(0, length))), '640x480', `${length}`);
    assert.equal(sizeOf(segment(0xe1, ...whole)), '480x640');
    for (const at of [0, 5, 6, 7, 9, 10, 13, 16, 17, 19, 23, 25]) {
      assert.equal(sizeOf(segment(0xe1, ...whole.with(at, 0xee))), '640x480', `${at}`);
    }
  });

  test('has up to 1000 × 1000 pixels and 64 KiB', () => {
    logo(png({ width: 1000, height: 1000 }));
    logo(jpeg({ width: 1000, height: 1000 }));
    const largest = png({ padding: MAX_LOGO_BYTES - png().length - 12 });
    assert.equal(largest.length, MAX_LOGO_BYTES);
    logo(largest);
    assert.equal(
      refusal(png({ padding: MAX_LOGO_BYTES - png().length - 11 })),
      'has 65537 bytes, but may have 65536',
    );
  });

  test('is whole as long as its name is that of its content', () => {
    const { name, content } = logo(png());
    assert.ok(isWhole({ name, content }));
    const other = logo(png({ color: '#ffffff' }));
    assert.ok(!isWhole({ name, content: other.content }));
    assert.ok(!isWhole({ name, content: `${content} ` }));
    assert.ok(!isWhole({ name, content: '' }));
    assert.ok(!isWhole({ name: name.replace('32x', '33x'), content }));
  });
});

suite('what is no logo', () => {
  test('says all that is wrong with it', () => {
    assert.equal(
      refusal(jpeg({ width: 1001, height: 0 }), 'image/png'),
      'is image/jpeg, but is declared as image/png; has no pixels; has 1001 × 0 pixels, but may have 1000 × 1000',
    );
    assert.equal(refusal(png(), 'image/jpeg'), 'is image/png, but is declared as image/jpeg');
    for (const size of [{ width: 0 }, { height: 0 }]) {
      assert.equal(refusal(pngOf(header(size), pixels, end)), 'has no pixels');
      assert.equal(refusal(jpeg(size)), 'has no pixels');
    }
    assert.match(refusal(png({ width: 1001, height: 1 })), /^has 1001 × 1 pixels/);
    assert.match(refusal(png({ width: 1, height: 1001 })), /^has 1 × 1001 pixels/);
    assert.match(refusal(pngOf(header({ width: 2 ** 32 - 1 }), pixels, end)), /^has 4294967295 × 32 pixels/);
    assert.match(refusal(jpeg({ width: 65_535 })), /^has 65535 × 1 pixels/);
  });

  test('is empty, or begins otherwise', () => {
    assert.equal(refusal(Buffer.alloc(0)), 'is empty');
    const others = [
      'GIF89a\x01\x00\x01\x00',
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'RIFF\x1a\0\0\0WEBP',
      '{}',
    ];
    for (const text of others) assert.equal(refusal(Buffer.from(text, 'latin1')), NEITHER);
    assert.equal(refusal(Buffer.from([0xff])), NEITHER);
    assert.equal(refusal(png().subarray(1)), NEITHER);
  });

  test('was cut off, wherever that was', () => {
    for (const whole of [png(), jpeg()]) {
      for (let length = 8; length < whole.length; length++)
        assert.equal(refusal(whole.subarray(0, length)), CUT);
    }
  });

  test('goes on behind its end', () => {
    for (const whole of [png(), jpeg()]) {
      assert.equal(refusal(Buffer.concat([whole, Buffer.alloc(1)])), TRAILING);
      assert.equal(refusal(Buffer.concat([whole, Buffer.from('<script>alert(1)</script>')])), TRAILING);
      assert.equal(refusal(Buffer.concat([whole, whole])), TRAILING);
    }
  });

  test('is a PNG that moves, has no header or no pixels, or is not as it was made', () => {
    assert.equal(
      refusal(pngOf(header({}), chunk('acTL', Buffer.alloc(8)), pixels, end)),
      'must not be animated',
    );
    assert.equal(refusal(pngOf(pixels, header({}), end)), 'is a PNG without a header');
    assert.equal(refusal(pngOf(chunk('IHDR', Buffer.alloc(12)), pixels, end)), 'is a PNG without a header');
    assert.equal(refusal(pngOf(header({}), end)), NO_PIXELS);
    assert.equal(refusal(pngOf(end)), 'is a PNG without a header');
    const changed = png();
    changed.writeUInt8(changed.readUInt8(20) ^ 1, 20);
    assert.equal(refusal(changed), DAMAGED);
  });

  test('is a JPEG without a header, without pixels, or of a kind that no browser shows', () => {
    const bare = (...bytes: readonly number[]) => Buffer.from([0xff, 0xd8, ...bytes]);
    assert.equal(refusal(bare(0xff, 0xd9)), NO_PIXELS);
    assert.equal(refusal(bare(0xff, 0xda, 0, 2, 1, 2, 0xff, 0xd9)), DAMAGED);
    const frame = jpeg().subarray(0, scanAt);
    assert.equal(refusal(Buffer.concat([frame, Buffer.from([0xff, 0xd9])])), NO_PIXELS);
    for (const marker of [0xc3, 0xc5, 0xc9, 0xcf]) {
      assert.equal(refusal(jpegWith(frameAt, 0xff, marker)), UNSHOWN);
    }
    for (const marker of [0xc0, 0xc1]) logo(jpegWith(frameAt, 0xff, marker));
    assert.equal(refusal(jpegWith(frameAt, 0xfe)), DAMAGED);
    const frameOf = (...rest: readonly number[]) => segment(0xc0, 8, 0, 1, 0, 1, ...rest);
    const framed = (frame: Buffer) => withSegments(jpeg(), frame);
    assert.equal(refusal(framed(frameOf(1, 1, 0x11, 0))), 'is damaged: it has two frames');
    // Twelve bits, and two components.
    assert.equal(refusal(jpegWith(frameAt + 4, 12)), UNSHOWN);
    const two = Buffer.concat([
      jpeg().subarray(0, 2),
      frameOf(2, 1, 0x11, 0, 2, 0x11, 0),
      jpeg().subarray(scanAt),
    ]);
    assert.equal(refusal(two), UNSHOWN);
    assert.equal(refusal(jpegWith(frameAt + 9, 3)), DAMAGED);
    // Markers of which decoders know nothing.
    for (const marker of [0x00, 0x01, 0x02, 0xbf, 0xc8, 0xd0, 0xd7, 0xd8, 0xde, 0xdf, 0xf0, 0xfd]) {
      assert.equal(refusal(withSegments(jpeg(), segment(marker, 1))), DAMAGED, `${marker}`);
    }
    for (const marker of [0xcc, 0xc4, 0xdb, 0xdc, 0xdd, 0xe0, 0xef, 0xfe])
      logo(withSegments(jpeg(), segment(marker, 1)));
    // Segments that are too short, of a frame and of something else.
    assert.equal(refusal(jpegWith(frameAt + 2, 0, 6)), DAMAGED);
    assert.equal(refusal(jpegWith(4, 0, 1)), DAMAGED);
  });

  test('does not follow from fill bytes, restarts and stuffing within a JPEG', () => {
    logo(jpegWithMore(frameAt, 0xff, 0xff));
    const inScan = jpeg().length - 2;
    logo(jpegWithMore(inScan, 0xff, 0x00, 0xff, 0xd0, 0xff, 0xd7, 0xff));
    // Another scan, as progressive ones have.
    logo(jpegWithMore(inScan, 0xff, 0xda, 0, 2, 7));
    assert.equal(refusal(jpegWithMore(inScan, 0xff, 0xd9)), TRAILING);
  });

  test('is read to an answer, whatever it is', () => {
    const starts = [pngSignature, jpeg().subarray(0, 2), jpeg().subarray(0, scanAt), png().subarray(0, 40)];
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 200 }), (start, rest) => {
        assert.ok(refusal(Buffer.concat([start, rest])) !== '');
      }),
      { numRuns: 2_000 },
    );
    // A byte that changes makes it another logo, or none.
    for (const whole of [png(), jpeg()]) {
      const { name } = logo(whole);
      for (let at = 0; at < whole.length; at++) {
        const changed = Buffer.from(whole);
        changed.writeUInt8(changed.readUInt8(at) ^ 0xff, at);
        const read = readLogo(changed);
        assert.ok('problems' in read || read.name !== name);
      }
    }
  });
});
