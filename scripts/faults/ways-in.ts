/** Faults in ways to sign in: common passwords, invitations accepted by a provider, users without a password. */
import type { Fault } from './fault.ts';

const invitations = ['test/users/identities.test.ts', 'test/dashboard/oidc-invitations.test.ts'];
const rules = { file: 'src/users/user-changes.ts', tests: invitations };
const identities = { file: 'src/users/sign-in-rules.ts', tests: invitations };
const screens = { file: 'src/dashboard/screens/oidc.ts', tests: ['test/dashboard/oidc-invitations.test.ts'] };
const common = { file: 'src/users/common-passwords.ts', tests: ['test/users/common-passwords.test.ts'] };
const full = ['test/users/user-changes.test.ts', 'test/api/full-installation.test.ts'];

export const wayInFaults: readonly Fault[] = [
  {
    name: 'a common password is taken in capital letters',
    ...common,
    find: ".normalize('NFKC').toLowerCase()",
    replace: ".normalize('NFKC')",
  },
  {
    name: 'two common passwords together are a good one',
    ...common,
    find: 'isListed(all, one) && isListed(all, other)',
    replace: 'isListed(all, one) && isListed(all, other.slice(0, 0))',
  },
  {
    name: 'a long password is taken apart wherever it can be',
    ...common,
    find: 'Math.min(LONGEST_PART, text.length - SHORTEST_PART)',
    replace: 'text.length - SHORTEST_PART',
  },
  {
    name: 'a word with many random digits is told to be common',
    ...common,
    find: 'text.length - core.length <= MOST_AROUND',
    replace: 'text.length >= core.length',
  },
  {
    name: 'a common password is set in the dashboard',
    file: 'src/dashboard/personal.ts',
    tests: ['test/dashboard/sign-in.test.ts', 'test/dashboard/oidc-invitations.test.ts'],
    find: 'mistakes.length === 0 && (await isCommon(password))',
    replace: 'mistakes.length === 0 && (await isCommon(field))',
  },
  {
    name: 'the name of an account is a password for it',
    file: 'src/dashboard/personal.ts',
    tests: ['test/dashboard/sign-in.test.ts'],
    find: '...accounts.map(',
    replace: '...accounts.slice(0, 0).map(',
  },
  {
    name: 'an invitation is accepted by a sign-in at the provider that is long past',
    ...screens,
    find: "purpose === 'confirm' || purpose === 'accept'",
    replace: "purpose === 'confirm'",
  },
  {
    name: 'somebody who has lost the way in comes back by any account of the provider',
    ...rules,
    find: '!isInvited(user) || !isGood(user.link, secretHash, now)',
    replace: '!isGood(user.link, secretHash, now)',
  },
  {
    name: 'two users sign in by one account of a provider since they were invited',
    ...rules,
    find: "if (facts.byIdentity !== null) return refuse('user_exists', IDENTITY_TAKEN);",
    replace: '',
  },
  {
    name: 'an invitation that was accepted by a provider is still an invitation',
    file: 'src/users/user.ts',
    tests: invitations,
    find: 'password === null && identity === undefined',
    replace: 'password === null',
  },
  {
    name: 'who has no password locks themselves out',
    ...identities,
    find: "if (user.password === null) return refuse('not_found', IDENTITY_STAYS);",
    replace: '',
  },
  {
    name: 'who has no password removes the last passkey',
    ...identities,
    find: 'if (keepsPasskey(user))',
    replace: 'if (keepsPasskey(user) && user.identity === undefined)',
  },
  {
    name: 'who has no password can remove no passkey at all',
    ...identities,
    find: 'password === null && passkeys.length === 1',
    replace: 'password === null && passkeys.length > 0',
  },
  {
    name: 'an account of a former provider counts as a proof',
    file: 'src/dashboard/confirm.ts',
    tests: ['test/dashboard/oidc-invitations.test.ts'],
    find: 'user.identity !== undefined && provider?.knows(user.identity) === true',
    replace: 'user.identity !== undefined',
  },
  {
    name: 'a passkey that stays is told to be removed',
    file: 'src/dashboard/screens/factors.ts',
    tests: ['test/dashboard/oidc-invitations.test.ts'],
    find: "if (isRefusal(decision)) return refused(422, mistake(decision.detail));\n    return { goTo: '/profile', done: doneIf(decision.kind === 'change', 'passkey-removed') };",
    replace: "return { goTo: '/profile', done: 'passkey-removed' };",
  },
  {
    name: 'a password is set by whoever has got hold of a sign-in',
    ...identities,
    find: "if (!isConfirmed(signIn, now)) return refuse('not_found', TOO_LONG_AGO);\n  if (user.password",
    replace: 'if (user.password',
  },
  {
    name: 'who has no way left to prove who they are is asked for a proof all the same',
    file: 'src/dashboard/confirm.ts',
    tests: ['test/dashboard/oidc-invitations.test.ts'],
    find: 'if (!hasWay(dependencies, user))',
    replace: 'if (user.password === null && user.identity === undefined)',
  },
  {
    name: 'doctor takes an account of another provider for a way to sign in',
    file: 'src/cli/doctor/users.ts',
    tests: ['test/cli/doctor/users.test.ts'],
    find: 'identity !== undefined && !isOfProvider(identity, issuer)',
    replace: "identity !== undefined && issuer === ''",
  },
  {
    name: 'doctor takes somebody with a password for somebody who cannot sign in',
    file: 'src/cli/doctor/users.ts',
    tests: ['test/cli/doctor/users.test.ts'],
    find: 'password === null && passkeys.length === 0 && identity',
    replace: 'passkeys.length === 0 && identity',
  },
  {
    name: 'a password goes along through a proof of who somebody is',
    file: 'src/dashboard/confirm.ts',
    tests: ['test/dashboard/oidc-invitations.test.ts'],
    find: "  'new_password',\n",
    replace: '',
  },
  {
    name: 'a form that was kept goes to whoever signs in',
    file: 'src/dashboard/sign-in-forms.ts',
    tests: ['test/dashboard/oidc-invitations.test.ts'],
    find: 'kept === null || kept.user !== user',
    replace: 'kept === null',
  },
  {
    name: 'nobody is told of other ways in behind a new password',
    file: 'src/dashboard/screens/profile.ts',
    tests: ['test/dashboard/oidc-invitations.test.ts'],
    find: 'identity !== undefined || passkeys.length > 0',
    replace: 'identity !== undefined && passkeys.length > 20',
  },
  {
    name: 'an open invitation gives its place to another',
    ...{ file: 'src/users/user-changes.ts', tests: full },
    find: 'each.link === null || each.link.until <= now',
    replace: 'each.link === null || each.link.until > 0',
  },
  {
    name: 'the log does not tell who is no operator any more',
    file: 'src/writer/handlers/user.ts',
    tests: ['test/store/sqlite.test.ts'],
    find: "command.isOperator ? MADE_OPERATOR : 'unmake_operator'",
    replace: 'MADE_OPERATOR',
  },
  {
    name: 'views on one account leave no room for those on another',
    file: 'src/users/views.ts',
    tests: ['test/users/views.test.ts'],
    find: 'others.filter(({ account }) => account === view.account).length',
    replace: 'others.length',
  },
  {
    name: 'views of a user have no end',
    file: 'src/users/views.ts',
    tests: ['test/users/views.test.ts'],
    find: 'characters > MAX_VIEW_CHARACTERS',
    replace: 'characters < 0',
  },
];
