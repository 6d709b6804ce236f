/** Moves of a database from SQLite to PostgreSQL, with merchants who go on meanwhile. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { startReceiver } from '../api/receiver.ts';
import type { Ends } from '../support/clean-up.ts';
import { png } from '../support/image.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshDirectory, isRunning, type Running, runToEnd } from '../support/process.ts';
import { serveHere } from '../support/service.ts';
import { createMovedMoney } from './moved-money.ts';
import { addMerchants, ask, createShop, type Key, keys } from './moved-shop.ts';

export const STOP_NOW = /everything is copied; stop the service now, the rest takes about \d+ s/;
export const SEED = 20_260_401;
/** The server asks for none, and nobody is to see it. */
export const PASSWORD = 'geh@eim';

/** A service on SQLite with merchants who have done everything, and receivers of which one refuses. */
export async function setUp(t: Ends) {
  const path = join(freshDirectory(t), 'till.db');
  const target = await freshDatabase(t);
  const server = await serveHere(t, { DATABASE_URL: `sqlite:${path}` });
  await addMerchants(path);
  const taking = await startReceiver(t);
  const refusing = await startReceiver(t, () => 500);
  const shop = createShop(server.url, [taking.url, refusing.url, ''], SEED);
  await shop.open();
  for (const key of keys) await setLogo(server.url, key, '#0b6b57');
  const money = createMovedMoney(path, { account: 1, mode: 'live' });
  await money.bring();
  const args = ['db', 'move', '--from', `sqlite:${path}`, '--to', target.replace('@', `:${PASSWORD}@`)];
  return { path, target, server, shop, money, refusing, args };
}

export async function setLogo(url: string, key: Key | undefined, color: string): Promise<void> {
  assert.ok(key);
  const { status } = await ask(url, { key, method: 'PUT', path: '/v3/logo', body: png({ color }) });
  assert.ok(status < 300, String(status));
}

/** Resolves when it has said so; fails if it ends before. */
export async function says(moving: Running, pattern: RegExp): Promise<void> {
  const { output } = moving;
  while (!pattern.test(output.stdout)) {
    assert.ok(isRunning(moving), `it ended: ${output.stdout}${output.stderr}`);
    await pause(10);
  }
}

/** Runs a start of the service on the database, which has to be refused. */
export function startRefused(t: Ends, url: string) {
  return runToEnd(t, ['serve'], { DATABASE_URL: url, PORT: '0' }, { startsNothing: true });
}

export async function query(
  t: Ends,
  url: string,
  statement: string,
): Promise<postgres.RowList<postgres.Row[]>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  t.after(() => sql.end());
  return sql.unsafe(statement);
}
