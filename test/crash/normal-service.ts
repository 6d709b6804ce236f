/** The service with a database that does not wait for the disk at each commit, which it would refuse to use. */
import { DatabaseSync } from 'node:sqlite';

const { exec, prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) {
  return exec.call(this, sql.replace('synchronous = FULL', 'synchronous = NORMAL'));
};
DatabaseSync.prototype.prepare = function (sql, ...options) {
  return prepare.call(this, sql === 'PRAGMA synchronous' ? 'SELECT 2 AS synchronous' : sql, ...options);
};

const program: string = '../../bin/opentill.js';
await import(program);
