/** Service and yardstick in turn, in slices so short that whatever else the machine does meets both alike. */
import type { Figures } from '../test/support/evidence.ts';
import type { Generator, Load, Request } from './load/job.ts';
import { cpuUsOf } from './process-figures.ts';
import { median, rounded, sum } from './statistics.ts';

/** Enough to keep both busy: what shares a commit is what arrives while the one before is written. */
export const CONNECTIONS = 200;
const WARM_UP_SECONDS = 2;
const SLICE_SECONDS = 1.5;
/** Of each side. */
const SLICES = 5;

/** A side: where requests go, and the processes that work on them. */
export type Side = {
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  readonly request: Request;
};

/** What a slice has shown. */
export type Slice = Load & { readonly serverCpuUs: number };

export async function sliceOf(
  generator: Generator,
  { urls, pids, request }: Side,
  seconds: number,
): Promise<Slice> {
  const before = sum(pids.map(cpuUsOf));
  const load = await generator.run({ urls, requests: [request], connections: CONNECTIONS, seconds });
  return { ...load, serverCpuUs: sum(pids.map(cpuUsOf)) - before };
}

/** Measures both; the ratio is that of the medians, processor time that of all slices. */
export async function pair(generator: Generator, service: Side, yardstick: Side): Promise<Figures> {
  const slices: { service: Slice[]; yardstick: Slice[] } = { service: [], yardstick: [] };
  for (const side of [yardstick, service]) await sliceOf(generator, side, WARM_UP_SECONDS);
  for (let slice = 0; slice < SLICES; slice++) {
    const order = slice % 2 === 0 ? (['yardstick', 'service'] as const) : (['service', 'yardstick'] as const);
    for (const each of order) {
      slices[each].push(await sliceOf(generator, each === 'service' ? service : yardstick, SLICE_SECONDS));
    }
  }
  const ours = sideFigures('service', slices.service);
  const theirs = sideFigures('yardstick', slices.yardstick);
  const rate = (all: readonly Slice[]) => median(all.map(({ perSecond }) => perSecond));
  return {
    ratio: rounded(rate(slices.service) / rate(slices.yardstick)),
    cpu_ratio: rounded((theirs.yardstick_cpu_us ?? Number.NaN) / (ours.service_cpu_us ?? Number.NaN)),
    ...ours,
    ...theirs,
  };
}

/** Figures of one side: requests a second, processor time of each, and how busy both ends were. */
export function sideFigures(name: string, slices: readonly Slice[]): Figures {
  const seconds = sum(slices.map((slice) => slice.seconds));
  const answered = sum(slices.map((slice) => slice.answered));
  const server = sum(slices.map((slice) => slice.serverCpuUs));
  const generator = sum(slices.map((slice) => slice.cpuUs));
  return {
    [`${name}_per_second`]: rounded(median(slices.map(({ perSecond }) => perSecond))),
    [`${name}_cpu_us`]: rounded(server / answered),
    [`${name}_generator_cpu_us`]: rounded(generator / answered),
    [`${name}_share_of_a_core`]: rounded(server / 1e6 / seconds, 2),
    [`${name}_generator_share_of_a_core`]: rounded(generator / 1e6 / seconds, 2),
    [`${name}_answer_bytes`]: slices.at(-1)?.answerBytes ?? 0,
  };
}
