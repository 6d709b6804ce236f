/** The service with a disk that says it has synced the log, and has not. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { SyncFile } from '../../src/store/sqlite/log-sync.ts';

const pretend: SyncFile = (_file, done) => setImmediate(done, null);
Object.assign(fs, { fdatasync: pretend });
syncBuiltinESMExports();

const program: string = '../../bin/opentill.js';
await import(program);
