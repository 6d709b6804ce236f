/** The commands on whole databases as an operator runs them, and what tests ask about their outcome. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ends } from '../../support/clean-up.ts';
import { freshDirectory, runToEnd } from '../../support/process.ts';
import type { Kind } from './kinds.ts';

export const BOOT = 'ak_test_boot:sk_test_boot';
const authorization = `Basic ${Buffer.from(BOOT).toString('base64')}`;

const db = (t: Ends, ...args: string[]) => runToEnd(t, ['db', ...args], {});

/** Succeeds; on a busy machine it may say meanwhile how far it is. */
export async function done(t: Ends, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await db(t, ...args);
  assert.equal(code, 0, stdout + stderr);
  assert.doesNotMatch(stderr, /^opentill:/m);
  return stdout;
}

/** Fails with one line that says why: with status 1, or with 2 where the command line is wrong. */
export async function refused(t: Ends, expected: RegExp, ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await db(t, ...args);
  assert.deepEqual([code, stdout], [/; see opentill /.test(stderr) ? 2 : 1, ''], stderr);
  assert.match(stderr, /^opentill: [^\n]+\n$/);
  assert.match(stderr, expected);
  assert.doesNotMatch(stderr, /secret/);
}

export const backupIn = (t: Ends) => join(freshDirectory(t), 'till.backup');

/** All stored rows, except what a service or a restore counts by itself. */
export async function contents(kind: Kind, url: string): Promise<Map<string, readonly string[]>> {
  const tables = new Map<string, readonly string[]>();
  const names =
    kind.name === 'sqlite'
      ? `SELECT name FROM sqlite_schema WHERE type = 'table'`
      : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`;
  for (const { name } of await kind.run(url, names)) {
    if (name === 'directory') continue;
    const rows = await kind.run(url, `SELECT * FROM ${name}`);
    tables.set(`${name}`, rows.map((row) => JSON.stringify(row)).sort());
  }
  return tables;
}

/** True if the database that `kind.fresh` has named was not created. */
export async function isUntouched(kind: Kind, url: string): Promise<boolean> {
  if (kind.name === 'sqlite') return !existsSync(url.slice('sqlite:'.length));
  return (await contents(kind, url)).size === 0;
}

/** Creates and changes sessions, and remembers what was acknowledged, until it is told to stop. */
export function keepWriting({ url }: { readonly url: string }) {
  const acknowledged: string[] = [];
  let going = true;
  const ask = (method: string, path: string, body: object) =>
    fetch(url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  async function client(): Promise<void> {
    while (going) {
      const created = await ask('POST', '/v3/checkout', { invoice_currency: 'EUR', amount: 500 });
      assert.equal(created.status, 201);
      const { id } = ((await created.json()) as { data: { id: string } }).data;
      const paid = await ask('POST', `/v3/test_helpers/checkout/${id}/pay`, { amount: 200 });
      assert.equal(paid.status, 200);
      acknowledged.push(id);
    }
  }
  const clients = Array.from({ length: 8 }, client);
  const end = Promise.all(clients);
  return {
    acknowledged,
    /** Resolves when so many were acknowledged; fails as soon as the service does not answer as it should. */
    async reaches(count: number): Promise<void> {
      while (acknowledged.length < count) await Promise.race([end, pause(20)]);
    },
    async stop() {
      going = false;
      await end;
    },
  };
}
