/**
 * A copy of a file that is read more than once: what was looked at first is what is worked on afterwards, whatever
 * becomes of the file meanwhile.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type Copy = {
  /** Hexadecimal SHA-256 of the content. */
  readonly hash: string;
  /** The content from the beginning, each time it is called. */
  readonly open: () => AsyncIterable<Uint8Array>;
};

/** Copies what comes, works on it, and removes the copy, whatever comes of it. Fails where there is too much. */
export async function withCopy<T>(
  content: Readable,
  limit: { readonly bytes: number; readonly error: () => Error },
  work: (copy: Copy) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-upload-'));
  try {
    const path = join(folder, 'content');
    const hash = createHash('sha256');
    let size = 0;
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        hash.update(chunk);
        if (size > limit.bytes) done(limit.error());
        else done(null, chunk);
      },
    });
    await pipeline(content, counted, createWriteStream(path, { mode: 0o600 }));
    return await work({ hash: hash.digest('hex'), open: () => createReadStream(path) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
