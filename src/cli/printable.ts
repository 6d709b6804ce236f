/** The first line of a text from elsewhere, short enough for a terminal and without what would steer one. */
const LONGEST = 200;

export function printable(text: string): string {
  const line =
    text
      .split(/[\r\n\u2028\u2029]+/, 20)
      .map((each) => each.replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim())
      .find((each) => each !== '') ?? '';
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
