/**
 * A simulation: steps one after the other, faults looked for at each, then healing and the final conditions.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount } from '../../src/accounts/account.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { DELIVERIES_REST_MS } from '../../src/worker/worker.ts';
import { receiveEuros } from '../support/statements.ts';
import { createActs } from './acts.ts';
import { brokenRules } from './end.ts';
import { compare, heal } from './healing.ts';
import { createStage } from './stage.ts';
import { type Step, TENANTS } from './steps.ts';
import { loadNewer, type OpenStore } from './versions.ts';
import type { World } from './world.ts';

/** Null if nothing is wrong; `trace` tells what was done, the same for the same steps. */
export type Run = { readonly fault: string | null; readonly trace: readonly string[] };

export type Place = { readonly directory: string; readonly template: string; readonly newer: OpenStore };

/** A directory with an empty database of two accounts, to be copied for each simulation. */
export async function makePlace(under: string): Promise<Place> {
  const directory = mkdtempSync(join(under, 'opentill-sim-'));
  const template = join(directory, 'template.db');
  const store = openSqliteStore(template);
  await createAccount(store, 'one', 0);
  await createAccount(store, 'two', 0);
  for (const tenant of TENANTS) await receiveEuros(store, tenant);
  await store.close();
  return { directory, template, newer: await loadNewer(join(directory, 'newer')) };
}

export async function simulate(
  { directory, template, newer }: Place,
  world: World,
  steps: readonly Step[],
): Promise<Run> {
  const path = join(directory, 'sim.db');
  for (const end of ['', '-wal', '-shm', '.lock']) rmSync(path + end, { force: true });
  copyFileSync(template, path);

  const stage = createStage({ path, newer }, world, steps);
  const { oracle, trouble } = stage;
  const { faults, trace, endpoints, webhooks, fault } = oracle;
  const act = createActs(stage);

  /**
   * Checks the conditions that hold as soon as nothing happens any more. The worker rests behind each look
   * for deliveries: they may sleep for so long, but those that slept `before` may not.
   */
  async function settle(before = ''): Promise<void> {
    await world.settled();
    while (!stage.process().isAlive()) {
      await stage.restart();
      await compare(stage);
      await world.settled();
    }
    oracle.look();
    await stage.follow();
    stage.judgeClock();
    for (const { operation, key } of oracle.unanswered()) fault(`${operation} ${key} was never answered`);
    if (trouble.fullDisk === null && !stage.isMoved) {
      const asleep = webhooks.asleep(oracle.nowOf).map(({ id }) => id);
      if (asleep.length > 0 && asleep.join() !== before) {
        await world.pass(DELIVERIES_REST_MS);
        return settle(asleep.join());
      }
      for (const id of asleep) fault(`${id} could go out, and sleeps`);
    }
    webhooks.age();
  }

  const offOnce = new Set<string>();

  await world.settled();
  for (const step of steps) {
    trace.push(JSON.stringify(step));
    for (const { id, disabled } of endpoints.values()) if (disabled !== null) offOnce.add(id);
    if (!stage.process().isAlive()) await settle();
    await act(step);
    if (!step.joined && faults.length === 0) await settle();
    if (faults.length > 0) break;
  }
  if (faults.length === 0) await settle();
  if (faults.length === 0) await heal(stage, settle, offOnce);
  await stage.process().end();
  if (faults.length === 0) for (const text of await brokenRules(path)) fault(text);
  return { fault: faults[0] ?? null, trace };
}
