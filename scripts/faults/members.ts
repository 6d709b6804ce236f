/** Faults in members of accounts: who becomes one, to whom links lead, and what is told of other accounts. */
import type { Fault } from './fault.ts';

const rules = { file: 'src/users/user-changes.ts', tests: ['test/users/user-changes.test.ts'] };
const route = { file: 'src/http/routes/member.ts', tests: ['test/api/member.test.ts'] };
const handler = { file: 'src/writer/handlers/user.ts', tests: ['test/api/member.test.ts'] };
const shown = { file: 'src/users/representation.ts', tests: ['test/api/member.test.ts'] };
const inDatabase = { file: 'src/cli/members/in-database.ts', tests: ['test/cli/users.test.ts'] };
const firstStart = { file: 'src/cli/first-start.ts', tests: ['test/cli/serve.test.ts'] };
const screen = { file: 'src/dashboard/screens/members.ts', tests: ['test/dashboard/members.test.ts'] };

export const memberFaults: readonly Fault[] = [
  {
    name: 'a member is removed, or gets a link, whose role is no longer the one that was seen',
    ...screen,
    find: 'seen !== undefined && seen !== now.data.role',
    replace: "seen === ''",
  },
  {
    name: 'an invitation that is refused on the second page of the members shows the first',
    ...screen,
    find: 'action="${to(place)}${hereIn(query)}"',
    replace: 'action="${to(place)}"',
  },
  {
    name: 'who changes a role on the second page of the members is shown the first',
    ...screen,
    find: 'action="${to(visit.place, \'/role\')}${hereIn(visit.query)}"',
    replace: 'action="${to(visit.place, \'/role\')}"',
  },
  {
    name: 'who removes a member on the second page is shown the first',
    ...screen,
    find: "left.data.length > 0 ? hereIn(query) : ''",
    replace: "left.data.length < 0 ? hereIn(query) : ''",
  },
  {
    name: 'who removes the last member of a page is shown an empty one',
    ...screen,
    find: 'left.ok && left.data.length > 0',
    replace: 'left.ok',
  },
  {
    name: 'who makes a link on the second page of the members is shown the first',
    ...screen,
    find: 'linkScreen(answer.data, to(place) + hereIn(query))',
    replace: 'linkScreen(answer.data, to(place))',
  },
  {
    name: 'who revokes a key on the second page is shown the first',
    file: 'src/dashboard/screens/keys.ts',
    tests: ['test/dashboard/keys.test.ts'],
    find: '`keys${hereIn(query)}`',
    replace: "'keys'",
  },
  {
    name: 'a key that is refused on the second page of the keys shows the first',
    file: 'src/dashboard/screens/keys.ts',
    tests: ['test/dashboard/keys.test.ts'],
    find: 'action="${here}${hereIn(query)}"',
    replace: 'action="${here}"',
  },
  {
    name: 'who has a provider event looked at again is led to another list',
    file: 'src/dashboard/screens/provider-events.ts',
    tests: ['test/dashboard/provider-events.test.ts'],
    find: '`provider-events${here}`',
    replace: "'provider-events?status=waiting'",
  },
  {
    name: 'who sends a delivery again leaves the list',
    file: 'src/dashboard/screens/delivery.ts',
    tests: ['test/dashboard/webhooks.test.ts'],
    find: 'listBehind(form) ?? ',
    replace: '',
  },
  {
    name: 'who sends all again that has failed loses the filters of the list',
    file: 'src/dashboard/screens/webhooks.ts',
    tests: ['test/dashboard/webhooks.test.ts'],
    find: 'goTo: wayIn(place.tenant, `webhooks${hereIn(visit.query, filtersFor([]))}`)',
    replace: "goTo: wayIn(place.tenant, 'webhooks')",
  },
  {
    name: 'a role that somebody else has changed is told to be as it was chosen',
    ...screen,
    find: 'saved.data.role === role',
    replace: "saved.data.role !== ''",
  },
  {
    name: 'an invitation that is sent twice is made twice',
    ...screen,
    find: "'/v3/member', { role, name, email }, onceIn(form))",
    replace: "'/v3/member', { role, name, email })",
  },
  {
    name: 'an invitation changes the role of a member',
    ...rules,
    find: 'byEmail !== null && roleOn(byEmail, account) !== undefined',
    replace: 'byEmail !== null && roleOn(byEmail, account) === undefined',
  },
  {
    name: 'an account takes over the sign-in of somebody who works for another one as well',
    ...rules,
    file: 'src/users/user.ts',
    find: 'Object.keys(user.roles).length > 1',
    replace: 'Object.keys(user.roles).length > 2',
  },
  {
    name: 'an account takes over the sign-in of somebody who does not work for it',
    ...rules,
    find: 'if (roleOn(user, account) === undefined) return noSuchMember;\n    if (isMoreThan',
    replace: 'if (isMoreThan',
  },
  {
    name: 'an account is told that somebody is a user of others',
    ...rules,
    find: "'account' in command && command.account !== null ? noSuchMember : noSuchUser",
    replace: 'noSuchUser',
  },
  {
    name: 'no owner can be removed',
    ...handler,
    find: "command.type === 'set_role' || command.type === 'remove_role'",
    replace: "command.type === 'set_role'",
  },
  {
    name: 'a link is kept for a repetition of the request',
    ...route,
    find: "change(request, id, { type: 'invite_user', id, ...invite }, showing(null))",
    replace: "change(request, id, { type: 'invite_user', id, ...invite }, showing(secret))",
  },
  {
    name: 'idempotency keys of two accounts meet',
    ...route,
    file: 'src/http/answer.ts',
    find: '`${tenantName(own)} ${idempotency.key}`',
    replace: 'idempotency.key',
  },
  {
    name: 'a member of another account is shown',
    ...route,
    tests: ['test/api/auth.test.ts'],
    find: 'user === null || roleOn(user, account) === undefined',
    replace: 'user === null',
  },
  {
    name: 'a key of test mode makes an owner',
    ...route,
    tests: ['test/api/auth.test.ts'],
    find: "operation: 'MEMBER.INVITE',\n        tag,\n        permission,\n        liveOnly: true,",
    replace: "operation: 'MEMBER.INVITE',\n        tag,\n        permission,",
  },
  {
    name: 'an operation of live mode asks for no mode',
    file: 'src/http/admission.ts',
    tests: ['test/api/auth.test.ts'],
    find: "liveOnly ? 'live' : tenant.mode",
    replace: 'liveOnly ? tenant.mode : tenant.mode',
  },
  {
    name: 'an address is kept as it was typed',
    ...route,
    find: 'email: emailKey(email)',
    replace: 'email',
  },
  {
    name: 'a member is told of with the role on another account',
    ...shown,
    find: 'role: roleOn(user, account)',
    replace: 'role: Object.values(user.roles)[0]',
  },
  {
    name: 'whoever lacks the second factor was seen',
    ...shown,
    tests: ['test/users/representation.test.ts'],
    find: '!isWhole ? [] : [seenAt]',
    replace: '[seenAt]',
  },
  {
    name: 'members of all accounts are listed',
    file: 'src/store/resources/users.ts',
    tests: ['test/api/member.test.ts'],
    find: 'users.page(tenant, [hasRole(account)], page)',
    replace: 'users.page(tenant, [], page)',
  },
  {
    name: 'an answer to an invitation belongs to no account',
    file: 'src/store/check/check.ts',
    tests: ['test/cli/db-check.test.ts'],
    find: "  'installation_secret',\n  'idempotency',\n",
    replace: "  'installation_secret',\n",
  },
  {
    name: 'answers about users are kept for ever on PostgreSQL',
    file: 'src/store/postgres/retention.ts',
    tests: ['test/store/postgres.test.ts'],
    withPostgres: true,
    find: '[...tenants, installation]',
    replace: 'tenants',
  },
  {
    name: 'the operator cannot bring back who works for two accounts',
    ...inDatabase,
    find: "type: 'reset_user', account: null,",
    replace: "type: 'reset_user', account: 1,",
  },
  {
    name: 'the command line keeps an address as it was typed',
    ...inDatabase,
    find: 'email: email.toLowerCase()',
    replace: 'email',
  },
  {
    name: 'the list of users ends with its first page',
    ...inDatabase,
    find: 'if (!hasMore || last',
    replace: 'if (hasMore || last',
  },
  {
    name: 'an account is typed for a server that does not look at it',
    file: 'src/cli/members/at-server.ts',
    tests: ['test/cli/users.test.ts'],
    find: 'refuseAccount(account);\n      await client.send',
    replace: 'await client.send',
  },
  {
    name: 'a name with a line break is taken on the command line',
    file: 'src/cli/declare/values.ts',
    tests: ['test/cli/users.test.ts'],
    find: ' && lineProblem(typed) === null',
    replace: '',
  },
  {
    name: 'each start invites an owner',
    ...firstStart,
    find: '  if (made === null) return null;\n  await secret',
    replace: '  if (made === null && account.number !== 1) return null;\n  await secret',
  },
  {
    name: 'the first user may only read',
    ...firstStart,
    find: "role: 'owner'",
    replace: "role: 'read_only'",
  },
];
