/** Faults in the file of SQLite: who serves it, its log and when that is on the disk, and what takes its place. */
import type { Fault } from './fault.ts';
import { sqlite } from './rooms.ts';

export const sqliteFileFaults: readonly Fault[] = [
  {
    name: 'of several commands at once one gives up, as the database is locked',
    file: 'src/store/sqlite/connection.ts',
    tests: ['test/cli/account-settings.test.ts'],
    find: 'COMMAND_WAITS_MS = 5_000',
    replace: 'COMMAND_WAITS_MS = 500',
  },
  {
    name: 'a list that was read in a thread tells of a change that is not on the disk',
    ...sqlite('sqlite/access', 'store/log-sync'),
    find: '        if (unsafe !== null) await unsafe;\n',
    replace: '',
  },
  {
    name: 'a second server serves the database by another name',
    ...sqlite('sqlite/ownership', 'sqlite/owner'),
    find: '    // Anything else is in the way of whoever opens it next, who can say what it is.\n    if (!isBusy(error)) return;',
    replace: '    return;',
  },
  {
    name: 'a database file with two names is served',
    ...sqlite('sqlite/ownership', 'sqlite/owner'),
    find: 'if (found.nlink > 1) {',
    replace: 'if (found.nlink > 2) {',
  },
  {
    name: 'a server cannot start while a command reads',
    ...sqlite('sqlite/ownership', 'sqlite/owner'),
    find: "if (!succeeds(lock, 'BEGIN EXCLUSIVE')) return;",
    replace: "succeeds(lock, 'BEGIN EXCLUSIVE');",
  },
  {
    name: 'two servers serve the database by one name',
    ...sqlite('sqlite/ownership', 'sqlite/owner', 'store/sqlite-only'),
    find: "return succeeds(lock, 'BEGIN IMMEDIATE');",
    replace: "return succeeds(lock, 'BEGIN');",
  },
  {
    name: 'nobody notices that the log is gone',
    ...sqlite('sqlite/watch', 'sqlite/replaced'),
    find: 'files.find(({ isThere }) => !isThere())',
    replace: 'files.find(({ path, isThere }) => path !== log.path && !isThere())',
  },
  {
    name: 'what is in a log that is gone is not saved',
    ...sqlite('sqlite/watch', 'sqlite/replaced'),
    find: 'if (!isSaved) save();',
    replace: '',
  },
  {
    name: 'a log that took the place of another is replayed',
    ...sqlite('sqlite/watch', 'sqlite/replaced'),
    find: 'renameSync(log.path, `${log.path}.replaced`)',
    replace: 'log.isThere()',
  },
  {
    name: 'a log is replayed into the database that took the place of its own',
    ...sqlite('sqlite/watch', 'sqlite/replaced'),
    find: 'isSaved = cut.get()?.busy === 0;',
    replace: 'isSaved = true;',
  },
  {
    name: 'a server goes on writing to a database that is no longer found',
    ...sqlite('sqlite/access', 'sqlite/replaced'),
    find: '      const known = trouble();\n      if (known) throw known;\n      const result',
    replace: '      const result',
  },
  {
    name: 'a change is acknowledged before it is on the disk',
    ...sqlite('sqlite/access', 'store/log-sync'),
    find: 'server?.checkpoints.written();\n      await allSafe();\n',
    replace: 'server?.checkpoints.written();\n',
  },
  {
    name: 'a list tells of a change that is not on the disk',
    ...sqlite('sqlite/access', 'store/log-sync'),
    find: 'if (wait !== null) await wait;',
    replace: 'if (wait !== null && args.length === 2) await wait;',
  },
  {
    name: 'a session tells of a change that is not on the disk',
    ...sqlite('sqlite/log-sync', 'store/log-sync'),
    find: 'if (has(next)) return next?.promise ?? null;\n      return has(underWay) ? (underWay?.promise ?? null) : null;',
    replace: 'return has(null) ? (underWay?.promise ?? null) : null;',
  },
  {
    name: 'what is committed during a sync counts as synced with it',
    ...sqlite('sqlite/log-sync', 'store/log-sync'),
    find: 'return (next ?? underWay)?.promise ?? null;',
    replace: 'return (underWay ?? next)?.promise ?? null;',
  },
  {
    name: 'a log that could not be synced is synced again, as if that could help',
    ...sqlite('sqlite/log-sync', 'store/log-sync'),
    find: 'onTrouble(`${reason} (${error.message}); only a new start can tell what it holds`);',
    replace: 'trouble = null;',
  },
  {
    name: 'the lock that was removed is not taken again',
    ...sqlite('sqlite/watch', 'sqlite/replaced'),
    find: 'else owned.renew();',
    replace: '',
  },
  {
    name: 'a service is ready although a change was just refused',
    ...sqlite('health', 'store/health', 'crash/disk-full'),
    find: 'else learn(error, FAILED_FOR_MS);',
    replace: '',
  },
  {
    name: 'a service is ready again by a smaller change than what has failed',
    ...sqlite('health', 'store/health'),
    find: 'if (known.error === null) learn(null, KNOWN_FOR_MS);',
    replace: 'learn(null, KNOWN_FOR_MS);',
  },
  {
    name: 'the log is copied when there are many changes, not when it is long',
    ...sqlite('sqlite/checkpoint', 'store/checkpoint'),
    find: 'if (bytes <= copyAt) {',
    replace: 'if ((copyAt += 1) % 5000 !== 0) {',
  },
  {
    name: 'the log stays as long as it once was',
    ...sqlite('sqlite/checkpoint-thread', 'store/checkpoint'),
    find: '  PRAGMA journal_size_limit = ${copyAtBytes};\n',
    replace: '',
  },
  {
    name: 'the first change in a new log waits for the disk',
    ...sqlite('sqlite/checkpoint-thread', 'store/checkpoint'),
    find: 'if (!isMore) {',
    replace: 'if (isMore) {',
  },
  {
    name: 'a piece that is all of the log leaves it to the next change to begin anew',
    ...sqlite('sqlite/checkpoint', 'store/checkpoint'),
    find: "      reader.exec('BEGIN');\n",
    replace: '',
  },
  {
    name: 'a change is written where the log has no room',
    ...sqlite('sqlite/access', 'store/checkpoint'),
    find: 'if (room) await room;',
    replace: '',
  },
  {
    name: 'the hold on a log that was lost keeps it from being saved',
    ...sqlite('sqlite/watch', 'sqlite/replaced'),
    find: '        letGo();\n',
    replace: '',
  },
];
