/**
 * Progress of a long command, on standard error: on a terminal at once and in one line that changes, elsewhere a line
 * from time to time, and none at all of a command that is quick.
 */
const QUIET_MS = 1_000;
const LINE_EVERY_MS = 5_000;
const TERMINAL_EVERY_MS = 100;

export type Progress = ReturnType<typeof startProgress>;

export function startProgress(stream: NodeJS.WriteStream = process.stderr) {
  let next = performance.now() + (stream.isTTY ? 0 : QUIET_MS);
  let shown = false;

  return {
    show(text: string): void {
      const now = performance.now();
      if (now < next) return;
      next = now + (stream.isTTY ? TERMINAL_EVERY_MS : LINE_EVERY_MS);
      stream.write(stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
      shown = true;
    },

    /** To be called before anything else is written, and at the end. */
    clear(): void {
      if (shown && stream.isTTY) stream.write('\r\x1b[K');
      shown = false;
    },
  };
}

/** Text such as `checking that every session can be read … 40 %`. */
export function percent(what: string, done?: number, total?: number): string {
  return done === undefined || !total ? `${what} …` : `${what} … ${Math.floor((100 * done) / total)} %`;
}
