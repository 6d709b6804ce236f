/**
 * Garbage collector of V8, set for a service: a request leaves young objects and buffers that live for milliseconds, beside
 * caches that stay. Collecting the young takes 1 to 4 ms, everything 10 to 40, and nobody is answered meanwhile.
 *
 * Code that was compiled before is not taken from a cache under other options, so this comes behind what is loaded, and
 * before the first request.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function setCollector(): void {
  keepYoungObjectsYoung();
  collectEverythingLater();
}

/**
 * V8 learns from the first seconds where objects live long, and makes those of such places where only its slow collector
 * finds them. What serves a request looks so to it while connections begin; from then on each request and all that hangs
 * on it stayed until then. (Measured: half as much processor time again for a fetch, and ten times as long pauses.)
 */
function keepYoungObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * V8 collects everything when the room up to its limit is less than all young objects could take, 32 MiB, and that limit
 * may be 40 MiB beyond what lives. Buffers count from their first moment, so 8 MiB of bodies or answers were enough, most
 * of them garbage by then. With this it is three quarters of the room, and the young are collected first.
 */
function collectEverythingLater(): void {
  setFlagsFromString('--incremental-marking-soft-trigger=75');
}

/** Time behind a start in which a process that does next to nothing is at rest, and the share of it that it may work. */
const QUIET_MS = 1000;
const QUIET_UTILIZATION = 0.03;

/**
 * Gives back what a start has used, once, if there is next to nothing to do behind it: garbage, and the space for young objects,
 * which has grown for what stays of a start. V8 would keep that until much has come to be collected. It stands still for this
 * for 60 to 180 ms; under load it would need the space again, so it keeps it.
 */
export function collectStart(quietMs = QUIET_MS): void {
  const before = performance.eventLoopUtilization();
  setTimeout(() => {
    const { utilization } = performance.eventLoopUtilization(before);
    if (utilization < QUIET_UTILIZATION) collectAll();
  }, quietMs).unref();
}

/** Node.js has this function of V8 where it was asked for when the process began, a new context where it is asked for now. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction | undefined = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
