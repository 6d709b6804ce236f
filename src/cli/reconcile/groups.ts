/**
 * Lines in groups, printed while more of them come. So that memory stays bounded, a group that has grown too long is
 * printed early, and goes on under the same heading further down.
 */
const MOST_LINES = 10_000;

export function createGroups(print: (line: string) => void) {
  const groups = new Map<string, string[]>();
  let lines = 0;

  function flush(heading: string, group: readonly string[]): void {
    print(heading);
    for (const line of group) print(`  ${line}`);
    groups.delete(heading);
    lines -= group.length;
  }

  return {
    add(heading: string, line: string): void {
      const group = groups.get(heading) ?? [];
      groups.set(heading, group);
      group.push(line);
      lines++;
      if (lines < MOST_LINES) return;
      const [longest] = [...groups].sort(([, a], [, b]) => b.length - a.length);
      if (longest) flush(...longest);
    },

    end(): void {
      for (const [heading, group] of [...groups]) flush(heading, group);
    },
  };
}
