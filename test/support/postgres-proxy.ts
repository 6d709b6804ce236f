/** A proxy before a PostgreSQL, which sees each message of its clients. */
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../src/cli/free-port.ts';

const LOCK = /\sFOR (NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)( OF \w+)?( SKIP LOCKED)?/g;

type Ends = { after(hook: () => Promise<void>): void };

/**
 * The address of a PostgreSQL whose locking SELECTs lock nothing: their FOR UPDATE is taken out on the way. On a database in
 * shards a lock may be lost while its transaction goes on, when the rows move to another server.
 */
export const withoutLocks = (context: Ends, url: string): Promise<string> => proxied(context, url, unlocked);

const QUERY = 'Q';
const PARSE = 'P';

/** The address of a PostgreSQL, and the texts of the statements that it is sent there. */
export async function overheard(context: Ends, url: string): Promise<{ url: string; sent: Set<string> }> {
  const sent = new Set<string>();
  const own = await proxied(context, url, (message) => {
    const text = textIn(message);
    if (text !== null) sent.add(text.trim());
    return message;
  });
  return { url: own, sent };
}

/** The address of a PostgreSQL, and the bytes that come from there: all of them, and the most behind one message. */
export async function metered(
  context: Ends,
  url: string,
): Promise<{ url: string; bytes(): number; longest(): number }> {
  let [bytes, answer, longest] = [0, 0, 0];
  const own = await proxied(
    context,
    url,
    (message) => {
      answer = 0;
      return message;
    },
    ({ length }) => {
      bytes += length;
      answer += length;
      longest = Math.max(longest, answer);
    },
  );
  return { url: own, bytes: () => bytes, longest: () => longest };
}

/** The address of a PostgreSQL that tells its clients of another process than the one that answers, as poolers do. */
export const pooled = (context: Ends, url: string): Promise<string> =>
  proxied(
    context,
    url,
    (message) => message,
    (piece) => {
      const told = piece.indexOf(PROCESS);
      if (told >= 0) piece.writeUInt32BE(1, told + PROCESS.length);
    },
  );

/** Beginning of the message that tells of a process: its letter and its length. */
const PROCESS = Buffer.from([0x4b, 0, 0, 0, 12]);

/** The text of a message that has one. */
export function textIn(message: Buffer): string | null {
  const kind = String.fromCharCode(message[0] ?? 0);
  if (kind === QUERY) return message.toString('utf8', 5, message.length - 1);
  if (kind !== PARSE) return null;
  const from = message.indexOf(0, 5) + 1;
  return message.toString('utf8', from, message.indexOf(0, from));
}

/** Ends both sides of a proxied connection together. They are among the sockets until then. */
export function endTogether(sockets: Set<Socket>, near: Socket, far: Socket): void {
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ] as const) {
    sockets.add(socket);
    socket.on('error', () => other.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  }
}

/** The address of a proxy, which ends with the test, before the database does; behind null a client gets no answer. */
export async function proxied(
  context: Ends,
  url: string,
  change: (message: Buffer) => Buffer | null,
  onAnswer: (piece: Buffer) => void = () => {},
): Promise<string> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect({ host: hostname, port: Number(port), noDelay: true });
    endTogether(sockets, client, database);
    database.on('data', onAnswer).pipe(client);
    let isHeld = false;
    client.on(
      'data',
      messages((message) => {
        const changed = isHeld ? null : change(message);
        if (changed === null) isHeld = true;
        else database.write(changed);
      }),
    );
  });
  const own = await freePort();
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  context.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(own) }).href;
}

/**
 * Passes on what comes in pieces by whole messages: a length behind a letter. The first one of a client has no letter,
 * and `before` is 0.
 */
export function messages(pass: (message: Buffer) => void, before = 0): (piece: Buffer) => void {
  let left: Buffer = Buffer.alloc(0);
  return (piece) => {
    left = Buffer.concat([left, piece]);
    while (left.length >= before + 4) {
      const end = before + left.readUInt32BE(before);
      if (left.length < end) return;
      pass(left.subarray(0, end));
      left = left.subarray(end);
      before = 1;
    }
  };
}

/** The same length, so that nothing else of the message changes. */
function unlocked(message: Buffer): Buffer {
  const text = message.toString('latin1');
  return Buffer.from(
    text.replace(LOCK, (lock) => ' '.repeat(lock.length)),
    'latin1',
  );
}
