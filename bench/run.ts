/**
 * `npm run bench`: how fast the service is, as ratios to something simpler on this machine in this run. Absolute numbers
 * say more about the machine than about the code. `npm run bench -- sqlite` or `postgres` measures one of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONNECTIONS, SESSIONS } from './measure.ts';
import { measurePostgres } from './on-postgres.ts';
import { measureSqlite } from './on-sqlite.ts';

const [only] = process.argv.slice(2);
console.log(`${CONNECTIONS} connections, ${SESSIONS} sessions; filling the databases takes a while`);
if (only !== 'postgres') {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-bench-'));
  try {
    await measureSqlite(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
if (only !== 'sqlite') await measurePostgres();
