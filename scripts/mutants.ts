/**
 * Measures how closely the tests of a room look at its code: makes one small mistake at a time (see
 * `mutants/mutations.ts`) and runs the room's tests, which should fail.
 *
 *     node scripts/mutants.ts --room checkout --sample 30 --seed 7
 *
 * What the tests do not find is shown to the compiler, which counts as well. What survives is printed for a person to
 * judge: some mistakes change nothing that anybody could see.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutation, mutationsOf } from './mutants/mutations.ts';
import { sourcesOf, stagesOf } from './mutants/rooms.ts';
import { type Copy, copyOfTree, root } from './trial/copy.ts';
import { runTests, type Verdict } from './trial/run-tests.ts';
import { freshSeed, sampleOf, wholeNumber } from './trial/sample.ts';

const { values } = parseArgs({
  options: {
    room: { type: 'string' },
    /** Limits the run to files whose path contains this. */
    file: { type: 'string', default: '' },
    sample: { type: 'string' },
    seed: { type: 'string' },
    /** Fails where fewer percent are killed. */
    'at-least': { type: 'string' },
    /** Limits the run to the room's own tests, without the slower ones of the whole service. */
    own: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
/** Begins what the compiler says. */
const MISTAKE = 'the compiler:';

const { room } = values;
if (room === undefined) throw new Error('--room names a folder of src, such as checkout');
const seed = wholeNumber('seed', values.seed, freshSeed());
const files = sourcesOf(root, room).filter((file) => file.includes(values.file));
const all = files.flatMap((file) => mutationsOf(file, readFileSync(join(root, file), 'utf8')));
const chosen = sampleOf(all, wholeNumber('sample', values.sample, 30), seed);

if (values.list) for (const mutation of chosen) console.log(described(mutation));
else await measure(room, chosen);

async function measure(name: string, mutations: readonly Mutation[]): Promise<void> {
  console.log(`${name}: ${mutations.length} of ${all.length} mutants, --seed ${seed}`);
  const copy = copyOfTree();
  const timeoutMs = await timeLimitOf(copy, name);
  let killed = 0;
  let byCompiler = 0;
  for (const [index, mutation] of mutations.entries()) {
    const verdict = await tried(copy, name, mutation, timeoutMs);
    const isKilled = verdict.result !== 'passed';
    if (isKilled) killed += 1;
    if (verdict.first.startsWith(MISTAKE)) byCompiler += 1;
    const how = isKilled ? `killed (${verdict.result}: ${verdict.first})` : 'SURVIVED';
    console.log(`${index + 1}. ${how}\n${described(mutation)}`);
  }
  const percent = mutations.length === 0 ? 100 : (100 * killed) / mutations.length;
  const share = `${killed} of ${mutations.length} killed (${percent.toFixed(1)} %)`;
  console.log(`${name}: ${share}, ${byCompiler} of them by the compiler, --seed ${seed}`);
  if (percent < wholeNumber('at-least', values['at-least'], 0)) process.exitCode = 1;
}

/** Fails where the tests fail by themselves; else how long they may take with a mistake. */
async function timeLimitOf(copy: Copy, name: string): Promise<number> {
  const tests = new Set(files.flatMap((file) => stagesOf(copy.root, name, file, values.own)).flat());
  const whole = { timeoutMs: 600_000, inOneProcess: true };
  const { result, first, seconds } = await runTests(copy.root, [...tests], whole);
  if (result !== 'passed') throw new Error(`without any mistake, the tests have ${result}: ${first}`);
  const mistake = mistakeOfTypes(copy);
  if (mistake !== null) throw new Error(`without any mistake, the compiler says ${mistake}`);
  return 20_000 + 3000 * seconds;
}

async function tried(
  copy: Copy,
  name: string,
  { file, text }: Mutation,
  timeoutMs: number,
): Promise<Verdict> {
  return copy.with(file, text, async () => {
    const run = (stage: readonly string[]) => runTests(copy.root, stage, { timeoutMs, inOneProcess: true });
    const [first = [], ...others] = stagesOf(copy.root, name, file, values.own);
    let verdict = await run(first);
    if (verdict.result !== 'passed') return verdict;
    // The compiler takes two seconds, where the tests of the whole service take a minute.
    const mistake = mistakeOfTypes(copy);
    if (mistake !== null) return { ...verdict, result: 'failed', first: mistake };
    for (const stage of others) {
      verdict = await run(stage);
      if (verdict.result !== 'passed') return verdict;
    }
    return verdict;
  });
}

/** The compiler's first mistake, or null. Names that are not used any more are none: whoever errs removes them. */
function mistakeOfTypes({ root: folder }: Copy): string | null {
  const unused = ['--noUnusedLocals', 'false', '--noUnusedParameters', 'false'];
  const compiler = join(folder, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(compiler, ['-p', '.', ...unused], { cwd: folder, encoding: 'utf8' });
  return status === 0 ? null : `${MISTAKE} ${/TS\d+: .*/.exec(stdout)?.[0] ?? stdout.trim()}`;
}

function described({ file, line, kind, before, after }: Mutation): string {
  const marked = (sign: string, text: string) => text.replace(/^/gm, `   ${sign} `);
  return `   ${file}:${line} ${kind}\n${marked('-', before)}\n${marked('+', after)}`;
}
