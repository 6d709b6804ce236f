/**
 * Run by checkpoint.test.ts in a process whose files cannot grow beyond a limit: the log has room, the database file
 * does not.
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { startCheckpoints } from '../../src/store/sqlite/checkpoint.ts';

const [path = '', phase] = process.argv.slice(2);
const database = new DatabaseSync(path);
database.exec('PRAGMA journal_mode = WAL');
if (phase === 'prepare') {
  database.exec(`CREATE TABLE filler (text TEXT); INSERT INTO filler VALUES (printf('%.*c', 900000, 'x'))`);
} else {
  const checkpoints = startCheckpoints(database, path, { copyAtBytes: 16_384 });
  const insert = database.prepare(`INSERT INTO filler VALUES (printf('%.*c', 4000, 'y'))`);
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 8; i++) insert.run();
    checkpoints.written();
    await pause(100);
  }
  await checkpoints.stop();
}
database.close();
console.log('done');
