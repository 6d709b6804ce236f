/** Faults in accounts over the API and in operators of the installation: who may what, and what is told once. */
import type { Fault } from './fault.ts';

const rules = { file: 'src/users/user-changes.ts', tests: ['test/users/operators.test.ts'] };
const route = { file: 'src/http/routes/account.ts', tests: ['test/api/accounts.test.ts'] };
const handler = { file: 'src/writer/handlers/user.ts', tests: ['test/store/sqlite.test.ts'] };
const screen = { file: 'src/dashboard/screen.ts', tests: ['test/dashboard/doors.test.ts'] };
const screens = { file: 'src/dashboard/screens/accounts.ts', tests: ['test/dashboard/accounts.test.ts'] };

const oidc = { file: 'src/dashboard/oidc.ts', tests: ['test/dashboard/oidc.test.ts'] };
const oidcScreens = { file: 'src/dashboard/screens/oidc.ts', tests: ['test/dashboard/oidc.test.ts'] };

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
    name: 'no log says that an invitation has made an operator',
    ...handler,
    find: '!isOperating(before) && isOperating(after)',
    replace: 'isOperating(before) && isOperating(after)',
  },
  {
    name: 'an invitation is told as an operator who is there',
    ...handler,
    find: 'user?.isOperator === true && !isInvited(user)',
    replace: 'user?.isOperator === true',
  },
  {
    name: 'a cookie that was stolen takes a role more',
    file: 'src/dashboard/screens/link.ts',
    tests: ['test/dashboard/sign-in.test.ts'],
    find: "path: '/link/:token/join', needs: 'own-confirmed'",
    replace: "path: '/link/:token/join', needs: 'sign-in'",
  },
  {
    name: 'nobody is told that a link makes them an operator',
    file: 'src/dashboard/screens/link.ts',
    tests: ['test/dashboard/sign-in.test.ts'],
    find: '${invitation.isOperator && asOperator}',
    replace: '',
  },
  {
    name: 'an operator without a role is told to be gone',
    file: 'src/cli/members/in-database.ts',
    tests: ['test/cli/users.test.ts'],
    find: 'isOperator: user.isOperator === true',
    replace: 'isOperator: false',
  },
  {
    name: 'the owners of accounts leave no room for other users',
    file: 'src/accounts/new-account.ts',
    tests: ['test/accounts/new-account.test.ts'],
    find: 'MAX_ACCOUNTS = 2_000',
    replace: 'MAX_ACCOUNTS = 10_000',
  },
  {
    name: 'each screen lists all accounts of its visitor',
    file: 'src/dashboard/place.ts',
    tests: ['test/dashboard/accounts.test.ts'],
    find: 'index < LISTED || each === number',
    replace: 'index < LISTED || each > 0',
  },
  {
    name: 'the account of a screen is not there, because its visitor has many',
    file: 'src/dashboard/place.ts',
    tests: ['test/dashboard/accounts.test.ts'],
    find: 'index < LISTED || each === number',
    replace: 'index < LISTED',
  },
  {
    name: 'the names of two accounts look the same',
    file: 'src/accounts/account.ts',
    tests: ['test/accounts/account.test.ts'],
    find: "if (UNSEEN.test(text)) return 'must",
    replace: "if (text === '') return 'must",
  },
  {
    name: 'a name of an account steers a terminal',
    file: 'src/cli/commands/accounts/list.ts',
    tests: ['test/cli/accounts.test.ts'],
    find: 'printable(account.name)',
    replace: 'account.name',
  },
  {
    name: 'anybody fills the log of the installation with views',
    file: 'src/writer/handlers/user.ts',
    tests: ['test/dashboard/saved-views.test.ts'],
    find: "'save_view', 'remove_view'",
    replace: "'see_sign_in'",
  },
  {
    name: 'a view that is as it was is written again',
    file: 'src/users/views.ts',
    tests: ['test/users/views.test.ts'],
    find: 'known?.query === query',
    replace: "known?.query === ''",
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
  {
    name: 'a token of a provider is taken without a look at its signature',
    ...oidc,
    find: 'execute: [enableNonRepudiationChecks, ...',
    replace: 'execute: [...',
  },
  {
    name: 'an old sign-in at the provider proves anew who one is',
    ...oidc,
    find: 'authTime >= Math.floor(since / 1000) - SKEW_SECONDS',
    replace: 'authTime > 0',
  },
  {
    name: 'a provider is believed whatever state comes back',
    ...oidc,
    find: 'expectedState: state,',
    replace: "expectedState: new URLSearchParams(query).get('state') ?? '',",
  },
  {
    name: 'a provider is believed whatever nonce its token has',
    ...oidc,
    find: 'expectedNonce: nonce,',
    replace: '...(nonce ? {} : { expectedNonce: nonce }),',
  },
  {
    name: 'an answer of a provider may be as long as it likes',
    ...oidc,
    find: 'if (length > MAX_BYTES)',
    replace: 'if (length < 0)',
  },
  {
    name: 'what a provider could not tell once is never asked again',
    ...oidc,
    find: 'if (known === asked) known = null;',
    replace: 'if (known !== asked) known = null;',
  },
  {
    name: 'an account of a provider is connected to whoever comes back',
    ...oidcScreens,
    find: 'visitor === null || visitor.signIn.id !== signIn',
    replace: 'visitor === null',
  },
  {
    name: 'a sign-in at a provider can be begun and never ends',
    file: 'src/dashboard/oidc-flow.ts',
    tests: ['test/dashboard/oidc.test.ts'],
    find: 'isFlow(flow) && now < flow.startedAt + FLOW_SECONDS * 1000 ?',
    replace: 'isFlow(flow) && now > 0 ?',
  },
  {
    name: 'an account of a provider is of two users',
    file: 'src/users/sign-in-rules.ts',
    tests: ['test/dashboard/oidc.test.ts'],
    find: 'byIdentity !== null && byIdentity.id !== user.id',
    replace: 'byIdentity !== null && byIdentity.id === user.id',
  },
  {
    name: 'an account of a provider outlives the link that brings its user back',
    ...rules,
    tests: ['test/dashboard/oidc.test.ts'],
    find: 'const { identity: _, ...others } = user;',
    replace: 'const others = user;',
  },
];
