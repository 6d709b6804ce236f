/** The row `hanging` of the bench as a campaign. OPENTILL_TEST_SCALE=0.1 measures for less long than an endpoint may hang. */
import { evidence } from '../test/support/evidence.ts';
import { scaled } from '../test/support/scale.ts';
import { withBench } from './bench.ts';
import { hanging } from './rows/deliveries.ts';

const SECONDS = scaled(25);

await withBench({ many: 0, seconds: SECONDS, minutes: 0 }, async (bench) => {
  const { figures } = await hanging(bench, SECONDS);
  evidence({ diagnostic: console.log }, 'hanging', figures);
});
