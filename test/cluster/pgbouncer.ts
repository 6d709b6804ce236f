/**
 * A demonstration, by hand and not of `npm test`, since PgBouncer has to be installed for it (`apt-get install
 * pgbouncer`): the store keeps its promises behind a pooler that gives each transaction another connection.
 *
 *     node test/cluster/pgbouncer.ts
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/cli/free-port.ts';
import { postgresOpener } from '../store/open-postgres.ts';
import { storeSuite } from '../store/suite.ts';
import { sharedWorkSuite } from '../store/suite-shared-work.ts';
import { migratedDatabase, sharedPostgres } from '../support/postgres.ts';

const { port: postgresPort } = new URL((await sharedPostgres()).url);
const port = await freePort();
const pooler = startPooler();
await untilItListens();
after(() => pooler.kill('SIGKILL'));

const open = postgresOpener(async (context) => {
  const pooled = Object.assign(new URL(await migratedDatabase(context)), { port });
  pooled.searchParams.set('prepare', 'false');
  return pooled.href;
});
storeSuite('PostgreSQL behind PgBouncer', open);
sharedWorkSuite(open);

function startPooler(): ChildProcess {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-pgbouncer-'));
  after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'pgbouncer.ini');
  // Fewer connections than a process has towards the pooler, so that they are really shared.
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${postgresPort} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
server_idle_timeout = 5
`,
  );
  // PgBouncer refuses to run as root as PostgreSQL does.
  const asRoot = process.getuid?.() === 0;
  chmodSync(directory, 0o755);
  return spawn('pgbouncer', ['--quiet', file], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ...(asRoot ? { uid: 65534, gid: 65534 } : {}),
  });
}

async function untilItListens(): Promise<void> {
  for (;;) {
    const socket = createConnection(port, '127.0.0.1');
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) return;
    await pause(20);
  }
}
