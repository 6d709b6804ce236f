/** A client that sends every byte as it is told, and reads what comes back. */
import { connect, type Socket } from 'node:net';

export type WireRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: Buffer | null;
};

export type WireAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/** Far more than any request may take. */
const TIMEOUT_MS = 20_000;

/** One connection after the other, each used for as many requests as the service allows. */
export function createWire(port: number) {
  let kept: Socket | null = null;

  function send(request: WireRequest): Promise<WireAnswer> {
    const isUsed = kept !== null && !kept.destroyed;
    const socket = kept !== null && isUsed ? kept : connect(port, '127.0.0.1');
    kept = null;
    return exchange(socket, request).catch((error) => {
      // The service may close a connection that it has kept, just when it is used again.
      if (isUsed && error instanceof NoAnswer) return send(request);
      throw error;
    });
  }

  function exchange(socket: Socket, request: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const told = () => JSON.stringify(bytesOf(request).toString('latin1', 0, 2_000));
      const timer = setTimeout(
        () => end(new Error(`no answer in ${TIMEOUT_MS} ms, but ${Buffer.concat(chunks)}, to ${told()}`)),
        TIMEOUT_MS,
      );
      function end(error: Error | null, answer?: WireAnswer): void {
        clearTimeout(timer);
        socket.removeAllListeners();
        // Errors after the answer do not matter.
        socket.on('error', () => {});
        if (answer === undefined) {
          socket.destroy();
          reject(error);
          return;
        }
        if (answer.headers.get('connection') === 'close' || socket.destroyed) socket.destroy();
        else kept = socket;
        resolve(answer);
      }
      function look(isEnd: boolean): void {
        const answer = readAnswer(Buffer.concat(chunks));
        if (answer !== null) end(null, answer);
        else if (isEnd) end(new NoAnswer(`the connection ended after ${Buffer.concat(chunks).length} bytes`));
      }
      socket.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        look(false);
      });
      socket.on('close', () => look(true));
      socket.on('error', () => {});
      socket.write(bytesOf(request));
    });
  }

  return { send, close: () => kept?.destroy() };
}

class NoAnswer extends Error {}

export function bytesOf({ method, target, headers, body }: WireRequest): Buffer {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  if (body !== null) lines.push(`Content-Length: ${body.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]);
}

/** Null as long as it is not whole. */
function readAnswer(bytes: Buffer): WireAnswer | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  const rest = bytes.subarray(end + 4);
  // An interim answer comes before the answer.
  if (status < 200) return readAnswer(rest);
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  // A stream of events never ends; the beginning is enough.
  if (headers.get('content-type')?.startsWith('text/event-stream')) {
    headers.set('connection', 'close');
    return { status, headers, text: '' };
  }
  if (status === 204 || status === 304) return { status, headers, text: '' };
  if (headers.get('transfer-encoding') === 'chunked') {
    const text = unchunked(rest);
    return text === null ? null : { status, headers, text };
  }
  const length = Number(headers.get('content-length'));
  return rest.length < length ? null : { status, headers, text: rest.toString('utf8', 0, length) };
}

function unchunked(bytes: Buffer): string | null {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (size === 0) return Buffer.concat(parts).toString();
    if (bytes.length < end + 2 + size + 2) return null;
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
