/** A coordinator that is restarted while accounts on all nodes are under load: what was acknowledged is there, once. */
import { test } from 'node:test';
import { evidence } from '../support/evidence.ts';
import { checkRound, settle, startStage } from './load.ts';
import { firstProcessOf, rounds, TIMEOUT, untilReady } from './nodes.ts';

test('the coordinator is restarted', TIMEOUT, async (t) => {
  const stage = await startStage(t);
  for (let round = 0; round < rounds; round++) {
    if (round > 0) await checkRound(stage);
    process.kill(await firstProcessOf(t, stage.url), 'SIGINT');
    for (const shop of stage.shops) await shop.goesOn();
    await untilReady(stage);
  }
  evidence(t, 'citus-coordinator', { rounds, ...(await settle(stage)) });
});
