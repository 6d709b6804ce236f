/**
 * The core decides and does nothing else. What it needs of the world (time, random ids, data) comes in as a value, and
 * that is what makes it possible to test it with tables and to repeat a decision.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';

const folder = new URL('../../src/checkout/', import.meta.url);
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => entry.name);

/** The code without comments: those may name what the code may not. */
function codeOf(file: string): string {
  const text = readFileSync(new URL(file, folder), 'utf8');
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

const forbidden = [
  {
    what: 'the clock',
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(|\bperformance\b|\bTemporal\b|\bhrtime\b/,
  },
  { what: 'chance', pattern: /\bMath\.random\b|\b(?<!node:)crypto\b|\brandom\w*\(/ },
  { what: 'the process', pattern: /\bprocess\.|\bglobalThis\b|\bconsole\b/ },
  { what: 'the network or the disk', pattern: /\bfetch\b|\bWebSocket\b|\brequire\b/ },
  {
    what: 'timers and promises',
    pattern: /\bset(Timeout|Interval|Immediate)\b|\basync\b|\bawait\b|\bPromise\b|\bqueueMicrotask\b/,
  },
  { what: 'state of the module', pattern: /^(export )?(let|var)\b/m },
  { what: 'an import at run time', pattern: /\bimport\s*\(|\bimport\.meta\b/ },
];

/** Imports from outside that compute and do nothing else: hashes, the alphabet of ids, and what was made of an object before. */
const pureElsewhere: Readonly<Record<string, readonly string[]>> = {
  'token.ts': ['node:crypto', '../lib/id.ts'],
  'movements.ts': ['../lib/id.ts'],
  'serializer.ts': ['../lib/beside.ts'],
};

test('the core has files', () => assert.ok(files.includes('decide.ts') && files.length >= 10, files.join()));

for (const file of files) {
  suite(file, () => {
    const code = codeOf(file);

    test('imports only from the core', () => {
      const imports = [...code.matchAll(/\bfrom\s+(['"])(.*?)\1|\bimport\s+(['"])(.*?)\3/g)];
      const statements = [...code.matchAll(/^(import\b|export\b.*\bfrom\b|\} from\b)/gm)];
      assert.ok(imports.length >= statements.filter(([line]) => line !== '} from').length);
      for (const [, , from, , bare] of imports) {
        const name = from ?? bare ?? '';
        if (pureElsewhere[file]?.includes(name)) continue;
        assert.match(name, /^\.\/[a-z_-]+\.ts$/, `${file} imports ${name}`);
        assert.ok(files.includes(name.slice(2)), `${file} imports ${name}, which is not there`);
      }
    });

    for (const { what, pattern } of forbidden) {
      test(`does without ${what}`, () => assert.doesNotMatch(code, pattern));
    }

    test('makes a date only of a given time', () => {
      const dates = [...code.matchAll(/\bDate\b[^;\n]*/g)].map(([text]) => text);
      assert.deepEqual(dates, file === 'representation.ts' ? ['Date(ms).toISOString()'] : []);
    });
  });
}
