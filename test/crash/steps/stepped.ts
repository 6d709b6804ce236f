/** A service that is killed at a step, and its database: what the campaign needs of either. */
import { join } from 'node:path';
import type { Store } from '../../../src/store/store.ts';
import type { Server } from '../../support/process.ts';
import type { Place } from './order.ts';
import type { Rows } from './rows.ts';

export type Armed = {
  /** Resolves when the process is gone, or its connections are; never if the step is not reached. */
  readonly reached: Promise<void>;
  /** Steps that were noted so far. */
  steps(): readonly string[];
};

export type Stepped = {
  readonly name: string;
  /** False where a kill leaves the process alive, and only what it has asked of the database is lost. */
  readonly kills: boolean;
  /** Time for which a process may not see another one's changes to accounts. */
  readonly directoryLagMs: number;
  start(): Promise<Server>;
  /** A store beside the service, for whoever prepares something; it is closed before anything is killed. */
  openStore(): Promise<Store>;
  /** Notes the steps of commits, and ends behind one of them; null lets all pass. */
  arm(server: Server, end: Place | null): Armed;
  disarm(): void;
  rows(): Promise<Rows>;
  /** The same of what a process has left behind that was killed, without touching that. */
  rowsLeft(): Promise<Rows>;
  /**
   * True if nothing is left to do: no session is due soon, no delivery waits, no event lacks its place in the
   * feed.
   */
  isIdle(): Promise<boolean>;
  /** Fails with what in the database contradicts itself. */
  check(): Promise<void>;
  /** The same of what was left behind. */
  checkLeft(): Promise<void>;
};

/** Sessions that are due within this time are waited for, such as those whose payments take some time. */
export const SOON_MS = 60_000;
/** The clock of the service is so many times as quick as real time: leases and slow payments last no second. */
const SPEED = 30;
export const program = join(import.meta.dirname, '../../cluster/quick-service.ts');

export function quickClock() {
  const since = Date.now();
  return {
    settings: { CLOCK_START: String(since), CLOCK_SINCE: String(since), CLOCK_SPEED: String(SPEED) },
    now: (): number => since + (Date.now() - since) * SPEED,
  };
}

/** Columns that a change counts up without adding a row. */
export const COUNTED: ReadonlyArray<readonly [table: string, column: string]> = [
  ['checkout', 'version'],
  ['webhook_endpoint', 'version'],
  ['account', 'test_clock_offset_ms'],
];
