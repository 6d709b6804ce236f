/**
 * Runs every block of the documents as a reader would who pastes them in the order of the page, on a fresh clone and a
 * fresh server, and compares what a page shows with what came of it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { freePort } from '../../src/cli/free-port.ts';
import { variableNames } from '../../src/config/read.ts';
import { welcomeIn } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { type Block, fileNameOf, pagePaths, readPage } from './page.ts';
import { answersIn, showsAnswer, showsLines } from './printed.ts';
import { createReader, type Kept, type Reader, until } from './shell.ts';

/** Pages on which the reader starts the service; on the others it runs already. */
const startsItself = ['README.md', 'docs/start.md', 'docs/guides/operating.md'];

/** Blocks that cannot run here, by page, and what they would need. */
const notRun: Readonly<Record<string, number>> = {
  // A registry of packages, an engine for containers, systemd.
  'docs/guides/package.md': 5,
  'docs/guides/containers.md': 5,
  'docs/guides/systemd.md': 4,
  // npm itself, which test/scripts/package.test.ts runs, and a key that is replaced, as in test/cli/credentials.test.ts.
  'docs/guides/operating.md': 2,
  // A PostgreSQL server that is administered from a shell.
  'docs/guides/postgresql.md': 2,
  'docs/guides/beyond-one-server.md': 2,
  'docs/guides/moving.md': 1,
  // Stripe with its command line, and keys of Stripe.
  'docs/guides/cards-stripe.md': 3,
};

/** Code that test/webhooks/ takes from this page and runs, as far as the language is there. */
const RECEIVERS = 'docs/guides/receiving-webhooks.md';

/** The one program of the documents that keeps running when it is loaded. */
const SERVER = 'receiver.mjs';

/** The ports of the documents: the service, and receivers. */
const PORTS = /\b(3000|400[0-2])\b/g;

/** Values of the first start that readers fill in. */
type Printed = Readonly<Record<'API key' | 'API secret' | 'Webhook secret', string>>;

const SHOWN_WITHIN_MS = 15_000;

suite('the blocks of', { concurrency: 3 }, () => {
  for (const path of pagePaths()) {
    test(`${path} work when they are pasted`, async (t) => {
      const { blocks } = readPage(path);
      const runs = blocks.some(({ use }) => use !== null && use !== 'no-run');
      assert.equal(
        blocks.filter(({ use }) => use === 'no-run').length,
        notRun[path] ?? 0,
        'blocks that do not run',
      );
      const visit = runs ? await startVisit(t, path) : null;
      for (const block of blocks) await pasted(block, path, visit);
      for (const { isRunning, output } of visit?.kept ?? [])
        assert.ok(isRunning(), `it has ended: ${output()}`);
    });
  }
});

type Visit = {
  readonly reader: Reader;
  printed: Printed | null;
  readonly withPorts: (code: string) => string;
  /** The output of the last blocks, and the commands that still run. */
  last: string;
  readonly kept: Kept[];
};

async function startVisit(t: TestContext, path: string): Promise<Visit> {
  const ports = new Map<string, string>();
  for (const port of ['3000', '4000', '4001', '4002']) ports.set(port, String(await freePort()));
  const PORT = ports.get('3000') ?? '';
  const withPorts = (code: string) => code.replaceAll(PORTS, (port) => ports.get(port) ?? port);
  const reader = await createReader({ PORT });
  const visit: Visit = { reader, printed: null, withPorts, last: '', kept: [] };
  // The directory holds the database, so the service stops first.
  let stop = async () => {};
  t.after(() => stop().finally(reader.leave));
  if (startsItself.includes(path)) return visit;
  const DATABASE_URL = `sqlite:${join(reader.directory, 'data/opentill.db')}`;
  const service = await startService(t, { env: { PORT, DATABASE_URL } });
  stop = service.stop;
  const { key, account } = service;
  visit.printed = {
    'API key': key.id,
    'API secret': key.secret,
    'Webhook secret': account.webhookSecrets.test,
  };
  return visit;
}

