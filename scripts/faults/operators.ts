/** Faults in accounts over the API and in operators of the installation: who may what, and what is told once. */
import type { Fault } from './fault.ts';

const rules = { file: 'src/users/user-changes.ts', tests: ['test/users/operators.test.ts'] };
const route = { file: 'src/http/routes/account.ts', tests: ['test/api/accounts.test.ts'] };
const handler = { file: 'src/writer/handlers/user.ts', tests: ['test/store/sqlite.test.ts'] };
const screen = { file: 'src/dashboard/screen.ts', tests: ['test/dashboard/doors.test.ts'] };
const screens = { file: 'src/dashboard/screens/accounts.ts', tests: ['test/dashboard/accounts.test.ts'] };

export const operatorFaults: readonly Fault[] = [
  {
    name: 'a key that manages gives the permission for all accounts',
    file: 'src/http/schemas/api-key.ts',
    tests: ['test/api/accounts.test.ts'],
    find: "Type.Array(closed([...accountPermissions], 'A permission.'), {",
    replace: "Type.Array(closed([...accountPermissions, 'accounts'], 'A permission.'), {",
  },
  {
    name: 'owners have the permission for all accounts',
    file: 'src/accounts/api-key.ts',
    tests: ['test/users/operators.test.ts'],
    find: 'accountPermissions = [...usual, ...onlyNamed] as const',
    replace: 'accountPermissions = [...usual, ...onlyNamed, ...ofInstallation] as const',
  },
  {
    name: 'a key for test mode has the permission for all accounts',
    file: 'src/accounts/key-changes.ts',
    tests: ['test/accounts/new-account.test.ts'],
    find: "tenant.mode === 'test' && permissions.includes('accounts')",
    replace: "tenant.mode === 'test' && permissions.length === 0",
  },
  {
    name: 'an account takes over the sign-in of an operator',
    file: 'src/users/user.ts',
    tests: ['test/users/operators.test.ts'],
    find: 'user.isOperator === true || Object',
    replace: 'Object',
  },
  {
    name: 'a link that an account has asked for leads to an operator',
    ...rules,
    find: 'isOperator: true, link: null }',
    replace: 'isOperator: true }',
  },
  {
    name: 'an operator is deleted with their last role',
    ...rules,
    find: 'length === 0 && user.isOperator === undefined',
    replace: 'length === 0',
  },
  {
    name: 'every user is an operator',
    ...screen,
    find: 'visitor.user.isOperator === true && mayDo',
    replace: 'mayDo',
  },
  {
    name: 'the secrets of an account are kept for a repetition of the request',
    ...route,
    find: '        showing(false),',
    replace: '        showing(true),',
  },
  {
    name: 'accounts of two processes get the same number, again and again',
    file: 'src/store/resources/directory.ts',
    tests: ['test/store/postgres.test.ts'],
    find: 'coalesce(max(number), 0) + 1 AS next',
    replace: 'coalesce(max(number), 1) AS next',
  },
  {
    name: 'there is no end of accounts',
    file: 'src/accounts/new-account.ts',
    tests: ['test/accounts/new-account.test.ts'],
    find: 'count >= MAX_ACCOUNTS',
    replace: 'count > MAX_ACCOUNTS',
  },
  {
    name: 'an account is not told of changes of its members',
    ...handler,
    find: "    case 'set_role':\n    case 'remove_role':\n      return [command.account];",
    replace: "    case 'set_role':\n    case 'remove_role':\n      return [];",
  },
  {
    name: 'an account is made again by a form that is sent twice',
    ...screens,
    find: '        onceIn(form),\n',
    replace: '',
  },
  {
    name: 'a new name overwrites one that somebody else has given meanwhile',
    ...screens,
    find: 'if (mistakes.length > 0) return one(',
    replace: 'if (mistakes.length > 9) return one(',
  },
  {
    name: 'each process makes challenges of passkeys under a secret of its own',
    file: 'src/store/resources/secrets.ts',
    tests: ['test/store/sqlite.test.ts'],
    find: '  return found.value;',
    replace: '  return candidate;',
  },
];
