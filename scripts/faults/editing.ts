/** Faults where two people change the same, and in what is changed of an account: its logo, and the key of its credentials. */
import type { Fault } from './fault.ts';

const api = ['test/api/conditions.test.ts'];
const condition = { file: 'src/lib/condition.ts', tests: api };
const tags = { file: 'src/accounts/tags.ts', tests: api };
const save = { file: 'src/dashboard/save.ts', tests: ['test/dashboard/settings.test.ts'] };
const logo = { file: 'src/dashboard/screens/logo.ts', tests: ['test/dashboard/logo.test.ts'] };
const receivingAccounts = {
  file: 'src/dashboard/screens/receiving-account.ts',
  tests: ['test/dashboard/receiving-accounts.test.ts'],
};
const endpoint = { file: 'src/dashboard/screens/endpoint.ts', tests: ['test/dashboard/endpoints.test.ts'] };
const mappings = { file: 'src/dashboard/screens/mappings.ts', tests: ['test/dashboard/mappings.test.ts'] };
const session = { file: 'src/dashboard/screens/session.ts', tests: ['test/dashboard/session.test.ts'] };
const reseal = { file: 'src/http/routes/reseal.ts', tests: ['test/api/reseal.test.ts'] };

export const editingFaults: readonly Fault[] = [
  {
    name: 'a change for a version that is no longer the newest is made',
    ...tags,
    find: '!isMet(condition, tagBefore(account, mode, command))',
    replace: 'tagBefore(account, mode, command) === null && !isMet(condition, null)',
  },
  {
    name: 'what is there already is made anew',
    ...condition,
    find: '(noneMatch === undefined || !has(noneMatch))',
    replace: "(noneMatch === undefined || noneMatch === '*' || !has(noneMatch))",
  },
  {
    name: 'a change of what is not there is made although it has to be there',
    ...condition,
    find: 'tag !== null && (wanted',
    replace: "(tag !== null || wanted === '*') && (wanted",
  },
  {
    name: 'other receiving accounts make a version stale',
    ...tags,
    find: "if ('id' in command) {",
    replace: "if ('id' in command && command.id === '') {",
  },
  {
    name: 'a weak tag is as good as a strong one',
    file: 'src/http/answer.ts',
    tests: api,
    find: 'wanted(match, /^"([^"]*)"$/)',
    replace: 'wanted(match, /^(?:W\\/)?"([^"]*)"$/)',
  },
  {
    name: 'credentials are deleted although somebody else has set others',
    file: 'src/http/routes/rail-credentials.ts',
    tests: api,
    find: 'now: await now(origin.tenant), ...conditionOf(request) }',
    replace: 'now: await now(origin.tenant) }',
  },
  {
    name: 'a logo is compared with the version of the settings',
    ...tags,
    find: "if (command.type === 'set_logo' || command.type === 'remove_logo') {",
    replace: "if (command.type === 'remove_logo') {",
  },
  {
    name: 'a logo is deleted although somebody else has set another',
    file: 'src/http/routes/logo.ts',
    tests: api,
    find: "command: { type: 'remove_logo' },\n          now: await now(origin.tenant),\n          ...conditionOf(request),",
    replace: "command: { type: 'remove_logo' },\n          now: await now(origin.tenant),",
  },
  {
    name: 'the role of a member is changed for a version that is no longer the newest',
    file: 'src/writer/handlers/user.ts',
    tests: api,
    find: 'refusalByMember(before, command, condition) ?? ',
    replace: '',
  },
  {
    name: 'members of all accounts who have the same role are the same version',
    file: 'src/users/tags.ts',
    tests: api,
    find: 'tagOf({ id: user.id, role })',
    replace: 'tagOf({ role })',
  },
  {
    name: 'whoever asks learns by a version that somebody is a member elsewhere',
    file: 'src/users/tags.ts',
    tests: api,
    find: 'return tag === null || isMet(condition, tag) ? null',
    replace: 'return isMet(condition, tag) ? null',
  },
  {
    name: 'the second of two who change a role takes back what the first has done',
    file: 'src/dashboard/screens/members.ts',
    tests: ['test/dashboard/members.test.ts'],
    find: '${seenField(roleFields, member)}',
    replace: '',
  },
  {
    name: 'the second of two who change a role has to choose it again',
    file: 'src/dashboard/screens/members.ts',
    tests: ['test/dashboard/members.test.ts'],
    find: '(chosen?.id === member.id ? chosen.role : null) ?? member.role',
    replace: 'member.role',
  },
  {
    name: 'a logo takes the place of one that somebody else has set meanwhile',
    ...logo,
    find: '...conditionFor(form[VERSION]),',
    replace: '',
  },
  {
    name: 'a logo or credentials are set where somebody else was the first',
    file: 'src/dashboard/save.ts',
    tests: ['test/dashboard/logo.test.ts', 'test/dashboard/rail-credentials.test.ts'],
    find: "version === '' ? { 'if-none-match': '*' }",
    replace: "version === '' ? {}",
  },
  {
    name: 'a logo that its visitor has never seen is removed',
    ...logo,
    find: 'undefined, conditionFor(form[VERSION])',
    replace: 'undefined',
  },
  {
    name: 'a form without a version is told of a logo that nobody has set meanwhile',
    file: 'src/dashboard/save.ts',
    tests: ['test/dashboard/logo.test.ts'],
    find: 'if (version === undefined) return {};',
    replace: "if (version === undefined) return { 'if-none-match': '*' };",
  },
  {
    name: 'credentials that their visitor has never seen are removed',
    file: 'src/dashboard/screens/rail-credentials.ts',
    tests: ['test/dashboard/rail-credentials.test.ts'],
    find: 'undefined, conditionFor(form[VERSION])',
    replace: 'undefined',
  },
  {
    name: 'credentials under another key are another version',
    ...tags,
    tests: ['test/api/reseal.test.ts'],
    find: '[field, hint]), setAt',
    replace: '[field, hint, secrets]), setAt',
  },
  {
    name: 'credentials that are set twice in a millisecond are the same version',
    file: 'src/accounts/rail-credentials-changes.ts',
    tests: api,
    find: 'Math.max(at, (known?.setAt ?? 0) + 1)',
    replace: 'at',
  },
  {
    name: 'an endpoint is deleted although somebody else has changed it',
    file: 'src/http/routes/webhook-endpoint.ts',
    tests: api,
    find: 'const asked = { id, command, ...conditionOf(request) };',
    replace: 'const asked = { id, command };',
  },
  {
    name: 'an endpoint is changed whatever version the request names',
    file: 'src/writer/handlers/endpoint.ts',
    tests: api,
    find: 'before !== null && !isMet(',
    replace: 'before === null && !isMet(',
  },
  {
    name: 'of two who save at the same moment the later one wins',
    ...save,
    find: "body, { 'if-match': now.etag })",
    replace: 'body)',
  },
  {
    name: 'who is too late by a moment loses what somebody else has not even touched',
    ...save,
    find: 'answer.status !== STALE || tries === TRIES',
    replace: 'answer.status !== STALE || tries > 0',
  },
  {
    name: 'credentials are set over those of somebody who was quicker',
    file: 'src/dashboard/screens/rail-credentials.ts',
    tests: ['test/dashboard/rail-credentials.test.ts'],
    find: 'const condition = conditionFor(form[VERSION]);',
    replace: 'const condition = {};',
  },
  {
    name: 'a form that has changed nothing is told to have changed something',
    ...save,
    find: 'isChanged: answer.etag !== now.etag',
    replace: 'isChanged: true',
  },
  {
    name: 'credentials that were not typed are told to be saved',
    file: 'src/dashboard/screens/rail-credentials.ts',
    tests: ['test/dashboard/rail-credentials.test.ts'],
    find: "doneIf(answer.etag !== form[VERSION], 'credentials-saved')",
    replace: "doneIf(true, 'credentials-saved')",
  },
  {
    name: 'a logo that was there already is told to be saved',
    ...logo,
    find: "doneIf(answer.etag !== form[VERSION], 'logo-saved')",
    replace: "doneIf(true, 'logo-saved')",
  },
  {
    name: 'items that are as they were are told to be changed',
    file: 'src/dashboard/screens/session-items.ts',
    tests: ['test/dashboard/session-items.test.ts'],
    find: "doneIf(answer.etag !== etag, 'items-changed')",
    replace: "doneIf(true, 'items-changed')",
  },
  {
    name: 'a receiving account that was only put first is told to be as it was',
    ...receivingAccounts,
    find: 'doneIf(saved.isChanged || isMoved,',
    replace: 'doneIf(saved.isChanged,',
  },
  {
    name: 'a receiving account that was the first already is told to be moved',
    ...receivingAccounts,
    find: ' && !(await isFirst(visit))',
    replace: '',
  },
  {
    name: 'a receiving account that somebody else has changed is removed',
    ...receivingAccounts,
    find: 'const condition = conditionFor(form[VERSION]);',
    replace: 'const condition = {};',
  },
  {
    name: 'an endpoint that somebody else has changed is deleted',
    ...endpoint,
    find: "'DELETE', addressOf(visit), undefined, conditionIn(visit))",
    replace: "'DELETE', addressOf(visit), undefined)",
  },
  {
    name: 'an endpoint that somebody else has changed is switched off',
    ...endpoint,
    find: "'PUT', addressOf(visit), { status }, conditionIn(visit))",
    replace: "'PUT', addressOf(visit), { status })",
  },
  {
    name: 'who sends the form that disables an endpoint twice is told that nothing was done',
    ...endpoint,
    find: '!answer.ok && answer.status === STALE ? await fetchIn(visit) : answer',
    replace: 'answer',
  },
  {
    name: 'the second of two who make a secret ends that of the first',
    ...endpoint,
    find: '        ...conditionIn(visit),\n',
    replace: '',
  },
  {
    name: 'a session is expired that is no longer as it was seen',
    ...session,
    find: ', ...conditionFor(form[VERSION]) };',
    replace: ' };',
  },
  {
    name: 'who expires a session that is expired meanwhile is told that it is not',
    ...session,
    find: "!now.ok || now.data.status !== 'expired'",
    replace: "!now.ok || now.data.status !== ''",
  },
  {
    name: 'a mapping that somebody else has replaced is deleted',
    ...mappings,
    find: 'mistakes: isAsSeen ? [] : CHANGED',
    replace: 'mistakes: isAsSeen ? [] : []',
  },
  {
    name: 'who saves a mapping twice is told that there is another one with its name',
    ...mappings,
    find: 'tagOf(withoutNulls(known[name])) !== tagOf(withoutNulls(mapping))',
    replace: "name !== ''",
  },
  {
    name: 'a logo is read into memory whatever its length',
    file: 'src/dashboard/upload.ts',
    tests: ['test/dashboard/logo.test.ts'],
    find: 'if (bytes > maxBytes) return null;',
    replace: 'if (bytes < 0) return null;',
  },
  {
    name: 'a mistake of a logo stands beside no field',
    ...logo,
    find: "[{ message, pointer: '/file' }]",
    replace: "[{ message, pointer: '' }]",
  },
  {
    name: 'a logo is replaced without a proof of who does it',
    ...logo,
    find: "operation: 'LOGO.SET', confirmed: true",
    replace: "operation: 'LOGO.SET'",
  },
  {
    name: 'one request encrypts credentials without end',
    ...reseal,
    find: 'counts.resealed < MAX_RESEALED ||',
    replace: 'counts.resealed >= 0 ||',
  },
  {
    name: 'a repetition encrypts credentials anew',
    ...reseal,
    find: 'if (origin.idempotency !== null) {',
    replace: "if (origin.idempotency?.key === '') {",
  },
  {
    name: 'nobody is told that credentials were encrypted anew by whom',
    ...reseal,
    find: 'const own = { ...origin, tenant, idempotency: null };',
    replace: "const own = { ...origin, actor: 'operator', tenant, idempotency: null };",
  },
];
