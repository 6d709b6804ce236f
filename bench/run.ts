/**
 * `npm run bench`: measures how fast the service is, and writes it to docs/reference/performance.md.
 *
 *     node bench/run.ts [--list] [--try] [--seconds 10] [--minutes 60] [--many 1000000] [names]
 *
 * Names choose rows; what is known of the others stays. With `--try` nothing is written. `--seconds` is the time of
 * each open loop, `--minutes` that of the rows `hour` and, up to ten, `steady`, `--many` the number of sessions that rows on
 * 1 M have. It ends with 1 if a row is not reached.
 */
import { closeSync, fdatasyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commitOfTree, machine } from '../scripts/prove/tree.ts';
import { formatted } from '../scripts/reference/markdown.ts';
import { type Bench, withBench } from './bench.ts';
import { FIGURES, outcomes, PAGE, performancePage } from './page.ts';
import { type Outcome, type Row, verdictOf } from './row.ts';
import { rows } from './rows.ts';
import { median, rounded } from './statistics.ts';

const { values, positionals: names } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    try: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
    minutes: { type: 'string', default: '60' },
    many: { type: 'string', default: '1000000' },
  },
  allowPositionals: true,
});
process.chdir(join(import.meta.dirname, '..'));
const unknown = names.filter((name) => !rows.some((row) => row.name === name));
if (unknown.length > 0) throw new Error(`there is no row ${unknown.join(', ')}; --list shows them all`);
const wanted = rows.filter(({ name, isLong }) => (names.length === 0 ? !isLong : names.includes(name)));

if (values.list) for (const { name, title } of rows) console.log(`${name.padEnd(20)} ${title}`);
else {
  const [seconds, minutes, many] = [values.seconds, values.minutes, values.many].map(Number) as [
    number,
    number,
    number,
  ];
  await withBench({ seconds, minutes, many }, async (bench) => {
    for (const row of wanted) {
      try {
        await measure(row, bench);
      } catch (error) {
        // The others can be measured still.
        console.error(error);
        process.exitCode = 1;
      }
    }
  });
}

async function measure(row: Row, bench: Bench): Promise<void> {
  console.log(`== ${row.name}: ${row.title}`);
  const load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
  const syncMs = rounded(syncMsOf(bench.directory));
  const startedAt = performance.now();
  const measured = await row.run(bench);
  const outcome: Outcome = {
    row: row.name,
    ...measured,
    seconds: Math.round((performance.now() - startedAt) / 1000),
    date: new Date().toISOString().slice(0, 10),
    commit: commitOfTree('docs/reference/performance.*'),
    machine,
    load,
    syncMs,
  };
  for (const [name, value] of Object.entries(outcome.figures)) {
    const bounds = [row.reach[name], row.aim[name]].map((bound) => bound && Object.values(bound)[0]);
    const asked =
      bounds[0] === undefined
        ? ''
        : `   reach ${bounds[0]}${bounds[1] === undefined ? '' : `, aim ${bounds[1]}`}`;
    console.log(`   ${name.replaceAll('_', ' ').padEnd(40)} ${String(value).padStart(10)}${asked}`);
  }
  for (const cells of outcome.table?.rows ?? []) console.log(`   ${cells.join('  ')}`);
  const verdict = verdictOf(row, outcome.figures);
  console.log(
    `   ${verdict} (${outcome.seconds} s, load before ${load}, ${syncMs} ms for a write to the disk)`,
  );
  if (verdict === 'not reached') process.exitCode = 1;
  if (!values.try) keep(outcome);
}

function syncMsOf(directory: string): number {
  const file = openSync(join(directory, 'sync'), 'w');
  const times = Array.from({ length: 21 }, () => {
    const startedAt = performance.now();
    writeSync(file, Buffer.alloc(4096, 1));
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return median(times);
}

/** Puts the outcome in the place of the last one of its row, at once: a run can be ended in between. */
function keep(outcome: Outcome): void {
  const known = outcomes();
  const all = rows.flatMap(({ name }) =>
    name === outcome.row ? outcome : known.filter(({ row }) => row === name),
  );
  writeFileSync(FIGURES, formatted(JSON.stringify(all), 'figures.json'));
  writeFileSync(PAGE, formatted(performancePage()));
}
