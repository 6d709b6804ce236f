/** Load on a service that may refuse it for a time, as its disk is full or fails. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../support/process.ts';
import type { Answer, Load } from './load.ts';

const CLIENTS = 8;
/** Refusals after which a client gives up. */
const ENOUGH = 100;
export const LONGEST_MS = 30_000;

/** A process that stood still counts the pause as time that the request took. */
const tookTooLong = ({ status }: Answer) => status === 408;

/** Asks for one thing after the other, so many times or until it is told to stop. */
export function hammer(load: Load, { url, ended }: Server, requests = Number.POSITIVE_INFINITY) {
  let going = true;
  void ended.then(() => {
    going = false;
  });
  let refusals = 0;
  let refusedAt: number | null = null;
  let left = requests;
  async function client(): Promise<void> {
    while (going && left-- > 0) {
      const request = load.nextRequest();
      const answer = await load.send(url, request);
      if (answer === null) {
        await ended;
        return;
      }
      if (answer.status !== 503 && !tookTooLong(answer)) {
        load.acknowledge(request, answer);
        continue;
      }
      // The refused request may have been stored all the same, and can be repeated.
      if (answer.status === 503) assert.match(answer.retryAfter ?? '', /^[1-9]\d*$/);
      refusals++;
      refusedAt ??= performance.now();
      if (refusals > ENOUGH) return;
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    refusedAt: () => refusedAt,
    async stop(): Promise<number> {
      if (requests === Number.POSITIVE_INFINITY) going = false;
      await clients;
      return refusals;
    },
  };
}

export const readiness = async ({ url }: Pick<Server, 'url'>): Promise<number> =>
  (await fetch(`${url}/readyz`)).status;

/** True if the server is not ready, or has ended. */
export const isNotReady = (server: Server): Promise<boolean> =>
  readiness(server).then(
    (status) => status === 503,
    () => true,
  );

export async function until(holds: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  for (const end = performance.now() + LONGEST_MS; !(await holds()); await pause(5)) {
    assert.ok(performance.now() < end, otherwise);
  }
}
