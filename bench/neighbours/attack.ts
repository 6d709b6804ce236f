/**
 * Attack of one caller on a service, in a process of its own, until that is ended. It begins when it is told what to do.
 */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

export type Attack = {
  readonly url: string;
  /** Secret of the caller, sent as a bearer's. */
  readonly secret: string;
} & (
  | { readonly kind: 'paths'; readonly paths: readonly string[]; readonly perSecond: number }
  | { readonly kind: 'parallel'; readonly paths: readonly string[]; readonly count: number }
  | { readonly kind: 'uploads'; readonly idle: number; readonly bytes: number }
  | { readonly kind: 'slow'; readonly count: number }
  | { readonly kind: 'unread'; readonly path: string; readonly count: number; readonly requests: number }
);

// Callers are on other machines: what they do with the processor here must not be counted as what they cost.
setPriority(constants.priority.PRIORITY_LOW);
const attack = await new Promise<Attack>((resolve) => process.once('message', resolve));
const { port, host } = new URL(attack.url);
const authorization = `Bearer ${attack.secret}`;
const get = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n\r\n`;
const post = (path: string, bytes: number) =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nContent-Length: ${bytes}\r\n\r\n`;

/** A connection that keeps its side open; it reads only what is asked for. */
function connection(text: string): Socket {
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.write(text);
  return socket;
}

const agent = new Agent({ keepAlive: true });

/** Asks, and drops the answer: the less that costs, the less it is in the way of what is measured. */
function ask(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(attack.url + path, { headers: { authorization }, agent }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
}

/** Asks for one path after the other, at a rate, whatever becomes of it. */
async function askAtRate(paths: readonly string[], perSecond: number): Promise<void> {
  const startedAt = performance.now();
  for (let count = 0; ; count++) {
    await pause(Math.max(0, startedAt + (1000 * count) / perSecond - performance.now()));
    ask(paths[count % paths.length] as string).catch(() => {});
  }
}

async function askInTurn(paths: readonly string[], index: number): Promise<void> {
  for (let at = index; ; at++) {
    const status = await ask(paths[at % paths.length] as string).catch(() => 0);
    // Who was refused asks again, but not at once.
    if (status !== 200) await pause(100);
  }
}

async function upload(bytes: number): Promise<void> {
  for (;;) {
    await fetch(`${attack.url}/v3/bank_statement`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/xml' },
      body: Buffer.alloc(bytes, '<Ntry>'),
    }).then(
      (response) => response.arrayBuffer(),
      () => {},
    );
  }
}

/** Connections of four kinds; says how many have been ended by the service. */
function openSlow(count: number): void {
  const kinds = [
    '',
    'GET /v3/checkout HTTP/1.1\r\nHost: x\r\nX-',
    `${post('/v3/checkout', 100)}{`,
    get('/v3/checkout?limit=100').repeat(20),
  ];
  let ended = 0;
  for (let index = 0; index < count; index++) {
    const socket = connection(kinds[index % kinds.length] as string);
    // Without reading, the end of what does not read is seen by an error of a later write alone.
    const looking = setInterval(() => socket.write(' '), 1000);
    socket.once('close', () => {
      clearInterval(looking);
      ended++;
      process.send?.(ended);
    });
    if (index % kinds.length !== 3) socket.resume().once('end', () => socket.destroy());
  }
}

switch (attack.kind) {
  case 'paths':
    void askAtRate(attack.paths, attack.perSecond);
    break;
  case 'parallel':
    for (let index = 0; index < attack.count; index++) void askInTurn(attack.paths, index);
    break;
  case 'uploads':
    for (let index = 0; index < attack.idle; index++)
      connection(`${post('/v3/bank_statement', 64 * 2 ** 20)}<`);
    for (let index = 0; index < 2; index++) void upload(attack.bytes);
    break;
  case 'slow':
    openSlow(attack.count);
    break;
  case 'unread':
    for (let index = 0; index < attack.count; index++) connection(get(attack.path).repeat(attack.requests));
    break;
}
