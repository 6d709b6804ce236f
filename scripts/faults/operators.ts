/** Faults in accounts over the API and in operators of the installation: who may what, and what is told once. */
import type { Fault } from './fault.ts';

const rules = { file: 'src/users/user-changes.ts', tests: ['test/users/operators.test.ts'] };
const route = { file: 'src/http/routes/account.ts', tests: ['test/api/accounts.test.ts'] };
const handler = { file: 'src/writer/handlers/user.ts', tests: ['test/store/sqlite.test.ts'] };
const screen = { file: 'src/dashboard/screen.ts', tests: ['test/dashboard/doors.test.ts'] };
const screens = { file: 'src/dashboard/screens/accounts.ts', tests: ['test/dashboard/accounts.test.ts'] };

const oidc = { file: 'src/dashboard/oidc.ts', tests: ['test/dashboard/oidc.test.ts'] };
const identities = {
  file: 'src/users/sign-in-rules.ts',
  tests: ['test/users/identities.test.ts', 'test/dashboard/oidc.test.ts'],
};
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
    name: 'a token is taken that the provider has made for another client',
    ...oidc,
    find: 'azp !== undefined && azp !== clientId',
    replace: 'azp !== undefined && azp === null',
  },
  {
    name: 'a sign-in at a provider may be of any time to come',
    ...oidc,
    find: 'iat > latest || (authTime ?? 0) > latest',
    replace: 'iat > latest',
  },
  {
    name: 'the name of somebody at a provider may be empty, and as long as it likes',
    ...oidc,
    find: '!SUBJECT.test(subject)',
    replace: 'SUBJECT.source === subject',
  },
  {
    name: 'a mistake of ours is told as one of the provider',
    ...oidcScreens,
    find: 'if (!(error instanceof ProviderAway || error instanceof Unproved)) throw error;',
    replace: 'if (!(error instanceof Error)) throw error;',
  },
  {
    name: 'anybody leads the service to the provider as often as they like',
    file: 'src/dashboard/routes.ts',
    tests: ['test/dashboard/oidc.test.ts'],
    find: 'BEGINS.includes(route) ? begins : null',
    replace: 'route.length < 0 ? begins : null',
  },
  {
    name: 'another account of the provider at a proof is not counted',
    ...identities,
    find: ": { kind: 'failed', user: withChanged(user, id, { failures: oneMore(own.failures, now) }) };",
    replace: ": { kind: 'unchanged', user };",
  },
  {
    name: 'what anybody sends stands in the log',
    ...oidc,
    find: '/^\\w{1,60}$/.test(each)',
    replace: 'each !== null',
  },
  {
    name: 'an account of a provider that was replaced counts as one of the current',
    ...oidc,
    find: 'knows: (identity) => sameAddress(identity.issuer, issuer)',
    replace: "knows: (identity) => !sameAddress(identity.issuer, '')",
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
    find: 'keepMs: FAILED_MS',
    replace: 'keepMs: METADATA_MS',
  },
  {
    name: 'an account of a provider is connected to whoever comes back',
    ...oidcScreens,
    find: 'visitor === null || visitor.signIn.id !== signIn',
    replace: 'visitor === null',
  },
  {
    name: 'a browser writes the cookie of a sign-in at a provider itself',
    file: 'src/dashboard/oidc-flow.ts',
    tests: ['test/dashboard/oidc.test.ts'],
    find: "content === '' || !isSame(",
    replace: "content === '' && !isSame(",
  },
  {
    name: 'the mark of a sign-in at a provider is known to everybody',
    file: 'src/dashboard/oidc-flow.ts',
    tests: ['test/dashboard/oidc.test.ts'],
    find: "await secrets.keep('oidc_flows', randomText(SECRET_LENGTH))",
    replace: "(await Promise.resolve(randomText(SECRET_LENGTH))) && 'known'",
  },
  {
    name: 'an account of a provider is connected by whoever has got hold of a sign-in',
    ...identities,
    find: 'if (!isConfirmed(signIn, now)) return',
    replace: 'if (!isConfirmed(signIn, 0)) return',
  },
  {
    name: 'a sign-in for which the provider has asked nothing is a proof of who somebody is',
    ...identities,
    find: 'provenAt === null ? null : Math.min(now, provenAt)',
    replace: 'provenAt === null ? null : now',
  },
  {
    name: 'a sign-in of which the provider does not tell when it was is a proof of who somebody is',
    ...identities,
    find: 'const confirmedAt = provenAt === null ? null :',
    replace: 'const confirmedAt = provenAt === null ? now :',
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
