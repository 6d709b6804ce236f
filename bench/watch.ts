/**
 * A process that has nothing to do, beside one that is measured: what stands still here is the machine, not the service.
 * It prints where it listens, and answers with `Watched`: what it saw since it was asked last.
 *
 *     node bench/watch.ts DIRECTORY
 */
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLatencies } from './load/latencies.ts';
import { rounded } from './statistics.ts';

export type Watched = {
  /** Longest time by which this process woke late, in milliseconds. */
  readonly standstillMs: number;
  /** Times that a block of 4 KiB took to reach the disk, in milliseconds. */
  readonly syncP99Ms: number;
  readonly syncLongestMs: number;
};

const LOOK_MS = 10;
/** So few writes that the disk does not notice. */
const SYNC_EVERY_MS = 100;

let standstillMs = 0;
let syncs = createLatencies();

async function looks(): Promise<never> {
  for (;;) {
    const startedAt = performance.now();
    await pause(LOOK_MS);
    standstillMs = Math.max(standstillMs, performance.now() - startedAt - LOOK_MS);
  }
}

async function writes(directory: string): Promise<never> {
  const file = await open(join(directory, 'watch'), 'w');
  const block = Buffer.alloc(4096, 1);
  for (;;) {
    const startedAt = performance.now();
    await file.write(block, 0, block.length, 0);
    await file.datasync();
    syncs.add(performance.now() - startedAt);
    await pause(SYNC_EVERY_MS);
  }
}

const server = createServer((_, response) => {
  const watched: Watched = {
    standstillMs: rounded(standstillMs),
    syncP99Ms: rounded(syncs.percentile(0.99)),
    syncLongestMs: rounded(syncs.longest()),
  };
  response.end(JSON.stringify(watched));
  standstillMs = 0;
  syncs = createLatencies();
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
await Promise.all([looks(), writes(process.argv[2] ?? '.')]);
