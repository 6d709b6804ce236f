/**
 * The whole service, with a clock that begins at CLOCK_START and goes CLOCK_SPEED times as fast as real time: a lease
 * runs out while a test looks on. All processes with the same settings show the same time.
 */
import { firstStart } from '../../src/cli/first-start.ts';
import { readConfig } from '../../src/config/read.ts';
import { createService } from '../../src/main.ts';

const { CLOCK_START, CLOCK_SPEED, CLOCK_SINCE } = process.env;
const realNow = () =>
  Math.round(Number(CLOCK_START) + (Date.now() - Number(CLOCK_SINCE)) * Number(CLOCK_SPEED));

const config = readConfig(process.env);
const service = await createService(config, { realNow, leaseNow: realNow });
await firstStart(service.store, config);
console.log(`opentill listening on ${await service.start()}`);
