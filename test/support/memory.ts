/** A place for test data in memory, so that no test waits for a disk: what was written survives any process anyway. */
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Room for the data of all tests, and for the logs of what they write. */
const NEEDED = 4 * 1024 ** 3;

/** A directory in memory where there is one with enough room, or else that of the system. */
export async function quickestDirectory(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= NEEDED ? MEMORY : tmpdir();
}
