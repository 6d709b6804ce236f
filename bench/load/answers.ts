/** Answers, as much of them as a load generator has to know: the status, and the end. */

export type Answers = {
  /** Takes what has come; answers which status is complete with it, or 0 while something is missing. */
  take(bytes: Buffer, length: number): number;
  /** Length of the last answer that is complete. */
  length(): number;
};

const HEAD_END = Buffer.from('\r\n\r\n');
/** The end of `content-length: `, in any case that servers write. */
const LENGTH = Buffer.from('ength: ');
const STATUS_AT = 'HTTP/1.1 '.length;

/** Reads the answers of one connection, of which one at a time is under way. */
export function readAnswers(): Answers {
  let status = 0;
  let missing = 0;
  let whole = 0;
  /** A head that came in pieces; it seldom does. */
  let pending: Buffer | null = null;

  return {
    take(bytes, length) {
      if (status !== 0) {
        missing -= length;
        return ended();
      }
      const given = bytes.subarray(0, length);
      const all: Buffer = pending === null ? given : Buffer.concat([pending, given]);
      const headEnd = all.indexOf(HEAD_END);
      if (headEnd === -1) {
        pending = Buffer.from(all);
        return 0;
      }
      pending = null;
      status = 100 * digit(all, 0) + 10 * digit(all, 1) + digit(all, 2);
      const lengthAt = all.indexOf(LENGTH);
      if (lengthAt === -1 || lengthAt > headEnd)
        throw new Error(`no content-length: ${all.toString('latin1')}`);
      whole = headEnd + HEAD_END.length + numberAt(all, lengthAt + LENGTH.length);
      missing = whole - all.length;
      return ended();
    },
    length: () => whole,
  };

  function ended(): number {
    if (missing > 0) return 0;
    if (missing < 0) throw new Error('more came than was asked for');
    const complete = status;
    status = 0;
    return complete;
  }
}

const digit = (bytes: Buffer, place: number): number => (bytes[STATUS_AT + place] ?? 48) - 48;

function numberAt(bytes: Buffer, at: number): number {
  let value = 0;
  for (let place = at; ; place++) {
    const code = bytes[place] ?? 0;
    if (code < 48 || code > 57) return value;
    value = 10 * value + code - 48;
  }
}
