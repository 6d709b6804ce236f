/**
 * The journey from an empty directory to a paid checkout, with an opentill that is installed there: what a
 * user types, what the first start prints, and a webhook that is verified.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/cli/free-port.ts';
import { startReceiver } from './receiver.ts';

/** Reports a step and what came of it; called as soon as the step is done. */
export type Done = (step: string, result: string) => void;

const READY_WITHIN_MS = 20_000;
const WEBHOOK_WITHIN_MS = 10_000;
const STOP_WITHIN_MS = 25_000;

/** `command` is what starts opentill in the directory, such as `npx opentill`. Rejects with the first thing that is wrong. */
export async function takeJourney(
  directory: string,
  [program, ...args]: readonly [string, ...string[]],
  done: Done,
): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { PATH, HOME } = process.env;
  // A user has no settings yet; this machine may have another server at the usual port.
  const child = spawn(program, [...args, 'serve'], {
    cwd: directory,
    env: { PATH, HOME, PORT: String(port) },
    // npx does not pass signals on: its group ends with what it has started.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const welcome = await welcomeOf(child);
    done('start', `${url}, with a new database`);
    await pay(url, welcome, done);
    done('stop', await stop(child));
  } finally {
    end(child, 'SIGKILL');
  }
}

async function pay(url: string, welcome: string, done: Done): Promise<void> {
  const [id, secret, webhookSecret] = ['API key', 'API secret', 'Webhook secret'].map((name) => {
    const value = new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(welcome)?.[1];
    if (value === undefined) throw new Error(`the first start names no ${name}`);
    return value;
  }) as [string, string, string];
  const headers = {
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    'content-type': 'application/json',
  };
  const receiver = await startReceiver(webhookSecret);
  try {
    const created = await dataOf(`${url}/v3/checkout`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': 'order-1001' },
      body: JSON.stringify({
        invoice_currency: 'EUR',
        items: [{ name: 'Widget', quantity: 2, unit_price: 1250 }],
        webhook_url: receiver.url,
        reference_id: 'order-1001',
      }),
    });
    expect('amount', created.amount, 2500);
    done('create', `${created.id}, 25.00 EUR`);

    const page = await fetched(created.url);
    if (!page.includes('Widget')) throw new Error('the page of the payer does not show the item');
    done('page', created.url);

    const paid = await dataOf(`${url}/v3/test_helpers/checkout/${created.id}/pay`, {
      method: 'POST',
      headers,
    });
    expect('payment_status', paid.payment_status, 'paid');
    done('pay', `${paid.amount_paid} of ${paid.amount} cents`);

    const types = await receiver.until('checkout.paid', created.id, WEBHOOK_WITHIN_MS);
    done('webhook', `${types.join(', ')}; signatures genuine`);

    const stored = await dataOf(`${url}/v3/checkout/${created.id}`, { headers });
    expect('status', stored.status, 'completed');
    const receipt = await fetched(`${created.url}/receipt.pdf`);
    if (!receipt.startsWith('%PDF-')) throw new Error('the receipt is no PDF');
    const reference = await fetched(`${url}/docs`);
    if (!reference.includes('/v3/checkout')) throw new Error('the reference of the API is not there');
    done('receipt', `${Math.round(receipt.length / 1024)} KiB of PDF, and the reference at /docs`);
  } finally {
    receiver.close();
  }
}

type Session = {
  readonly id: string;
  readonly url: string;
  readonly amount: number;
  readonly amount_paid: number;
  readonly status: string;
  readonly payment_status: string;
};

async function dataOf(url: string, request: RequestInit): Promise<Session> {
  const response = await fetch(url, request);
  const answer = (await response.json()) as { readonly data: Session };
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}: ${JSON.stringify(answer)}`);
  return answer.data;
}

async function fetched(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`);
  return Buffer.from(await response.arrayBuffer()).toString('latin1');
}

function expect(name: string, value: unknown, expected: unknown): void {
  if (value !== expected) throw new Error(`${name} is ${value} instead of ${expected}`);
}

/** The welcome of the first start: without a terminal it names the file that has it. */
async function welcomeOf(child: ChildProcess): Promise<string> {
  let output = '';
  let listening = false;
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  child.once('exit', () => {
    if (!listening) child.stdout?.destroy(new Error(`opentill did not start: ${output}`));
  });
  const limit = AbortSignal.timeout(READY_WITHIN_MS);
  for (;;) {
    const file = / secrets and first steps are in (.+) \(mode 600\)\. /.exec(output)?.[1];
    if (file !== undefined) {
      listening = true;
      return readFileSync(file, 'utf8');
    }
    if (child.stdout === null) throw new Error('the output of opentill is not read');
    await once(child.stdout, 'data', { signal: limit });
  }
}

/** Stops what was started, and all that it has started; how the first of it ended. */
async function stop(child: ChildProcess): Promise<string> {
  const limit = AbortSignal.timeout(STOP_WITHIN_MS);
  const ended = once(child, 'exit', { signal: limit });
  end(child, 'SIGTERM');
  const [status, signal] = await ended;
  // npx ends by the signal, perhaps before the server does.
  if (status !== 0 && signal !== 'SIGTERM') throw new Error(`the server ended with status ${status}`);
  while (end(child, 0)) {
    if (limit.aborted) throw new Error('the server does not stop');
    await pause(20);
  }
  return signal ?? `status ${status}`;
}

/** Sends a signal to what was started and all that it has started; false if all of it has ended. */
function end({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
    return pid !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}