async function pasted(block: Block, path: string, visit: Visit | null): Promise<void> {
  const { language, use, code, place } = block;
  if (language === 'sh') {
    if (use === 'no-run') assertShell(block);
    else if (visit) await inShell(block, visit);
  } else if (language === 'text') {
    const outputs = () => [visit?.last ?? '', ...(visit?.kept ?? []).map(({ output }) => output())];
    const isShown = () => outputs().some((output) => showsLines(code, output));
    await until(isShown, SHOWN_WITHIN_MS);
    assert.ok(isShown(), `${place}: nothing printed\n${code}\nbut\n${outputs().join('\n--\n')}`);
  } else if (language === 'json') {
    assert.ok(showsAnswer(code, visit?.last ?? ''), `${place}: no answer is\n${code}\nbut\n${visit?.last}`);
  } else if (language === 'ini') {
    for (const [, name = ''] of code.matchAll(/^Environment="?(\w+)=/gm))
      assert.ok(variableNames.includes(name), `${place}: there is no setting ${name}`);
  } else if (language === 'js' || language === 'python') {
    assert.ok(visit, place);
    await written(block, visit);
  } else if (['php', 'go', 'ruby', 'sql'].includes(language)) {
    assert.equal(path, RECEIVERS, `${place}: nothing runs it`);
  } else if (language === 'caddyfile') {
    assert.notEqual(code.trim(), '', place);
  } else assert.fail(`${place}: nothing is done about ${language}`);
}

/** Commands that cannot run here are at least parsed by a shell. */
function assertShell({ code, place }: Block): void {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' });
  assert.equal(status, 0, `${place}: ${stderr}`);
}

/** Saves code under its name and loads it; a server is left to the shell block of the page that starts it. */
async function written(block: Block, { reader, withPorts }: Visit): Promise<void> {
  const name = fileNameOf(block);
  writeFileSync(join(reader.directory, name), withPorts(block.code));
  if (name === SERVER) return;
  const isPython = block.language === 'python';
  const load = isPython ? `command -v python3 > /dev/null || exit 0; python3 ${name}` : `node ${name}`;
  const { failed, stderr } = await reader.run(`(${load})`);
  assert.deepEqual(failed, [], `${block.place}: ${stderr}`);
}

async function inShell({ use, code, place }: Block, visit: Visit): Promise<void> {
  const text = visit.withPorts(filledIn(code, place, visit.printed));
  if (use === 'keeps-running') {
    const isService = visit.printed === null;
    const kept = await visit.reader.keep(text, (output) =>
      isService ? printedBy(output) !== null : output !== '',
    );
    visit.printed ??= printedBy(kept.output());
    visit.kept.push(kept);
    return;
  }
  const { stdout, stderr, failed } = await visit.reader.run(text);
  visit.last = stdout + stderr;
  const refused = answersIn(stdout).filter((answer) => (answer as { status?: unknown })?.status === 'error');
  const mistakes = [...failed, ...refused.map((answer) => JSON.stringify(answer))];
  if (use === 'fails') assert.notDeepEqual(mistakes, [], `${place}: nothing fails\n${visit.last}`);
  else assert.deepEqual(mistakes, [], `${place}: ${visit.last}`);
}

/** The block with the words in angle brackets that a reader replaces. */
function filledIn(code: string, place: string, printed: Printed | null): string {
  return code.replaceAll(/<([A-Za-z][\w ]*)>/g, (_, name: string) => {
    const value = printed?.[name as keyof Printed];
    assert.ok(value !== undefined, `${place}: what is <${name}>?`);
    return value;
  });
}

function printedBy(output: string): Printed | null {
  const welcome = welcomeIn(output) ?? '';
  const value = (name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(welcome)?.[1];
  const [id, secret, webhookSecret] = [value('API key'), value('API secret'), value('Webhook secret')];
  if (!id || !secret || !webhookSecret) return null;
  return { 'API key': id, 'API secret': secret, 'Webhook secret': webhookSecret };
}
