/** Runs `doctor` for the tests of it, and picks from what it found. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Ends } from '../../support/clean-up.ts';
import { freshDirectory, runToEnd } from '../../support/process.ts';
import { serveHere } from '../../support/service.ts';

export type Settings = Readonly<Record<string, string>>;
export type Finding = {
  readonly area: string;
  readonly status: string;
  readonly text: string;
  readonly advice: string;
};

/** Runs it with `--json`, and without an address of the service where none is given; the findings, and how it ended. */
export async function examined(t: Ends, settings: Settings, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runToEnd(t, ['doctor', '--json', ...args], {
    PORT: '0',
    ...settings,
  });
  assert.equal(stderr, '');
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const findings: readonly Finding[] = records.slice(0, -1);
  const { record: _, ...counts } = records.at(-1);
  for (const status of ['ok', 'advice', 'wrong'])
    assert.equal(counts[status], findings.filter((each) => each.status === status).length, status);
  assert.equal(code, counts.wrong > 0 ? 3 : 0, stdout);
  for (const { status, text, advice } of findings) {
    assert.match(text, /^[^\n]+\.$/);
    assert.equal(status === 'ok', advice === '', text);
  }
  return findings;
}

/** The one finding of an area whose text fits. */
export function found(findings: readonly Finding[], area: string, text: RegExp): Finding {
  const [only, ...others] = findings.filter((each) => each.area === area && text.test(each.text));
  assert.ok(only && others.length === 0, `${area} ${text}: ${JSON.stringify(findings, null, 1)}`);
  return only;
}

export const wrongIn = (findings: readonly Finding[]) =>
  findings.filter(({ status }) => status === 'wrong').map(({ area }) => area);

/** The database of a service that was started once. */
export async function made(t: Ends): Promise<{ readonly path: string; readonly settings: Settings }> {
  const path = join(freshDirectory(t), 'till.db');
  const settings = { DATABASE_URL: `sqlite:${path}` };
  await (await serveHere(t, settings)).stop();
  return { path, settings };
}
