import { readConfig, readSetting } from '../../config/read.ts';
import { settings } from '../../config/settings.ts';
import type { OpenOptions } from '../../store/store.ts';
import { collectStart, setCollector } from '../collector.ts';
import { plainCommand } from '../declare/access.ts';
import { exitStatus } from '../failure.ts';
import { freePort } from '../free-port.ts';

/** Long enough for the slowest answer that has begun; then the process ends anyway. */
const STOP_WITHIN_MS = 20_000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const LOOK_FOR_PARENT_MS = 250;

export const command = plainCommand({
  purpose: 'Serve the API and the payment pages.',
  details: [
    'The same as npm start. The first start creates the database, an account, an API key for test mode and a link for the first user.',
    'A secret can be in a file: `DATABASE_URL_FILE` names one instead of `DATABASE_URL`, and so on.',
  ],
  variables: Object.keys(settings),
  examples: [['opentill serve', 'On http://127.0.0.1:3000, unless the settings say otherwise']],
  run: () => serve(),
});

/** Serves until the process is told to end. Tests give options of the store. */
export async function serve(storeOptions: Pick<OpenOptions, 'copyLogAtBytes'> = {}): Promise<void> {
  // PORT=0 asks for any free port; addresses in answers need it before the server listens.
  const anyPort = readSetting('PORT', process.env) === 0 ? { PORT: String(await freePort()) } : {};
  const config = readConfig({ ...process.env, ...anyPort });
  // Neither help nor a wrong setting needs the service.
  const { createService } = await import('../../main.ts');
  const { announced, firstStart } = await import('../first-start.ts');
  const service = await createService(config, {
    storeOptions: { ...storeOptions, onLost: () => process.exit(exitStatus.failure) },
  });
  setCollector();
  let stopping = false;
  function stop(): void {
    // Asked twice: somebody is in a hurry.
    if (stopping) process.exit(130);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    void service.stop().then(() => process.exit(0));
  }
  for (const signal of SIGNALS) process.on(signal, stop);
  // npm and npx do not pass signals on: where they started the server, their end is the sign to stop.
  if (['start', 'npx'].includes(process.env.npm_lifecycle_event ?? '')) whenOrphaned(stop);

  try {
    const lines: string[] = [];
    const address = await service.start(async () => {
      // Only now: a key whose secret could not be shown, because the port was taken, would be lost.
      const welcome = await firstStart(service.store, config);
      if (welcome !== null) lines.push(announced(welcome, process.stdout.isTTY, config.DATABASE_URL));
    });
    // The reader of the first lines may leave; the service goes on.
    process.stdout.on('error', () => {});
    // One write: a reader that waits for the first line may read the rest at once.
    console.log([`opentill listening on ${address}`, ...lines].join('\n'));
    collectStart();
  } catch (error) {
    for (const signal of SIGNALS) process.off(signal, stop);
    await service.stop();
    throw error;
  }
}

function whenOrphaned(callback: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, LOOK_FOR_PARENT_MS).unref();
}
