/** Figures of a process by the kernel: processor time and memory. On other systems than Linux nothing is known. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sum } from './statistics.ts';

/** Processor time of all threads that live, in microseconds. */
export function cpuUsOf(pid: number): number {
  try {
    let ns = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    }
    return ns / 1000;
  } catch {
    return Number.NaN;
  }
}

/** Processor time of a server of PostgreSQL, whose data are there: of all processes that it has now. */
export function cpuUsOfPostgres(directory: string): number {
  try {
    const [server] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n').map(Number);
    const own = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === server);
    // A process that has ended since has no time any more.
    return sum(own.map((pid) => cpuUsOf(Number(pid))).filter((us) => !Number.isNaN(us)));
  } catch {
    return Number.NaN;
  }
}

/** Null once the process has ended. */
function parentOf(pid: string): number | null {
  try {
    return Number(/^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return null;
  }
}

/** Memory that is in use, in MB. */
export function memoryMbOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
  } catch {
    return Number.NaN;
  }
}
