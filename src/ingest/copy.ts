/**
 * Temporary copy of an upload, so that it can be read more than once with the same result, even if the original
 * changes.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export type Copy = {
  /** Hexadecimal SHA-256 of the content. */
  readonly hash: string;
  readonly path: string;
  readonly bytes: number;
};

/** Prefix of the folders that hold copies; the rest of the name is random. */
const PREFIX = 'opentill-upload-';
/** Age from which a copy counts as a leftover, and the interval of the search for leftovers. */
const LEFT_AFTER_MS = 3_600_000;

/** The copy could not be made or read: the temporary folder is full or gone. Later it may go well. */
export class CopyFailed extends Error {
  override name = 'CopyFailed';
}

function failCopy(cause: Error): never {
  throw new CopyFailed(`uploads cannot be kept in ${tmpdir()}: ${cause.message}`, { cause });
}

const inUse = new Set<string>();
let lookedAt = Number.NEGATIVE_INFINITY;

/** Copies the content, runs the work on the copy, and always removes it. Throws if the content exceeds the limit. */
export async function withCopy<T>(
  content: Readable,
  limit: { readonly bytes: number; readonly error: () => Error },
  work: (copy: Copy) => Promise<T>,
): Promise<T> {
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), PREFIX)).catch(failCopy);
  inUse.add(folder);
  try {
    const path = join(folder, 'content');
    const hash = createHash('sha256');
    let size = 0;
    // Errors of the content itself pass unchanged: only those of the copy are CopyFailed.
    await using file = await open(path, 'wx', 0o600).catch(failCopy);
    for await (const chunk of content as AsyncIterable<Buffer>) {
      size += chunk.length;
      hash.update(chunk);
      if (size > limit.bytes) throw limit.error();
      await file.appendFile(chunk).catch(failCopy);
    }
    return await work({ hash: hash.digest('hex'), path, bytes: size });
  } finally {
    await rm(folder, { recursive: true, force: true });
    inUse.delete(folder);
  }
}

/** The content from its beginning. Throws CopyFailed if it cannot be read. */
export async function* readBack(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    failCopy(error as Error);
  }
}

/** Removes the copies of processes that were killed. Failures are ignored: leftovers harm nothing but disk space. */
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

/** True for a folder of this user that was not written to for long. The directory is shared with other users. */
async function isLeft(folder: string, now: number): Promise<boolean> {
  const own = await lstat(folder);
  if (!own.isDirectory() || own.uid !== (process.getuid?.() ?? own.uid)) return false;
  const content = await lstat(join(folder, 'content')).catch(() => own);
  return now - Math.max(own.mtimeMs, content.mtimeMs) > LEFT_AFTER_MS;
}
