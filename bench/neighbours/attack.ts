/**
 * Attack of one caller on a service, in a process of its own, until that is ended. It begins when it is told what to do,
 * and says what it was answered when it is asked for `counts`.
 */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createRest } from '../../src/lib/rest.ts';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type Attack = {
  readonly url: string;
  /** Secret of the caller, sent as a bearer's; an empty one is not sent. */
  readonly secret: string;
} & (
  | { readonly kind: 'rate'; readonly requests: readonly Asked[]; readonly perSecond: number }
  | { readonly kind: 'parallel'; readonly requests: readonly Asked[]; readonly count: number }
  | { readonly kind: 'uploads'; readonly idle: number; readonly bytes: number }
  | { readonly kind: 'slow'; readonly count: number; readonly kinds: readonly SlowKind[] }
  | { readonly kind: 'unread'; readonly path: string; readonly count: number; readonly requests: number }
  | { readonly kind: 'hostile'; readonly messages: readonly Message[]; readonly count: number }
);

/** A connection that says nothing, whose head or body comes byte by byte, or that does not read. */
export type SlowKind = 'silent' | 'head' | 'body' | 'unread';

/** Bytes of a request: a beginning, so many times the filling, and an end. */
export type Message = {
  readonly head: string;
  readonly fill: string;
  readonly times: number;
  readonly end?: string;
};

/** Answers by their status, and connections that ended without one (`closed`). */
export type Counts = Readonly<Record<string, number>>;

// Callers are on other machines: what they do with the processor here must not be counted as what they cost.
setPriority(constants.priority.PRIORITY_LOW);
process.send?.('ready');
const attack = await new Promise<Attack>((resolve) => process.once('message', resolve));
const { port, host } = new URL(attack.url);
const authorization: Record<string, string> =
  attack.secret === '' ? {} : { authorization: `Bearer ${attack.secret}` };
/** Another address than that of the tenant beside it; elsewhere than on Linux only the first one is there. */
const address = process.platform === 'linux' ? { localAddress: '127.0.0.2' } : {};

const counts: Record<string, number> = {};
function count(what: number | string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}
process.on('message', (message) => {
  if (message === 'counts') process.send?.({ counts });
});

const headOf = (method: string, path: string, more: Readonly<Record<string, string | number>> = {}) =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${Object.entries({ ...authorization, ...more })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
const get = (path: string) => headOf('GET', path);
const post = (path: string, bytes: number) => headOf('POST', path, { 'content-length': bytes });

/** A connection that keeps its side open; it reads only what is asked for. */
function connection(text: string): Socket {
  const socket = connect({ ...address, port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.write(text);
  return socket;
}

const agent = new Agent({ keepAlive: true, ...address });

/** Asks, and drops the answer: the less that costs, the less it is in the way of what is measured. */
function ask({ method, path, headers = {}, body }: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { ...authorization, ...headers }, agent, ...address };
    request(attack.url + path, options, (response) => {
      count(response.statusCode ?? 0);
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    })
      .once('error', (error) => {
        count('closed');
        reject(error);
      })
      .end(body);
  });
}

/** Asks for one after the other, at a rate, whatever becomes of it. */
async function askAtRate(requests: readonly Asked[], perSecond: number): Promise<void> {
  const startedAt = performance.now();
  for (let sent = 0; ; sent++) {
    await pause(Math.max(0, startedAt + (1000 * sent) / perSecond - performance.now()));
    ask(requests[sent % requests.length] as Asked).catch(() => {});
  }
}

async function askInTurn(requests: readonly Asked[], index: number): Promise<void> {
  for (let at = index; ; at++) {
    const status = await ask(requests[at % requests.length] as Asked).catch(() => 0);
    // A refused client asks again, but not at once.
    if (status !== 200) await pause(100);
  }
}

async function upload(bytes: number): Promise<void> {
  for (;;) {
    await fetch(`${attack.url}/v3/bank_statement`, {
      method: 'POST',
      headers: { ...authorization, 'content-type': 'application/xml' },
      body: Buffer.alloc(bytes, '<Ntry>'),
    }).then(
      (response) => response.arrayBuffer(),
      () => {},
    );
  }
}

