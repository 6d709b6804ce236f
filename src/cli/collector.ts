/**
 * Garbage collector of V8, set for a service: a request leaves young objects and buffers that live for milliseconds, beside
 * caches that stay. Collecting the young takes 1 to 4 ms, everything 10 to 40, and nobody is answered meanwhile.
 *
 * Code that was compiled before is not taken from a cache under other options, so this comes behind what is loaded, and
 * before the first request.
 */
import { setFlagsFromString } from 'node:v8';

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
