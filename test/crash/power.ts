/** A loss of power: whatever was written and not synced is gone, all of it or as chance says. */
import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { compile } from './io-shim.ts';
import type { Random } from './random.ts';

type Written = {
  readonly number: number;
  readonly at: number;
  readonly sizeBefore: number;
  readonly bytes: Buffer;
};

/** The record header of `power-shim.c`: six numbers of 64 bits. */
const HEADER_BYTES = 48;
const SYNC = 2;

/** A shim for files under `watched`; its own files are in the directory, which must be another one. */
export function createPower(directory: string, watched: string) {
  const library = join(directory, 'power-shim.so');
  const journal = join(directory, 'journal');
  compile('power-shim.c', library);
  writeFileSync(journal, '');

  /** Unsynced writes by file, in the order of writing. */
  function unsynced(): Map<number, Written[]> {
    const files = new Map<number, Written[]>();
    const content = readFileSync(journal);
    for (let from = 0; from + HEADER_BYTES <= content.length; ) {
      const words = [0, 8, 16, 24, 32, 40].map((place) => Number(content.readBigUInt64LE(from + place)));
      const [kind, file = 0, number = 0, at = 0, sizeBefore = 0, length = 0] = words;
      from += HEADER_BYTES;
      // The process ended before it was whole, and so before anything was written.
      if (from + length > content.length) break;
      const bytes = content.subarray(from, from + length);
      from += length;
      const before = files.get(file) ?? [];
      if (kind === SYNC)
        files.set(
          file,
          before.filter((each) => each.number > number),
        );
      else files.set(file, [...before, { number, at, sizeBefore, bytes }]);
    }
    return files;
  }

  return {
    settings: { LD_PRELOAD: library, POWER_SHIM_PATH: watched, POWER_SHIM_JOURNAL: journal },

    /** Loses each unsynced write with this chance, once the process is gone; returns the number lost. */
    lose(random: Random, chance: number): number {
      let lost = 0;
      const writes = unsynced();
      for (const name of readdirSync(watched)) {
        const path = join(watched, name);
        // The first process to open the database makes this file anew from the log.
        if (name.endsWith('-shm')) {
          rmSync(path);
          continue;
        }
        const file = openSync(path, 'r+');
        for (const { at, sizeBefore, bytes } of (writes.get(statSync(path).ino) ?? []).reverse()) {
          if (random.next() >= chance) continue;
          lost++;
          writeSync(file, bytes, 0, bytes.length, at);
          ftruncateSync(file, sizeBefore);
        }
        closeSync(file);
      }
      writeFileSync(journal, '');
      return lost;
    },
  };
}
