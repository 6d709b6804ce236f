/** Webhooks to a receiver on this machine: how many a second alone, and beside an API that is asked all it can do. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '../src/store/store.ts';
import { fillDatabase } from './fill.ts';
import { loads, ROUND_SECONDS, requests } from './measure.ts';
import { startProcess, startService } from './processes.ts';

/** Deliveries a second to reach. */
const REACH = 1_500;
const BACKLOG = 60_000;
const CONCURRENCY = '256';

export async function measureDeliveries(open: () => Promise<Store>, databaseUrl: string): Promise<void> {
  const receiver = await startProcess([join(import.meta.dirname, 'receiver.ts')]);
  try {
    const ids = await fillDatabase(await open(), BACKLOG, `${receiver.url}/webhooks`);
    const update = loads(ids).update;
    const received = async () => ((await (await fetch(receiver.url)).json()) as { count: number }).count;
    const withService = async <T>(concurrency: string, measure: (url: string) => Promise<T>): Promise<T> => {
      const service = await startService({ DATABASE_URL: databaseUrl, WEBHOOK_CONCURRENCY: concurrency });
      try {
        return await measure(service.url);
      } finally {
        await service.stop();
      }
    };
    /** Deliveries a second while something else is done. */
    const rateWhile = async (work: Promise<unknown>): Promise<number> => {
      const before = await received();
      const startedAt = performance.now();
      await work;
      return ((await received()) - before) / ((performance.now() - startedAt) / 1000);
    };

    const apiAlone = await withService('0', (url) => requests(url, update)(ROUND_SECONDS));
    const { alone, beside, api } = await withService(CONCURRENCY, async (url) => {
      await pause(1_000);
      const alone = await rateWhile(pause(ROUND_SECONDS * 1000));
      let api = 0;
      const load = requests(
        url,
        update,
      )(ROUND_SECONDS).then((rate) => {
        api = rate;
      });
      const beside = await rateWhile(load);
      return { alone, beside, api };
    });
    const perSecond = (rate: number) => `${Math.round(rate)}/s`;
    console.log(`webhook deliveries alone: ${perSecond(alone)} (reach ${perSecond(REACH)})`);
    console.log(
      `beside updates of the API: ${perSecond(beside)}, and ${perSecond(api)} updates of the ${perSecond(apiAlone)} without (${Math.round((100 * api) / apiAlone)} %)`,
    );
  } finally {
    await receiver.stop();
  }
}
