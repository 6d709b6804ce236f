/** Faults of a disk on demand, by a library that is compiled here and comes before that of the system. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Faults in the order of `io-shim.c`. */
export const faults = ['nothing', 'full', 'error', 'short', 'slow', 'sync', 'read'] as const;
export type Fault = (typeof faults)[number];

export type Shim = ReturnType<typeof createShim>;

/** A shim for files under `watched`; its own files are in the directory, which must be another one. */
export function createShim(directory: string, watched: string) {
  const library = join(directory, 'io-shim.so');
  const control = join(directory, 'control');
  compile('io-shim.c', library);
  writeFileSync(control, Buffer.alloc(24));
  const file = openSync(control, 'r+');
  const words = new BigInt64Array(3);

  return {
    settings: { LD_PRELOAD: library, IO_SHIM_PATH: watched, IO_SHIM_CONTROL: control },

    /** Lets operations fail from this number on; 1 is the next one. */
    arm(fault: Fault, from: number): void {
      words.set([0n, BigInt(from - 1), 0n]);
      writeSync(file, words, 0, 24, 0);
      words[0] = BigInt(faults.indexOf(fault));
      writeSync(file, words, 0, 8, 0);
    },

    disarm(): void {
      writeSync(file, new BigInt64Array(1), 0, 8, 0);
    },

    /** The number of operations that have failed since the fault was armed. */
    fired(): number {
      const seen = new BigInt64Array(3);
      readSync(file, seen, 0, 24, 0);
      return Number(seen[2]);
    },

    close: () => closeSync(file),
  };
}

/** Makes a library of a source that lies here. */
export function compile(source: string, library: string): void {
  const options = ['-shared', '-fPIC', '-O1', '-o', library, join(import.meta.dirname, source)];
  try {
    execFileSync('cc', [...options, '-ldl', '-lpthread'], { stdio: 'pipe' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT'
        ? 'this needs a C compiler that can be started as cc'
        : 'the C compiler cc does not work';
    throw new Error(`${reason}: ${message}`, { cause: error });
  }
}
