/** The same service with one transaction for each change: what it would be without sharing commits. */
import { readConfig } from '../src/config/read.ts';
import { createService } from '../src/main.ts';

const service = await createService(readConfig(process.env), { maxBatch: 1 });
console.log(`opentill listening on ${await service.start()}`);
process.on('SIGTERM', () => void service.stop().then(() => process.exit(0)));
