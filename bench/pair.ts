/** Service and yardstick in turn, in slices so short that whatever else the machine does meets both alike. */
import type { Figures } from '../test/support/evidence.ts';
import type { Generator, Load, Request } from './load/job.ts';
import { cpuUsOf } from './process-figures.ts';
import { median, rounded, sum } from './statistics.ts';

/** Enough to keep both busy: what shares a commit is what arrives while the one before is written. */
export const CONNECTIONS = 200;
const WARM_UP_SECONDS = 2;
const SLICE_SECONDS = 1.5;
/** Slices of each side. */
const SLICES = 5;

/** Figures of a slice. */
export type Slice = Pick<Load, 'answered' | 'seconds' | 'perSecond'> & {
  /** Processor time of the processes that were measured. */
  readonly serverCpuUs: number;
  /** Processor time of the load generator, where there is one. */
  readonly cpuUs: number;
  readonly answerBytes: number;
};

/** Measures one side for so many seconds. */
export type Side = (seconds: number) => Promise<Slice>;

/** Requests to these servers, in a closed loop: changes that a slow one refuses count as work, and not as answers. */
export function requestsTo(
  generator: Generator,
  servers: readonly { readonly url: string; readonly pid: number }[],
  request: Request,
  { polls = false, connections = CONNECTIONS } = {},
): Side {
  const urls = servers.map(({ url }) => url);
  const cpuUs = () => sum(servers.map(({ pid }) => cpuUsOf(pid)));
  return async (seconds) => {
    const before = cpuUs();
    const mayBeRefused = request.method !== 'GET';
    const job = { urls, requests: [request], connections, seconds, polls, mayBeRefused };
    const load = await generator.run(job);
    const { accepted } = load;
    return { ...load, answered: accepted, perSecond: accepted / load.seconds, serverCpuUs: cpuUs() - before };
  };
}

/** Measures all sides in turn, in this order and in the other one, after each has warmed up: so many slices of each. */
export async function inTurn<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  count = SLICES,
): Promise<Record<Name, Slice[]>> {
  const names = Object.keys(sides) as Name[];
  for (const name of names) await sides[name](WARM_UP_SECONDS);
  const slices = Object.fromEntries(names.map((name) => [name, [] as Slice[]])) as Record<Name, Slice[]>;
  for (let slice = 0; slice < count; slice++) {
    for (const name of slice % 2 === 0 ? names : names.toReversed()) {
      slices[name].push(await sides[name](SLICE_SECONDS));
    }
  }
  return slices;
}

/** Measures both; the ratio is that of the medians, processor time that of all slices. */
export async function pair(service: Side, yardstick: Side): Promise<Figures> {
  const slices = await inTurn({ yardstick, service });
  return {
    ratio: rounded(rateOf(slices.service) / rateOf(slices.yardstick)),
    cpu_ratio: rounded(cpuUsOfEach(slices.yardstick) / cpuUsOfEach(slices.service)),
    ...sideFigures('service', slices.service),
    ...sideFigures('yardstick', slices.yardstick),
  };
}

export const rateOf = (slices: readonly Slice[]): number => median(slices.map(({ perSecond }) => perSecond));

/** Processor time of a request. */
export const cpuUsOfEach = (slices: readonly Slice[]): number =>
  sum(slices.map(({ serverCpuUs }) => serverCpuUs)) / sum(slices.map(({ answered }) => answered));

/** Figures of one side: requests a second, processor time of each, and how busy both ends were. */
export function sideFigures(name: string, slices: readonly Slice[]): Figures {
  const seconds = sum(slices.map((slice) => slice.seconds));
  const answered = sum(slices.map((slice) => slice.answered));
  const server = sum(slices.map((slice) => slice.serverCpuUs));
  const generator = sum(slices.map((slice) => slice.cpuUs));
  return {
    [`${name}_per_second`]: rounded(rateOf(slices)),
    [`${name}_cpu_us`]: rounded(server / answered),
    [`${name}_share_of_a_core`]: rounded(server / 1e6 / seconds, 2),
    ...(generator > 0 && {
      [`${name}_generator_cpu_us`]: rounded(generator / answered),
      [`${name}_generator_share_of_a_core`]: rounded(generator / 1e6 / seconds, 2),
      [`${name}_answer_bytes`]: slices.at(-1)?.answerBytes ?? 0,
    }),
  };
}
