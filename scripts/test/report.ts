/** The output of `npm test`: each file when it is over, failures, the slowest files, and the counts. */
import type { run } from 'node:test';
import { spec } from 'node:test/reporters';

/** An event of the runner. */
// biome-ignore lint/suspicious/noExplicitAny: its data depend on its type, in ways that only the reporter of Node knows.
type Event = { readonly type: string; readonly data: any };

const SLOWEST = 10;

/** Prints what happens until all is over. Returns whether each of `files` has run and nothing failed. */
export async function report(stream: ReturnType<typeof run>, files: readonly string[]): Promise<boolean> {
  const durations = new Map<string, number>();
  let success = true;

  function* shown({ type, data }: Event): Generator<Event> {
    if (type === 'test:complete') {
      const { passed, duration_ms: durationMs, error } = data.details;
      if (data.nesting === 0 && files.includes(data.name)) {
        durations.set(data.name, durationMs);
        console.log(`${passed ? '✔' : '✖'} ${data.name} (${inSeconds(durationMs)})`);
      } else if (data.nesting === 0 && data.name !== data.file) {
        // All but the lanes themselves, which have the names of their files.
        console.log(`✖ ${data.name}: declared when its file was loaded already`);
        success = false;
      }
      // The events of failures wait until the processes before have ended; this one does not.
      if (!passed && error?.failureType !== 'subtestsFailed') yield { type: 'test:fail', data };
    }
    if (type === 'test:summary' && !data.success) success = false;
    if (/^test:(stdout|stderr|diagnostic)$/.test(type)) yield { type, data };
  }

  async function* printed(events: AsyncIterable<Event>): AsyncGenerator<Event> {
    const counts: Event[] = [];
    for await (const event of events)
      for (const each of shown(event)) {
        // The counts come last, after the slowest files.
        if (each.type === 'test:diagnostic') counts.push(each);
        else yield each;
      }
    console.log(`\nThe slowest of ${durations.size} test files:`);
    const slowest = [...durations].sort(([, one], [, other]) => other - one).slice(0, SLOWEST);
    for (const [file, durationMs] of slowest) console.log(`${inSeconds(durationMs).padStart(9)}  ${file}`);
    console.log();
    yield* counts;
  }

  for await (const text of stream.compose(printed).compose(new spec())) process.stdout.write(text);
  // Files are left if all processes die or the run is interrupted.
  const left = files.filter((file) => !durations.has(file));
  if (left.length > 0)
    console.log(
      `✖ ${left.length} files did not come to their end, among them ${left.slice(0, SLOWEST).join(', ')}`,
    );
  return success && left.length === 0;
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
