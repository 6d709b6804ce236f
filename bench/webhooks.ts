/** Figures that the receiver of webhooks tells of itself. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Running } from './processes.ts';

export type Received = { readonly count: number; readonly medianMs: number; readonly p99Ms: number };

export const received = async ({ url }: Running): Promise<Received> =>
  (await (await fetch(url)).json()) as Received;

/** Waits until no more webhooks come, for half a minute at most. */
export async function settled(receiver: Running): Promise<void> {
  let before = -1;
  for (let tries = 0; tries < 60; tries++) {
    const { count } = await received(receiver);
    if (count === before) return;
    before = count;
    await pause(500);
  }
}
