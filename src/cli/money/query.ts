/** Questions about a time, and mistakes in them in the words of the command line. */
import { withMistakes } from '../client.ts';
import { UsageError } from '../failure.ts';

const START = 'created_at[gte]';
const END = 'created_at[lt]';

/** The query for a time, inclusive at the start and exclusive at the end. */
export function timesOf(
  fromMs: number | undefined,
  toMs: number | undefined,
): Readonly<Record<string, string>> {
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    ...(fromMs === undefined ? {} : { [START]: iso(fromMs) }),
    ...(toMs === undefined ? {} : { [END]: iso(toMs) }),
  };
}

const options: Readonly<Record<string, string>> = {
  [START]: '--from',
  [END]: '--to',
  time_zone: '--time-zone',
};

const optionOf = (name: string): string => options[name] ?? `--${name}`;

/** Has mistakes of a question told by the options that it was made of. */
export const answered = <T>(asked: Promise<T>): Promise<T> =>
  withMistakes(
    asked,
    (problems) =>
      new UsageError(
        ...problems.map(
          ({ pointer, detail }) => `${optionOf(pointer.slice(1))} ${detail.replace(START, '--from')}`,
        ),
      ),
  );
