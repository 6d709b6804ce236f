/** The same service with a fault planted: each second its thread does nothing for a while. */
import { readConfig } from '../src/config/read.ts';
import { createService } from '../src/main.ts';

const EVERY_MS = 1_000;
const PAUSE_MS = 50;

const service = await createService(readConfig(process.env));
console.log(`opentill listening on ${await service.start()}`);
const never = new Int32Array(new SharedArrayBuffer(4));
const pausing = setInterval(() => Atomics.wait(never, 0, 0, PAUSE_MS), EVERY_MS);
process.on('SIGTERM', () => {
  clearInterval(pausing);
  void service.stop().then(() => process.exit(0));
});
