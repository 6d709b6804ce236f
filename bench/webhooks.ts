/** Figures that the receiver of webhooks tells of itself. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Running } from './processes.ts';

export type Received = { readonly count: number; readonly medianMs: number; readonly p99Ms: number };

export const received = async ({ url }: Running): Promise<Received> =>
  (await (await fetch(url)).json()) as Received;

const IDLE_MS = 500;
const LONGEST_MS = 60_000;

/** Waits until no more webhooks come, for a minute at most; says when the last ones had come. */
export async function settled(receiver: Running): Promise<number> {
  let [before, since] = [-1, performance.now()];
  const end = since + LONGEST_MS;
  for (let now = since; now < Math.min(since + IDLE_MS, end); now = performance.now()) {
    const { count } = await received(receiver);
    if (count !== before) since = now;
    before = count;
    await pause(50);
  }
  return since;
}

/** Webhooks that come in a second while something else is done. */
export async function rateWhile(receiver: Running, work: Promise<unknown>): Promise<number> {
  const before = (await received(receiver)).count;
  const startedAt = performance.now();
  await work;
  return ((await received(receiver)).count - before) / ((performance.now() - startedAt) / 1000);
}
