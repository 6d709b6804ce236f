import { readConfig } from '../config.ts';
import { createService } from '../main.ts';
import { firstStart } from './first-start.ts';
import { freePort } from './free-port.ts';

/** Long enough for the slowest answer that has begun; then the process ends anyway. */
const STOP_WITHIN_MS = 20_000;
const LOOK_FOR_PARENT_MS = 250;

/** Serves until the process is told to end. */
export async function serve(): Promise<void> {
  // PORT=0 asks for any free port; addresses in answers need it before the server listens.
  const anyPort = process.env.PORT === '0' ? { PORT: String(await freePort()) } : {};
  const config = readConfig({ ...process.env, ...anyPort });
  const service = await createService(config);
  let stopping = false;
  function stop(): void {
    // Asked twice: somebody is in a hurry.
    if (stopping) process.exit(130);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    void service.stop().then(() => process.exit(0));
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  // npm does not pass signals on: where it started the server, its end is the sign to stop.
  if (process.env.npm_lifecycle_event === 'start') whenOrphaned(stop);

  try {
    const address = await service.start();
    // Only now: a key whose secret could not be shown, because the port was taken, would be lost.
    const welcome = await firstStart(service.store, config);
    // Whoever reads the first lines may leave; the service goes on.
    process.stdout.on('error', () => {});
    // In one piece: whoever waits for the first line may read the rest at once.
    console.log([`opentill listening on ${address}`, ...(welcome ? [welcome] : [])].join('\n'));
  } catch (error) {
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
