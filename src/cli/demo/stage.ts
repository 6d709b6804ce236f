/** The stage of a demo: a server of its own with a database that is thrown away, an account and its API key. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, createAccount } from '../../accounts/account.ts';
import { createApiKey, usualPermissions } from '../../accounts/api-key.ts';
import { readConfig } from '../../config/read.ts';
import { createService } from '../../main.ts';
import type { Store } from '../../store/store.ts';
import { freePort } from '../free-port.ts';
import { StepFailed } from './shop.ts';

export type Stage = {
  /** Address of the server. */
  readonly url: string;
  /** Id and secret of a key for test mode, with a colon between. */
  readonly key: string;
  readonly account: Account;
  readonly store: Store;
  /** The file of the database. */
  readonly databasePath: string;
};

/** Plays a demo and clears away what it was played on. A step that fails makes the process end with status 1. */
export async function onStage(play: (stage: Stage) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-demo-'));
  // Cleaning up at the exit also covers an interruption.
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  process.once('SIGINT', () => process.exit(130));

  const databasePath = join(directory, 'demo.db');
  // Only these settings: those of the shell are for the server that somebody may really run.
  const config = readConfig({
    PORT: String(await freePort()),
    DATABASE_URL: `sqlite:${databasePath}`,
    LOG_LEVEL: 'warn',
  });
  const service = await createService(config);
  try {
    const { store } = service;
    const account = await createAccount(store, 'Demo Shop', Date.now());
    const { id, secret } = await createApiKey(store, {
      tenant: { account: account.number, mode: 'test' },
      permissions: usualPermissions,
      name: 'demo',
      nowMs: Date.now(),
    });
    await play({ url: await service.start(), key: `${id}:${secret}`, account, store, databasePath });
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    console.error(`\nopentill: the demo failed: ${error.message}`);
    process.exitCode = 1;
  } finally {
    await service.stop();
  }
}
