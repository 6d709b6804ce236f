/** Metrics of the process itself, under the names that services of Node.js have for them. */
import { readdirSync, readFileSync } from 'node:fs';
import { constants, monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { linesOf } from './counters.ts';
import { createHistogram, type Observe } from './histogram.ts';

/** A metric with its value, or with one for each text of labels. */
type Row = readonly [name: string, help: string, value: number | ReadonlyMap<string, number>];

const kinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

function textOf([name, help, value]: Row): string {
  const type = name.startsWith('process_cpu_') ? 'counter' : 'gauge';
  const series = typeof value === 'number' ? [`${name} ${value}`] : [];
  if (typeof value !== 'number')
    for (const [labels, each] of value) series.push(`${name}{${labels}} ${each}`);
  return linesOf(name, help, type, series);
}

/** Memory and files as Linux tells them; elsewhere they are left out. */
function ofSystem(): Row[] {
  if (process.platform !== 'linux') return [];
  const text = ['status', 'limits'].map((file) => readFileSync(`/proc/self/${file}`, 'utf8')).join('\n');
  const numberAfter = (name: string) => Number(new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(text)?.[1]);
  return [
    ['process_virtual_memory_bytes', 'Virtual memory size in bytes.', numberAfter('VmSize:') * 1024],
    ['process_heap_bytes', 'Process heap size in bytes.', numberAfter('VmData:') * 1024],
    // The last one is that which reads them.
    ['process_open_fds', 'Number of open file descriptors.', readdirSync('/proc/self/fd').length - 1],
    ['process_max_fds', 'Maximum number of open file descriptors.', numberAfter('Max open files')],
  ];
}

function ofProcess(): Row[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const startedAt = Math.round(performance.timeOrigin / 1000);
  const resources = process.getActiveResourcesInfo();
  const byType = new Map<string, number>();
  for (const each of resources) byType.set(`type="${each}"`, (byType.get(`type="${each}"`) ?? 0) + 1);
  const [major, minor, patch] = process.versions.node.split('.');
  const version = `version="${process.version}",major="${major}",minor="${minor}",patch="${patch}"`;
  const active =
    'Number of active resources that are currently keeping the event loop alive, grouped by async resource type.';
  return [
    ['process_cpu_user_seconds_total', 'Total user CPU time spent in seconds.', user / 1e6],
    ['process_cpu_system_seconds_total', 'Total system CPU time spent in seconds.', system / 1e6],
    ['process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', (user + system) / 1e6],
    ['process_start_time_seconds', 'Start time of the process since unix epoch in seconds.', startedAt],
    ['process_resident_memory_bytes', 'Resident memory size in bytes.', rss],
    ['nodejs_active_resources', active, byType],
    ['nodejs_active_resources_total', 'Total number of active resources.', resources.length],
    ['nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.', heapTotal],
    ['nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.', heapUsed],
    ['nodejs_external_memory_bytes', 'Node.js external memory size in bytes.', external],
    ['nodejs_version_info', 'Node.js version info.', new Map([[version, 1]])],
  ];
}

function ofHeapSpaces(): Row[] {
  const spaces = getHeapSpaceStatistics();
  const sizes = { total: 'space_size', used: 'space_used_size', available: 'space_available_size' } as const;
  return Object.entries(sizes).map(([what, field]) => {
    const values = spaces.map(
      (space) => [`space="${space.space_name.replace(/_space$/, '')}"`, space[field]] as const,
    );
    const help = `Process heap space size ${what} from Node.js in bytes.`;
    return [`nodejs_heap_space_size_${what}_bytes`, help, new Map(values)];
  });
}

/** Watches the process from now on. Each text tells of the delays of the event loop since the last one that told of any. */
export function watchProcess(): () => Promise<string> {
  const help = 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.';
  const collections = createHistogram('nodejs_gc_duration_seconds', help, [0.001, 0.01, 0.1, 1, 2, 5]);
  const ofKind = new Map<string, Observe>();
  new PerformanceObserver((seen) => {
    for (const entry of seen.getEntries()) {
      const { kind } = ('detail' in entry && entry.detail) as { readonly kind: number };
      const label = `kind="${kinds[kind]}"`;
      const observe = ofKind.get(label) ?? collections.series(label);
      ofKind.set(label, observe);
      observe(entry.duration / 1000);
    }
  }).observe({ entryTypes: ['gc'] });
  const delays = monitorEventLoopDelay();
  delays.enable();

  async function ofEventLoop(): Promise<Row[]> {
    const askedAt = performance.now();
    await setImmediate();
    const nameOf = (name: string) => `nodejs_eventloop_lag_${name}seconds`;
    // Right behind another text there are none, and what is made of none is no time.
    const isMeasured = delays.count > 0;
    const row = (name: string, help: string, nanoseconds: number): Row => [
      nameOf(name),
      help,
      isMeasured ? nanoseconds / 1e9 : new Map(),
    ];
    const rows: Row[] = [
      [nameOf(''), 'Lag of event loop in seconds.', (performance.now() - askedAt) / 1000],
      row('min_', 'The minimum recorded event loop delay.', delays.min),
      row('max_', 'The maximum recorded event loop delay.', delays.max),
      row('mean_', 'The mean of the recorded event loop delays.', delays.mean),
      row('stddev_', 'The standard deviation of the recorded event loop delays.', delays.stddev),
    ];
    for (const rank of [50, 90, 99]) {
      const help = `The ${rank}th percentile of the recorded event loop delays.`;
      rows.push(row(`p${rank}_`, help, delays.percentile(rank)));
    }
    // Callers who ask more often than the loop is looked at are told of it once there is something to tell.
    if (isMeasured) delays.reset();
    return rows;
  }

  return async () => {
    const rows = [...ofProcess(), ...ofSystem(), ...(await ofEventLoop()), ...ofHeapSpaces()];
    return rows.map(textOf).join('') + collections.text();
  };
}
