/**
 * A part of `npm run check`: no regular expression over input may take longer than linear time. Looks at every literal
 * in `src/`, and at every `pattern` of the API document, which the service compiles as well.
 *
 * One that is built at run time, `new RegExp(…)`, is not seen here: it has to be plain enough for a reader to see it.
 */
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { parse } from 'acorn';
import scslre from 'scslre';

const root = join(import.meta.dirname, '..');

/** The attack that makes a pattern slow, or null. `Move` is a search that begins anew at each character. */
export function slownessOf(source: string, flags: string): string | null {
  const { reports } = scslre.analyse({ source, flags });
  const [worst] = reports.toSorted((one, other) => Number(other.exponential) - Number(one.exponential));
  if (worst === undefined) return null;
  const parts = worst.type === 'Trade' ? [worst.startQuant, worst.endQuant] : [worst.quant];
  const named = parts.map(({ raw }) => raw).join(' and ');
  return `${worst.exponential ? 'exponential' : 'quadratic'} time by ${named} (${worst.type})`;
}

/** Slow patterns of one file, each with its line. */
export function slowPatternsIn(text: string, file: string): string[] {
  const found: string[] = [];
  const script = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
  parse(script, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    allowHashBang: true,
    locations: true,
    onToken({ type, start, end, loc }) {
      if (type.label !== 'regexp') return;
      const literal = script.slice(start, end);
      const last = literal.lastIndexOf('/');
      const slowness = slownessOf(literal.slice(1, last), literal.slice(last + 1));
      if (slowness !== null) found.push(`${file}:${loc?.start.line}: ${literal} takes ${slowness}`);
    },
  });
  return found;
}

/** Every `pattern` anywhere in a JSON document. */
function patternsIn(document: unknown): string[] {
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([name, value]) =>
    name === 'pattern' && typeof value === 'string' ? [value] : patternsIn(value),
  );
}

if (import.meta.main) {
  const sources = globSync('src/**/*.{ts,js}', { cwd: root });
  const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
  const problems = [
    ...sources.flatMap((file) => slowPatternsIn(readFileSync(join(root, file), 'utf8'), file)),
    ...[...new Set(patternsIn(document))].flatMap((pattern) => {
      const slowness = slownessOf(pattern, 'u');
      return slowness === null ? [] : [`openapi.json: ${pattern} takes ${slowness}`];
    }),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${sources.length} files: every regular expression takes linear time`);
}