const slowly: Readonly<Record<SlowKind, string>> = {
  silent: '',
  head: 'GET /v3/checkout HTTP/1.1\r\nHost: x\r\nX-',
  body: `${post('/v3/checkout', 100)}{`,
  unread: get('/v3/checkout?limit=100').repeat(20),
};

/**
 * Rests while many connections are opened, which takes half a second so. Where all processors are busy, Linux lets whoever
 * wakes wait for the end of another's turn, up to 4 ms, and callers on other machines take no turns here.
 */
const rest = createRest();

/**
 * Connections of these kinds, one after the other without a wait for any of them; says how many have been ended by the
 * service.
 */
async function openSlow(connections: number, kinds: readonly SlowKind[]): Promise<void> {
  let ended = 0;
  for (let index = 0; index < connections; index++) {
    rest();
    await new Promise((resolve) => setImmediate(resolve));
    const kind = kinds[index % kinds.length] as SlowKind;
    const socket = connection(slowly[kind]);
    // A socket that is not read reports its end only when a later write fails.
    const looking = setInterval(() => socket.write(' '), 1000);
    let status: string | undefined;
    socket.once('close', () => {
      clearInterval(looking);
      count(status ?? 'closed');
      ended++;
      process.send?.({ ended });
    });
    if (kind === 'unread') continue;
    socket.once('data', (piece) => {
      status = statusIn(piece);
    });
    socket.resume().once('end', () => socket.destroy());
  }
}

const statusIn = (piece: Buffer | string): string | undefined =>
  /^HTTP\/1\.1 (\d{3})/.exec(String(piece))?.[1];

type Prepared = { readonly head: string; readonly bytes: Buffer };

/** Made once: making ten megabytes for each message would cost more than sending them. */
const prepared = ({ head, fill, times, end = '' }: Message): Prepared => ({
  head,
  bytes: Buffer.from(fill.repeat(times) + end),
});

/** Time for which a client goes on sending when it has its answer. */
const CARELESS_MS = 500;

/** Bytes that are written at once, as clients do: a larger copy would hold up this machine, and not only the service. */
const PIECE_BYTES = 64 * 2 ** 10;

/** Sends the bytes as fast as they are taken, until all are sent or the connection has ended. */
function sendAll(socket: Socket, bytes: Buffer, at = 0): void {
  for (let from = at; from < bytes.length && socket.writable; from += PIECE_BYTES)
    if (!socket.write(bytes.subarray(from, from + PIECE_BYTES))) {
      socket.once('drain', () => sendAll(socket, bytes, from + PIECE_BYTES));
      return;
    }
}

/** Sends one message after the other, each on a connection of its own, as who does not care for what is answered. */
async function sendInTurn(messages: readonly Prepared[], index: number): Promise<void> {
  for (let at = index; ; at++) {
    const { head, bytes } = messages[at % messages.length] as Prepared;
    const socket = connection(head.replace('{host}', host));
    const ended = new Promise<string>((resolve) => {
      let status: string | undefined;
      socket.once('data', (piece) => {
        status = statusIn(piece);
        setTimeout(() => socket.destroy(), CARELESS_MS);
      });
      socket.once('end', () => socket.destroy());
      socket.once('close', () => resolve(status ?? 'closed'));
    });
    sendAll(socket, bytes);
    count(await ended);
    await pause(50);
  }
}

switch (attack.kind) {
  case 'rate':
    void askAtRate(attack.requests, attack.perSecond);
    break;
  case 'parallel':
    for (let index = 0; index < attack.count; index++) void askInTurn(attack.requests, index);
    break;
  case 'uploads':
    for (let index = 0; index < attack.idle; index++)
      connection(`${post('/v3/bank_statement', 64 * 2 ** 20)}<`);
    for (let index = 0; index < 2; index++) void upload(attack.bytes);
    break;
  case 'slow':
    void openSlow(attack.count, attack.kinds);
    break;
  case 'unread':
    for (let index = 0; index < attack.count; index++) connection(get(attack.path).repeat(attack.requests));
    break;
  case 'hostile': {
    const messages = attack.messages.map(prepared);
    for (let index = 0; index < attack.count; index++) void sendInTurn(messages, index);
    break;
  }
}
