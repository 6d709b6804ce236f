/** The servers of the README and of the guide, run as they stand there: what they take, refuse and remember. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/cli/free-port.ts';
import { signatureHeaders } from '../../src/webhooks/sign.ts';
import { freshDirectory, run } from '../support/process.ts';
import { codeBlocks, GUIDE } from './receivers.ts';

const SECRET = `whsec_${Buffer.alloc(32, 'ours').toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 'of somebody else').toString('base64')}`;
const ID = 'evt_01k9zq4tn30000x5r7m2c9w1he';
const createdAt = '2030-01-31T12:00:00.123Z';
const SESSION = { id: 'chk_1', payment_status: 'paid', name: 'Zoë 東京' };
const BODY = JSON.stringify({ type: 'checkout.paid', id: ID, created_at: createdAt, data: SESSION });

/** Starts `receiver.mjs` of these files; `post` sends it the event and gives the status of the answer. */
async function started(t: TestContext, files: Readonly<Record<string, string | undefined>>) {
  const directory = freshDirectory(t);
  for (const [name, code] of Object.entries(files)) writeFileSync(join(directory, name), code ?? '');
  const port = await freePort();
  const program = join(directory, 'receiver.mjs');
  const { output } = run(t, [String(port)], { WEBHOOK_SECRET: SECRET }, { directory, program });

  async function post(secret: string): Promise<number> {
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const headers = signatureHeaders({ id: ID, body: BODY, createdAt, secrets: [secret], timestampSeconds });
    for (let tries = 0; ; tries++) {
      try {
        const request = { method: 'POST', headers: { ...headers }, body: BODY };
        return (await fetch(`http://127.0.0.1:${port}/`, request)).status;
      } catch (error) {
        // The program does not say when it listens.
        if (tries === 200) throw new Error(output.stderr, { cause: error });
        await pause(50);
      }
    }
  }
  return { post, output };
}

/** Output of a process may come after its answer. */
async function said(read: () => string, expected: string): Promise<void> {
  for (let tries = 0; read() !== expected && tries < 100; tries++) await pause(50);
  assert.equal(read(), expected);
}

suite('the whole receivers of the documents', () => {
  test('that of the README takes what is genuine and refuses what is not', async (t) => {
    const { post, output } = await started(t, { 'receiver.mjs': codeBlocks('README.md', 'js')[0] });
    assert.equal(await post(SECRET), 204);
    assert.equal(await post(OTHER), 400);
    await said(() => output.stdout, 'listening\ncheckout.paid chk_1 paid\nrefused: wrong signature\n');
  });

  test('that of the guide takes an event once, and refuses what is not genuine', async (t) => {
    const [, verify, server] = codeBlocks(GUIDE, 'js');
    const { post, output } = await started(t, { 'receiver.mjs': server, 'verify.mjs': verify });
    assert.deepEqual([await post(SECRET), await post(SECRET), await post(OTHER)], [204, 204, 400]);
    await said(() => output.stdout, 'listening\ncheckout.paid chk_1\n');
    await said(() => output.stderr.split('\n', 1)[0] ?? '', 'refused: wrong signature');
  });
});
