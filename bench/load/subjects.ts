/** Ids and tokens that requests are about, in files without anything between them: all of a kind have the same length. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { Subjects } from './job.ts';

export function readSubjects({ path, width, from, count }: Subjects): Buffer {
  const bytes = Buffer.allocUnsafe(count * width);
  const file = openSync(path, 'r');
  try {
    for (let done = 0; done < bytes.length; ) {
      const more = readSync(file, bytes, done, bytes.length - done, from * width + done);
      if (more === 0) throw new Error(`${path} has no ${from + count} of ${width} bytes`);
      done += more;
    }
  } finally {
    closeSync(file);
  }
  return bytes;
}

export const subjectAt = (subjects: Subjects, place: number): string =>
  readSubjects({ ...subjects, from: subjects.from + place, count: 1 }).toString('latin1');

/** The last of them. */
export const newest = (subjects: Subjects, count: number): Subjects => ({
  ...subjects,
  from: subjects.from + subjects.count - count,
  count,
});

/** Writes such a file, piece by piece. */
export function writeSubjects(path: string) {
  const file = openSync(path, 'w');
  const pending: string[] = [];
  let count = 0;
  let width = 0;
  const flush = () => {
    writeSync(file, pending.join(''), null, 'latin1');
    pending.length = 0;
  };
  return {
    add(subject: string): void {
      if (count++ === 0) width = subject.length;
      if (subject.length !== width) throw new Error(`${subject} is not ${width} characters long`);
      if (pending.push(subject) === 10_000) flush();
    },
    end(): Subjects {
      flush();
      closeSync(file);
      return { path, width, from: 0, count };
    },
  };
}
