/** Faults in accounts and API keys: who may change them, how many there may be, and where secrets stay. */
import type { Fault } from './fault.ts';

const api = ['test/api/api-keys.test.ts'];
const rules = { file: 'src/accounts/key-changes.ts', tests: ['test/accounts/key-changes.test.ts'] };
const directory = { file: 'src/store/resources/directory.ts' };

export const accountFaults: readonly Fault[] = [
  {
    name: 'the secret of a key is kept for a repetition of the request',
    file: 'src/http/routes/api-key.ts',
    tests: api,
    find: 'showing(null),',
    replace: 'showing(secret),',
  },
  {
    name: 'a key may do what nobody has named',
    file: 'src/accounts/api-key.ts',
    tests: ['test/accounts/key-changes.test.ts'],
    find: 'permissions.includes(each))',
    replace: "permissions.includes(each) || each === 'manage')",
  },
  {
    name: 'a key of another account is shown',
    file: 'src/http/routes/api-key.ts',
    tests: ['test/api/auth.test.ts'],
    find: 'key === null || !sameTenant(key.tenant, tenant)',
    replace: 'key === null || !sameTenant(key.tenant, key.tenant)',
  },
  {
    name: 'an account has one key more than it may',
    ...rules,
    find: 'counts.active >= MAX_API_KEYS',
    replace: 'counts.active > MAX_API_KEYS',
  },
  {
    name: 'a key is revoked again, later',
    ...rules,
    find: 'if (known.revokedAt !== null) return',
    replace: 'if (known.revokedAt === 0) return',
  },
  {
    name: 'keys that are made in one batch are not counted',
    ...directory,
    tests: ['test/store/postgres.test.ts'],
    withPostgres: true,
    find: "if (newApiKey) known.set('all',",
    replace: "if (newApiKey?.name === null) known.set('all',",
  },
  {
    name: 'two processes make one key more than there may be',
    ...directory,
    tests: ['test/store/postgres.test.ts'],
    withPostgres: true,
    find: 'sql`account WHERE number',
    replace: 'sql`account WHERE false AND number',
  },
  {
    name: 'a revocation is heard of by nobody who remembers the key',
    ...directory,
    tests: ['test/store/postgres.test.ts'],
    withPostgres: true,
    find: 'newApiKey ?? revokedApiKey)',
    replace: 'newApiKey)',
  },
  {
    name: 'all accounts are read where one has changed',
    ...directory,
    tests: ['test/store/sqlite.test.ts'],
    find: 'WHERE changed_in > ${version}',
    replace: 'WHERE changed_in > ${version} - 1000',
  },
  {
    name: 'a test clock that is moved is not read anew',
    file: 'src/store/postgres/write.ts',
    tests: ['test/store/postgres.test.ts'],
    withPostgres: true,
    find: 'account ?? clockMove)',
    replace: 'account)',
  },
  {
    name: 'of two changes of an account at the same time one is lost',
    ...directory,
    tests: ['test/store/postgres.test.ts'],
    withPostgres: true,
    find: 'lock: lockAccount,\n  apply(known, { account',
    replace: 'apply(known, { account',
  },
  {
    name: 'a rotation replaces the secret of the other mode',
    file: 'src/accounts/account-changes.ts',
    tests: ['test/accounts/account-changes.test.ts'],
    find: '...account.webhookSecrets, [mode]:',
    replace: "...account.webhookSecrets, [mode === 'live' ? 'test' : 'live']:",
  },
  {
    name: 'settings that are not given get their defaults',
    file: 'src/accounts/account-changes.ts',
    tests: ['test/accounts/account-changes.test.ts'],
    find: '{ ...account.settings[mode], ...parts }',
    replace: '{ ...account.settings.live, ...parts }',
  },
  {
    name: 'a receiving account that is changed takes the last place',
    file: 'src/accounts/receiving-account-changes.ts',
    tests: ['test/accounts/receiving-account-changes.test.ts'],
    find: 'const kept = known ? accounts.map((each) => (each === known ? changed : each)) : [...accounts, changed];',
    replace: 'const kept = [...others, changed];',
  },
  {
    name: 'receiving accounts are not held against one another',
    file: 'src/accounts/receiving-account-changes.ts',
    tests: ['test/accounts/receiving-account-changes.test.ts'],
    find: "return 'problems' in together ? refuseFields(together.problems.map(withoutPlace)) : after;",
    replace: "return 'problems' in together ? after : after;",
  },
];
