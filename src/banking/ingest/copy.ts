/**
 * A copy of a file that is read more than once: what was looked at first is what is worked on afterwards, whatever
 * becomes of the file meanwhile.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
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

/** What folders of copies are named by; the rest of the name is random. */
const PREFIX = 'opentill-upload-';
/** No copy that is worked on is as old, and leftovers are looked for as often. */
const LEFT_AFTER_MS = 3_600_000;

const inUse = new Set<string>();
let lookedAt = Number.NEGATIVE_INFINITY;

/** Copies what comes, works on it, and removes the copy, whatever comes of it. Fails where there is too much. */
export async function withCopy<T>(
  content: Readable,
  limit: { readonly bytes: number; readonly error: () => Error },
  work: (copy: Copy) => Promise<T>,
): Promise<T> {
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  inUse.add(folder);
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
    inUse.delete(folder);
  }
}

/** Removes what processes that were killed have left. What cannot be removed is in nobody's way but the operator's. */
async function removeLeftovers(): Promise<void> {
  const now = Date.now();
  if (now - lookedAt < LEFT_AFTER_MS) return;
  lookedAt = now;
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) {
    const folder = join(tmpdir(), name);
    if (!name.startsWith(PREFIX) || inUse.has(folder)) continue;
    if (await isLeft(folder, now).catch(() => false))
      await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** A folder of this user that neither it nor the copy in it was written to for long: others may be in the same place. */
async function isLeft(folder: string, now: number): Promise<boolean> {
  const own = await lstat(folder);
  if (!own.isDirectory() || own.uid !== (process.getuid?.() ?? own.uid)) return false;
  const content = await lstat(join(folder, 'content')).catch(() => own);
  return now - Math.max(own.mtimeMs, content.mtimeMs) > LEFT_AFTER_MS;
}
