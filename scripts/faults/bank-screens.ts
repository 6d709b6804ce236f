/** Faults in the dashboard's screens of the bank, and in the preview of statements behind them. */
import type { Fault } from './fault.ts';

const inbox = ['test/dashboard/bank.test.ts'];
const seen = ['test/dashboard/seen.test.ts'];
const statements = ['test/dashboard/statements.test.ts'];
const refusals = ['test/dashboard/refusals.test.ts'];
const mappings = ['test/dashboard/mappings.test.ts'];
const previews = ['test/api/bank-preview.test.ts'];
const parts = { file: 'src/dashboard/bank/parts.ts', tests: inbox };
const entry = { file: 'src/dashboard/screens/bank-entry.ts', tests: inbox };
const preview = { file: 'src/ingest/preview.ts', tests: previews };
const columns = { file: 'src/dashboard/bank/mapping-form.ts', tests: mappings };

export const bankScreenFaults: readonly Fault[] = [
  {
    name: 'a rest that has become another one is booked',
    file: 'src/writer/handlers/bank-entry.ts',
    tests: ['test/api/bank-inbox.test.ts'],
    find: 'if (action.left !== undefined && action.left !== left) {',
    replace: 'if (action.left !== undefined && action.left < left) {',
  },
  {
    name: 'what is decided about an entry is decided on whatever has become of it',
    file: 'src/writer/handlers/bank-entry.ts',
    tests: ['test/api/bank-inbox.test.ts'],
    find: '!isMet(condition, known && entryTag(known))',
    replace: 'known === null',
  },
  {
    name: 'an entry is the same once a file for the bank has its money',
    file: 'src/banking/tags.ts',
    tests: ['test/banking/tags.test.ts', 'test/api/bank-inbox.test.ts'],
    find: 'parts, sentBack, takenApartBy });',
    replace: 'parts, sentBack: sentBack?.state, takenApartBy });',
  },
  {
    name: 'an entry is another one each time that it is looked up',
    file: 'src/banking/tags.ts',
    tests: ['test/banking/tags.test.ts'],
    find: "state: state === 'waiting' ? 'open' : state",
    replace: 'state',
  },
  {
    name: 'an entry is ignored or sent back as nobody has seen it',
    ...entry,
    tests: seen,
    find: '{ ...onceIn(form), ...conditionIn(form) }',
    replace: '{ ...onceIn(form) }',
  },
  {
    name: 'all parts of a booking are matched, however many it has',
    ...preview,
    find: 'entries.slice(0, matched)',
    replace: 'entries.slice(0, matched > 0 ? entries.length : 0)',
  },
  {
    name: 'the parts of a booking are numbered in one go',
    file: 'src/lib/map-in-turns.ts',
    tests: ['test/ingest/statement.test.ts'],
    find: 'place > 0 && place % AT_ONCE === 0',
    replace: 'place < 0',
  },
  {
    name: 'the parts of a booking are matched in one go',
    file: 'src/ingest/preview.ts',
    tests: ['test/ingest/statement.test.ts'],
    find: '      // Requests of others go in between.\n      await nextTurn();\n',
    replace: '',
  },
  {
    name: 'a decision goes without what it was made on',
    ...entry,
    find: 'const body = { parts, amount_unassigned: leftIn(form) };',
    replace: 'const body = { parts };',
  },
  {
    name: 'a row more books what was typed',
    ...entry,
    find: 'if (form.more !== undefined) return screen(visit,',
    replace: 'if (form.fewer !== undefined) return screen(visit,',
  },
  {
    name: 'a reference that begins like an id is none',
    ...parts,
    find: 'SESSION_ID.test(text)',
    replace: "text.startsWith('chk_')",
  },
  {
    name: 'a sum that is not exact is told as if it were',
    ...parts,
    find: '!Number.isSafeInteger(sum)',
    replace: '!Number.isFinite(sum)',
  },
  {
    name: 'a file without entries is offered to be imported',
    file: 'src/dashboard/screens/statements.ts',
    tests: statements,
    find: 'preview.entries === 0',
    replace: 'preview.entries < 0',
  },
  {
    name: 'one of several sessions with a reference is taken',
    ...parts,
    find: 'return another === undefined',
    replace: 'return session !== undefined',
  },
  {
    name: 'a file that is not the one of the preview is imported',
    file: 'src/http/routes/bank-statement.ts',
    tests: statements,
    find: 'if (sha256 !== undefined && sha256 !== upload.hash) {',
    replace: "if (sha256 === '' && sha256 !== upload.hash) {",
  },
  {
    name: 'a file is read for whoever has no token',
    file: 'src/dashboard/upload.ts',
    tests: statements,
    find: 'request.body = Object.fromEntries(',
    replace: 'request.query = Object.fromEntries(',
  },
  {
    name: 'a field without end is cut off',
    file: 'src/dashboard/upload.ts',
    tests: statements,
    find: 'isNameCut || isValueCut',
    replace: 'isNameCut',
  },
  {
    name: 'a preview lets two entries pay one session',
    ...preview,
    find: 'for (const checkout of foreseen.checkouts) changed.set(checkout.id, checkout);',
    replace: 'if (foreseen.checkouts.length > 1) changed.clear();',
  },
  {
    name: 'a preview matches without end',
    ...preview,
    find: 'Math.max(0, MAX_MATCHED - counts.entries)',
    replace: 'entries.length',
  },
  {
    name: 'a preview stops at the first row with a mistake',
    file: 'src/ingest/read.ts',
    tests: previews,
    find: 'mapping === null ? given : { ...given, mapping }',
    replace: 'mapping === null ? given : { mapping }',
  },
  {
    name: 'equal entries are numbered anew with each message of the thread',
    file: 'src/ingest/read.ts',
    tests: ['test/ingest/read.test.ts'],
    find: 'owners.get(header) ?? begun.get(JSON.stringify(header)) ?? header',
    replace: 'owners.get(header) ?? header',
  },
  {
    name: 'a mapping keeps parts of the one that it replaces',
    ...columns,
    find: 'return { ...none, signed, credit, debit, ...noWords };',
    replace: 'return withoutNulls({ signed, credit, debit }) as typeof none;',
  },
  {
    name: 'a mapping of the same name is replaced unasked',
    file: 'src/dashboard/screens/mappings.ts',
    tests: mappings,
    find: '!(wantsToReplace(form) && versionIn',
    replace: '!(versionIn',
  },
  {
    name: 'of two columns with one role, one is dropped',
    ...columns,
    find: 'if (another !== undefined)',
    replace: "if (role === 'remittance' && another !== undefined)",
  },
  {
    name: 'a mapping is replaced where nobody could see that it is there',
    file: 'src/dashboard/save.ts',
    tests: refusals,
    find: 'if (!now.ok) return { refusal: now };',
    replace: "if (!now.ok) return { refusal: (await api.send('PUT', url, {})) && now };",
  },
  {
    name: 'a form that is cut in its file is a failure of the service',
    file: 'src/dashboard/upload.ts',
    tests: statements,
    find: 'isTooLarge: (lengthOf(raw) ?? 0) > MAX_FORM_BYTES, content: passed };',
    replace: 'isTooLarge: (lengthOf(raw) ?? 0) > MAX_FORM_BYTES, content };',
  },
  {
    name: 'a file that ends too early inside of the process is a failure of the service',
    file: 'src/http/body-stream.ts',
    tests: statements,
    find: 'raw.errored ?? new BodyCut',
    replace: 'raw.errored ?? undefined ?? new Error',
  },
];
