/** What the kernel says of a process: processor time and memory. On other systems than Linux nothing is known. */
import { readdirSync, readFileSync } from 'node:fs';

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

/** Memory that is in use, in MB. */
export function memoryMbOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
  } catch {
    return Number.NaN;
  }
}
