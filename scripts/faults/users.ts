/** Faults in users and the dashboard: who comes in, how often a proof is good, and what a form may do. */
import type { Fault } from './fault.ts';

const rules = { file: 'src/users/user-changes.ts', tests: ['test/users/user-changes.test.ts'] };
const signing = { ...rules, file: 'src/users/sign-in-rules.ts' };
const signIn = ['test/dashboard/sign-in.test.ts'];
const profile = ['test/dashboard/profile.test.ts'];
const doors = ['test/dashboard/doors.test.ts'];
const passkeys = { file: 'src/users/passkeys.ts', tests: ['test/users/passkeys.test.ts'] };
const screen = { file: 'src/dashboard/screen.ts', tests: doors };
const users = { file: 'src/store/resources/users.ts' };

export const userFaults: readonly Fault[] = [
  {
    name: 'signing nobody out is a change, of which the log tells',
    ...rules,
    find: 'signIns.length === user.signIns.length ?',
    replace: 'signIns.length < 0 ?',
  },
  {
    name: 'who signs nobody out is told to have signed somebody out',
    file: 'src/dashboard/screens/profile.ts',
    tests: profile,
    find: "doneIf(decision.kind === 'change', done)",
    replace: 'done',
  },
  {
    name: 'who removes no passkey is told to have removed one',
    file: 'src/dashboard/screens/factors.ts',
    tests: profile,
    find: "doneIf(decision.kind === 'change', 'passkey-removed')",
    replace: "'passkey-removed'",
  },
  {
    name: 'who removes no view is told to have removed one',
    file: 'src/dashboard/screens/sessions.ts',
    tests: profile,
    find: "doneIf(removed.kind === 'change', 'view-removed')",
    replace: "'view-removed'",
  },
  {
    name: 'who removes a view loses the filters of the list',
    file: 'src/dashboard/screens/sessions.ts',
    tests: profile,
    find: 'const search = searchOf(filtersIn(shown), askedColumns(shown));',
    replace: "const search = '';",
  },
  {
    name: 'a link is good after its time',
    ...rules,
    find: 'link.hash === hash && now < link.until;',
    replace: 'link.hash === hash;',
  },
  {
    name: 'an account loses its only owner, who is invited, to the place of somebody else',
    ...rules,
    find: 'allExpired.filter((each) => !ownsAny(each)),',
    replace: 'allExpired.filter((each) => ownsAny(each)),',
  },
  {
    name: 'the log of an account has the id of a request of another one, whose user took the place of an invitation',
    file: 'src/writer/handlers/user.ts',
    tests: ['test/api/full-installation.test.ts'],
    find: "const audit = lineOf(ownOrigin(origin.tenant, 'time'));",
    replace: 'const audit = lineOf(origin);',
  },
  {
    name: 'a password counts that was changed meanwhile',
    ...signing,
    find: "verified !== null && verified === user.password ? right() : null;\n  return done === null\n    ? { kind: 'failed', user: { ...user,",
    replace:
      "verified !== null ? right() : null;\n  return done === null\n    ? { kind: 'failed', user: { ...user,",
  },
  {
    name: 'wrong passwords are looked at without a pause',
    ...signing,
    find: 'count >= FREE_FAILURES && now < lastAt + PAUSE_MS',
    replace: 'count >= FREE_FAILURES && now < lastAt',
  },
  {
    name: 'a right password alone ends the count of wrong codes',
    ...signing,
    find: 'failures: NO_FAILURES, signIns } : { ...user, signIns };',
    replace: 'failures: NO_FAILURES, signIns } : { ...user, failures: NO_FAILURES, signIns };',
  },
  {
    name: 'recovery codes are given for a second factor that is not there',
    ...rules,
    find: "if (user.totp === null) return refuse('not_found', NO_SECOND_FACTOR);",
    replace: '',
  },
  {
    name: 'a name that stays as it is stands in the log of changes',
    ...rules,
    find: 'name === user.name && email === user.email',
    replace: 'name === user.name && email !== user.email',
  },
  {
    name: 'recovery codes that were refused are shown',
    file: 'src/dashboard/screens/factors.ts',
    tests: ['test/dashboard/sign-in.test.ts'],
    find: '    if (isRefusal(decision)) return refused(422, mistake(decision.detail));\n    return codesScreen(',
    replace: '    return codesScreen(',
  },
  {
    name: 'a recovery code is good twice',
    ...signing,
    find: 'recoveryCodes: user.recoveryCodes.filter((each) => each !== hash) };',
    replace: 'recoveryCodes: user.recoveryCodes };',
  },
  {
    name: 'a one-time password is good twice',
    file: 'src/users/codes.ts',
    tests: ['test/users/user-changes.test.ts'],
    find: 'Math.max(current - WINDOW, lastStep + 1)',
    replace: 'Math.max(current - WINDOW, lastStep)',
  },
  {
    name: 'the cookie stays the same behind the second factor',
    ...signing,
    find: 'const whole = { secretHash, isWhole: true, confirmedAt: now, seenAt: now };',
    replace: 'const whole = { isWhole: true, confirmedAt: now, seenAt: now };',
  },
  {
    name: 'whoever is signed in proves it by the password alone, though there is a second factor',
    ...signing,
    find: 'const used = user.totp === null ? user : withCodeUsed(user, code, now);',
    replace: "const used = user.totp === null || code === '' ? user : withCodeUsed(user, code, now);",
  },
  {
    name: 'the last owner gives the role away',
    ...rules,
    find: "current === 'owner' && owners.includes(user.id) && owners.length === 1",
    replace: "current === 'owner' && !owners.includes(user.id) && owners.length === 1",
  },
  {
    name: 'an invitation is good for whoever has another link',
    ...rules,
    find: 'invitation === null || !isInvited(invitation) || !isGood(invitation.link, secretHash, now)',
    replace: 'invitation === null || !isInvited(invitation)',
  },
  {
    name: 'a way back is an invitation',
    ...rules,
    find: 'invitation === null || !isInvited(invitation) || !isGood',
    replace: 'invitation === null || !isGood',
  },
  {
    name: 'whoever is only invited counts as an owner',
    ...users,
    tests: ['test/api/member.test.ts'],
    find: "roleOn(user, account) === 'owner' && !isInvited(user)",
    replace: "roleOn(user, account) === 'owner'",
  },
  {
    name: 'the address of an invitation is claimed',
    ...users,
    tests: ['test/store/sqlite.test.ts'],
    find: '(isInvited(user) ? null : user.email);',
    replace: 'user.email || null;',
  },
  {
    name: 'a changed password leaves other browsers signed in',
    ...rules,
    find: '        signIns: user.signIns.filter(({ id }) => id === command.signIn),\n      }));',
    replace: '      }));',
  },
  {
    name: 'a passkey is good twice for one challenge',
    ...signing,
    find: 'askedAt <= passkey.usedAt',
    replace: 'askedAt < passkey.usedAt',
  },
  {
    name: 'a link that one account has asked for leads to another one',
    ...rules,
    find: 'const after = { ...user, link: null, roles,',
    replace: 'const after = { ...user, roles,',
  },
  {
    name: 'a link outlives the sign-in of whom it is for',
    ...signing,
    find: 'isWhole ? { ...user, link: null,',
    replace: 'isWhole ? { ...user,',
  },
  {
    name: 'half a sign-in pushes out a whole one',
    ...signing,
    find: 'each.isWhole === isWhole',
    replace: 'each.isWhole !== isWhole',
  },
  {
    name: 'strangers keep who is signed in from proving it',
    ...signing,
    find: 'isPaused(signIn.failures, now)',
    replace: 'isPaused(user.failures, now)',
  },
  {
    name: 'a proof leaves the cookie as it was',
    ...signing,
    find: '  secretHash,\n  confirmedAt,\n  failures: NO_FAILURES,',
    replace: '  confirmedAt,\n  failures: NO_FAILURES,',
  },
  {
    name: 'an account takes all users of the installation',
    ...rules,
    find: 'members >= MAX_MEMBERS',
    replace: 'members >= MAX_USERS',
  },
  {
    name: 'one address takes all turns of passwords',
    file: 'src/users/passwords.ts',
    tests: ['test/users/passwords.test.ts'],
    find: ' || ofAddresses.of(client) >= ofOne',
    replace: '',
  },
  {
    name: 'a challenge is good for ever',
    ...passkeys,
    find: 'made <= now && now < made + CHALLENGE_MS',
    replace: 'made <= now',
  },
  {
    name: 'a challenge to make a passkey is good for signing in',
    ...passkeys,
    find: '.update(purpose)',
    replace: ".update('any')",
  },
  {
    name: 'a password that is wrong is right',
    file: 'src/users/passwords.ts',
    tests: ['test/users/passwords.test.ts'],
    find: 'timingSafeEqual(await tagOf(password, parameters), tag) && hash !== null',
    replace: '(await tagOf(password, parameters)).length === tag.length && hash !== null',
  },
  {
    name: 'half a sign-in is a whole one',
    file: 'src/dashboard/visitor.ts',
    tests: signIn,
    find: 'visitor === null || !visitor.signIn.isWhole',
    replace: 'visitor === null',
  },
  {
    name: 'the secret of a cookie is not looked at',
    file: 'src/dashboard/visitor.ts',
    tests: signIn,
    find: 'signIn === undefined || !isSecretOf(signIn, cookie)',
    replace: 'signIn === undefined',
  },
  {
    name: 'a form needs no token',
    ...screen,
    find: "method === 'POST' && !hasFormToken(request, visitor)",
    replace: "method === 'PUT' && !hasFormToken(request, visitor)",
  },
  {
    name: 'forms of other sites are taken',
    file: 'src/lib/foreign-form.ts',
    tests: doors,
    find: "site !== 'same-origin' && site !== 'none'",
    replace: "site === 'cross'",
  },
  {
    name: 'an old browser may send forms of other sites',
    file: 'src/lib/foreign-form.ts',
    tests: doors,
    find: 'origin !== undefined && origin !== new URL(ownUrl).origin',
    replace: 'false',
  },
  {
    name: 'who signs in is led to another site',
    file: 'src/dashboard/kept.ts',
    tests: signIn,
    find: '/^\\/dashboard(\\/[\\w./-]*)?(\\?[\\w.~%&=+:@,-]*)?$/.test(path)',
    replace: "path.startsWith('/dashboard')",
  },
  {
    name: 'a password is kept in a page',
    file: 'src/dashboard/kept.ts',
    tests: signIn,
    find: "  'current_password',\n",
    replace: '',
  },
  {
    name: 'an account has no owner that is found',
    ...users,
    tests: ['test/store/sqlite.test.ts'],
    find: "accounts.map((account) => hasRole(account, 'owner'))",
    replace: "accounts.map((account) => hasRole(account, 'finance'))",
  },
  {
    name: 'members of account 11 are members of account 1',
    ...users,
    tests: ['test/store/sqlite.test.ts'],
    find: '`% ${account}:${role} %`',
    replace: '`%${account}:${role} %`',
  },
];
