/** Faults in the databases: data of others, work that is taken twice, order that is lost, too much that is forgotten. */
import type { Fault } from './fault.ts';

const sqlite = (file: string, ...tests: readonly string[]) => ({
  file: `src/store/${file}.ts`,
  tests: tests.map((name) => `test/${name}.test.ts`),
});
const postgres = (file: string, ...tests: readonly string[]) => ({
  ...sqlite(file, ...tests),
  withPostgres: true,
});

export const storeFaults: readonly Fault[] = [
  {
    name: 'a session that was changed in a batch is seen by another account',
    ...sqlite('sqlite/commit', 'store/sqlite'),
    find: 'checkout !== undefined && sameTenant(checkout.tenant, tenant)',
    replace: 'checkout !== undefined',
  },
  {
    name: 'a session in memory is seen by another account',
    ...sqlite('sqlite/checkouts', 'store/sqlite'),
    find: 'sameTenant(cached.tenant, tenant) ? cached : null',
    replace: 'cached',
  },
  {
    name: 'what is of the other mode is read',
    ...sqlite('resources/read', 'store/sqlite'),
    find: 'return sql`account = ${account} AND live = ${live}`',
    replace: 'return sql`account = ${account} AND ${live} = ${live}`',
  },
  {
    name: 'what a commit has changed is not seen by those behind it',
    ...sqlite('sqlite/commit', 'store/sqlite', 'writer/writer'),
    find: 'own(tenant, changed.get(id)) ?? checkouts.read(tenant, id)',
    replace: 'checkouts.read(tenant, id)',
  },
  {
    name: 'endpoints in memory are not forgotten when they change',
    ...sqlite('sqlite/commit', 'store/sqlite', 'writer/writer-endpoints'),
    find: 'if (written.some((writes) => writes.endpoints)) endpoints.forget();',
    replace: '',
  },
  {
    name: 'a timer is claimed again while it is under way',
    ...sqlite('sqlite/work', 'store/sqlite'),
    find: 'read(dueCheckouts(tenant, now, limit, [...checkoutLeases.keys()]))',
    replace: 'read(dueCheckouts(tenant, now, limit))',
  },
  {
    name: 'a suspended receiver is sent more than its probe',
    ...sqlite('sqlite/work', 'store/sqlite'),
    find: 'const most = probing ? 1 : Math.min(',
    replace: 'const most = Math.min(',
  },
  {
    name: 'one receiver takes all that is claimed',
    ...sqlite('sqlite/work', 'store/sqlite'),
    find: 'Math.min(room(receiver), limit - taken.length)',
    replace: 'limit - taken.length',
  },
  {
    name: 'a lease that has run out is ended for whoever holds it now',
    ...sqlite('sqlite/work', 'store/sqlite'),
    find: 'lease === null || deliveryLeases.get(id)?.until === lease',
    replace: 'id.length > 0',
  },
  {
    name: 'the last event of a subject is delivered first',
    ...sqlite('sqlite/write-deliveries', 'store/sqlite'),
    find: 'ORDER BY sequence, id LIMIT 1',
    replace: 'ORDER BY sequence DESC, id LIMIT 1',
  },
  {
    name: 'a delivery that was given up stays so although it has arrived',
    ...sqlite('sqlite/write-deliveries', 'store/sqlite'),
    find: "AND (state = 'pending' OR ?4 = 'delivered')",
    replace: "AND state = 'pending'",
  },
  {
    name: 'deliveries that are still on their way are forgotten',
    ...sqlite('retention', 'store/sqlite'),
    find: "AND id < ${first} AND state <> 'pending'",
    replace: 'AND id < ${first}',
  },
  {
    name: 'refunds of another mode are listed',
    ...sqlite('resources/refunds', 'store/sqlite'),
    find: 'conditions: [owned(tenant), ...conditionsOf(filters, filter)],',
    replace: 'conditions: [sql`account = ${tenant.account}`, ...conditionsOf(filters, filter)],',
  },
  {
    name: 'money that is awaited stays so once it has come',
    ...sqlite('columns', 'store/sqlite'),
    find: 'for (const gone of known.values()) edits.push({ gone });',
    replace: '',
  },
  {
    name: 'a person is not redacted in what was stored of a session',
    ...sqlite('redact', 'store/sqlite'),
    find: 'const payer = { ...session.payer, ...blankPayer };',
    replace: 'const payer = { ...session.payer };',
  },
  {
    name: 'two processes claim the same timer',
    ...postgres('postgres/work', 'store/postgres'),
    find: 'AND due_at <= ${now} AND ${isFree(realNow)}\n          ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED',
    replace: 'AND due_at <= ${now}\n          ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED',
  },
  {
    name: 'a receiver that is being probed is sent more by another process',
    ...postgres('postgres/work', 'store/postgres'),
    find: 'health && mayProbe(health, now) && !out ?',
    replace: 'health && mayProbe(health, now) ?',
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
    name: 'a command migrates the database',
    ...sqlite('open', 'cli/versions'),
    find: 'migrates: serve, onTrouble',
    replace: 'migrates: true, onTrouble',
  },
  {
    name: 'a database is migrated before it is owned',
    ...sqlite('sqlite/store', 'cli/versions'),
    find: '  makeFile(path);\n',
    replace: '  makeFile(path);\n  openDatabase(path, { migrates }).close();\n',
  },
  {
    name: 'a session is written over a version that was not read',
    ...sqlite('sqlite/statements', 'store/sqlite'),
    find: ' AND ${isSame}`;',
    replace: ' AND (${isSame}) IS NOT NULL`;',
  },
  {
    name: 'what another process has changed is decided on as it was',
    ...sqlite('sqlite/commit', 'store/sqlite'),
    find: '      checkouts.forgetAll();\n      endpoints.forget();\n      commitOnce(units);',
    replace: '      endpoints.forget();\n      commitOnce(units);',
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
    find: "database.exec('PRAGMA wal_checkpoint(TRUNCATE)');",
    replace: '',
  },
  {
    name: 'a server goes on writing to a database that is no longer found',
    ...sqlite('sqlite/access', 'sqlite/replaced'),
    find: '      const trouble = watch?.trouble();\n      if (trouble) throw trouble;\n      try {',
    replace: '      try {',
  },
  {
    name: 'the lock that was removed is not taken again',
    ...sqlite('sqlite/watch', 'sqlite/replaced'),
    find: 'else owned.renew();',
    replace: '',
  },
  {
    name: 'a service is ready although a change was just refused',
    ...sqlite('sqlite/access', 'crash/disk-full'),
    find: 'else health.failed(error);',
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
    find: 'if (bytes <= copyAt) return;',
    replace: 'if ((copyAt += 1) % 5000 !== 0) return;',
  },
  {
    name: 'the log stays as long as it once was',
    ...sqlite('sqlite/checkpoint', 'store/checkpoint'),
    find: '; PRAGMA journal_size_limit = ${copyAtBytes}',
    replace: '',
  },
  {
    name: 'a backup lets the log grow without end',
    ...sqlite('sqlite/backup', 'store/checkpoint'),
    find: 'refuseLongLog(database, maxLogBytes);',
    replace: '',
  },
  {
    name: 'an older server goes on beside a schema that is not for it',
    ...postgres('postgres/migrate', 'cli/versions'),
    find: 'return version === known || isServed ? null',
    replace: 'return version >= known ? null',
  },
  {
    name: 'a migration that only adds stops the older servers',
    ...postgres('postgres/migrate', 'cli/versions'),
    find: 'declared === undefined ? number : Math.max(Number(declared), before)',
    replace: 'declared === undefined ? number : Math.max(number, before)',
  },
  {
    name: 'a statement that does not fit a newer schema is called a bug',
    ...sqlite('sqlite/access', 'cli/versions'),
    find: '    watch?.look();\n    return watch?.trouble() ?? error;',
    replace: '    return error;',
  },
  {
    name: 'a schema that was changed under a server is not noticed',
    ...sqlite('sqlite/watch', 'cli/versions'),
    find: 'schema !== migrations.length',
    replace: 'schema < migrations.length',
  },
];
