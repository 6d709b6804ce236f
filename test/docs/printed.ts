/** Compares what a page shows with what a command has printed: the same, but for ids, times, secrets and ports. */

/** Text that differs each time, by its form. */
const volatile: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b([a-z]{3})_[0-9a-z]{24,}/g, '$1_ID'],
  [/\breq_[\w-]+/g, 'req_ID'],
  [/\/(transaction|receipt)\/[0-9a-z]+/g, '/$1/TOKEN'],
  [/whsec_[\w+/=]{20,}/g, 'SECRET'],
  [/\b(ak|sk)_(test|live)_[0-9a-z]+/g, '$1_$2_ID'],
  [/\bRF\d{2}[0-9A-Z]{8,21}/g, 'REFERENCE'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\b20\d\d-\d\d-\d\d\b/g, 'DATE'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, '$1:PORT'],
  [/\b\d+ attempts?\b/g, 'N attempts'],
  [/\b\d+ ms\b/g, 'N ms'],
  [/\b\d+\.\d s\b/g, 'N s'],
];

export function settled(text: string): string {
  return volatile.reduce((result, [what, name]) => result.replaceAll(what, name), text);
}

/** True if the shown lines were printed, in this order and one after the other; `…` stands for anything. */
export function showsLines(shown: string, printed: string): boolean {
  const patterns = linesOf(shown).map(
    (line) => new RegExp(`^${line.split('…').map(RegExp.escape).join('.*')}$`),
  );
  const lines = linesOf(printed);
  return lines.some((_, start) =>
    patterns.every((pattern, index) => pattern.test(lines[start + index] ?? '')),
  );
}

function linesOf(text: string): string[] {
  return settled(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

/** True if the shown JSON is a printed answer, or a part of one. */
export function showsAnswer(shown: string, printed: string): boolean {
  const expected = stable(JSON.parse(shown));
  return answersIn(printed).some((answer) => parts(answer).some((part) => stable(part) === expected));
}

/** The answers of the API in what was printed: each is a line of its own. */
export function answersIn(printed: string): unknown[] {
  return printed.split('\n').flatMap((line) => {
    try {
      return /^[[{]/.test(line) ? [JSON.parse(line)] : [];
    } catch {
      return [];
    }
  });
}

function parts(value: unknown): unknown[] {
  if (value === null || typeof value !== 'object') return [];
  return [value, ...Object.values(value).flatMap(parts)];
}

/** The same text for the same shape; numbers that measure something are different each time. */
function stable(value: unknown): string {
  return settled(JSON.stringify(value, (name, each) => (name === 'duration_ms' ? 0 : each)));
}
