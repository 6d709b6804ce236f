/**
 * A part of `npm run check`: statements for PostgreSQL keep to what databases in shards (Citus) and those of tablets
 * (YugabyteDB) ask for. Looks at every text with SQL in the store and at the migrations. What is put together at run time
 * is looked at where it is sent, by `test/postgres/messages.test.ts`.
 */
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { parse } from 'acorn';

const root = join(import.meta.dirname, '..');
/** Statements of single databases: without a service, or SQLite alone. */
const EXCEPT = [/^src\/store\/sqlite\//, /^src\/store\/postgres\/check\.ts$/];

const LOCK = /\bFOR (NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b/;

/** Names of what is not used, each with its pattern. */
const UNWANTED = [
  ['a lock of a table', /\bLOCK TABLE\b/],
  ['an advisory lock', /\bpg_(try_)?advisory/],
  ['a savepoint', /\bSAVEPOINT\b/],
  ['a temporary table', /\bCREATE (LOCAL )?TEMP/],
  ['a trigger or function', /\bCREATE (OR REPLACE )?(CONSTRAINT )?(TRIGGER|FUNCTION|PROCEDURE)\b|\bDO \$/],
  ['a foreign key', /\bREFERENCES\b/],
  ['a sequence', /\bCREATE SEQUENCE\b|\b(small|big)?serial\b|\b(currval|lastval|setval)\(/],
  ['an exclusion constraint', /\bEXCLUDE USING\b/],
  ['an index of another kind', /\bUSING (gin|gist|brin|hash|spgist)\b/i],
  ['a name that is changed', /\bRENAME CONSTRAINT\b/],
  ['a sequence that begins anew', /\bRESTART( WITH| IDENTITY)?\b/],
  ['another isolation', /\bISOLATION LEVEL SERIALIZABLE\b/],
  ['MERGE', /\bMERGE INTO\b/],
  ['a rule', /\bCREATE RULE\b/],
] as const;

/** Objections to a text with SQL. */
export function objectionsTo(text: string): string[] {
  const statement = text
    .replaceAll(/--.*/g, '')
    .replaceAll(/'[^']*'/g, "''")
    .trim();
  const found: string[] = UNWANTED.flatMap(([name, pattern]) => (pattern.test(statement) ? [name] : []));
  // The returned row may be older than the lock that was waited for: return nothing, or let each write check
  // again.
  const isLocking = LOCK.test(statement) && !/\bSKIP LOCKED\b/.test(statement);
  if (isLocking && !/^SELECT 1\b/.test(statement)) found.push('a locking SELECT that returns something');
  if (/;\s*\S/.test(statement)) found.push('several statements in one text');
  return found;
}

/** Violations of the rule that rows are found and told apart within an account, in a new table or index. */
export function objectionsToSchema(statement: string): string[] {
  // A key is asked for before its account is known.
  const table = /^CREATE TABLE (?!api_key\b)\w+ \(([\s\S]*)\)/.exec(statement)?.[1] ?? '';
  const keys = table.match(/\b(PRIMARY KEY|UNIQUE)( \([^)]*\))?/g) ?? [];
  const unique = /^CREATE UNIQUE INDEX \w+ ON \w+ \([^)]*\)/.exec(statement);
  return [...(/^\s*account bigint\b/m.test(table) ? keys : []), ...(unique ?? [])]
    .filter((key) => !/\(\s*account, live\b/.test(key))
    .map((key) => `a unique key that does not begin with the account: ${key}`);
}

const SQL =
  /^\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|CREATE|ALTER|DROP|BEGIN|LOCK|SET|DO)\b|\bFOR (NO KEY )?UPDATE\b/;

/** The texts of a script that have SQL in them, with `$1` where something is put in, and their lines. */
function textsIn(text: string): Array<{ readonly line: number; readonly text: string }> {
  const script = stripTypeScriptTypes(text);
  const texts: Array<{ line: number; text: string }> = [];
  // A template in a template has one of its own.
  const open: Array<{ line: number; text: string; braces: number }> = [];
  parse(script, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    onToken({ type, start, end, loc }) {
      const line = loc?.start.line ?? 0;
      const piece = script.slice(start, end);
      if (type.label === 'string') texts.push({ line, text: piece.slice(1, -1) });
      if (type.label === 'template') {
        const last = open.at(-1);
        if (last !== undefined && last.braces === 0) last.text += piece;
      }
      if (type.label === '`') {
        const last = open.at(-1);
        if (last !== undefined && last.braces === 0) texts.push(open.pop() as (typeof open)[number]);
        else open.push({ line, text: '', braces: 0 });
      }
      const last = open.at(-1);
      if (last === undefined) return;
      if (type.label === '${') {
        last.text += '$1';
        last.braces++;
      } else if (type.label === '{') last.braces++;
      else if (type.label === '}') last.braces--;
    },
  });
  return texts.filter((each) => SQL.test(each.text));
}

export function objectionsIn(text: string, file: string): string[] {
  return textsIn(text).flatMap(({ line, text: each }) =>
    objectionsTo(each).map((objection) => `${file}:${line}: ${objection}`),
  );
}

export function objectionsInMigration(text: string, file: string): string[] {
  const statements = text.replaceAll(/^\s*--.*$/gm, '').split(/;\n/);
  return statements.flatMap((statement) =>
    [...objectionsTo(statement), ...objectionsToSchema(statement.trim())].map(
      (objection) => `${file}: ${objection}`,
    ),
  );
}

if (import.meta.main) {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const sources = globSync('src/store/**/*.ts', { cwd: root }).filter(
    (file) => !EXCEPT.some((pattern) => pattern.test(file)),
  );
  const migrations = globSync('migrations/postgres/*.sql', { cwd: root });
  const problems = [
    ...sources.flatMap((file) => objectionsIn(read(file), file)),
    ...migrations.flatMap((file) => objectionsInMigration(read(file), file)),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else
    console.log(`${sources.length + migrations.length} files: statements as databases in shards want them`);
}
