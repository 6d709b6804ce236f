/** A wire between a service and PostgreSQL that notes the statements of transactions, and stops behind one of them. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { endTogether, messages, textIn } from '../../support/postgres-proxy.ts';
import { BEFORE, counter, nameOf, type Place } from './order.ts';

const [QUERY, PARSE, BIND, EXECUTE, SYNC, READY] = ['Q', 'P', 'B', 'E', 'S', 'Z'];

type Order = {
  readonly isLast: (step: string) => boolean;
  readonly notes: string[];
  readonly reach: () => void;
};

export type Wire = Awaited<ReturnType<typeof startWire>>;

export async function startWire(context: Pick<TestContext, 'after'>, databaseUrl: string) {
  const far = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let order: Order | null = null;

  /** Notes a step; the order if this was its last one. */
  function step(name: string): Order | null {
    order?.notes.push(name);
    return order?.isLast(name) ? order : null;
  }

  const server = createServer((near) => {
    const database = connect({ host: far.hostname, port: Number(far.port || 5432), noDelay: true });
    near.setNoDelay();
    const texts = new Map<string, string>();
    let text = '';
    let isOpen = false;
    /** Messages that a READY answers, the first included; and the READYs received. */
    let asked = 0;
    let ready = 0;
    /**
     * Set behind the last statement that is passed: all that belongs to it still is. Its order is reached even if
     * it is disarmed before the answer comes.
     */
    let last: Order | null = null;
    let held: Order | null = null;

    function hold(by: Order): void {
      held = by;
      if (ready === asked) by.reach();
    }

    near.on(
      'data',
      messages((message) => {
        if (held) return;
        const kind = asked === 0 ? '' : String.fromCharCode(message[0] ?? 0);
        if (kind === PARSE || kind === QUERY) text = textIn(message) ?? '';
        if (kind === PARSE) texts.set(nameIn(message, 5), text);
        if (kind === BIND) text = texts.get(nameIn(message, message.indexOf(0, 5) + 1)) ?? '';
        const isStatement = kind === EXECUTE || kind === QUERY;
        // Earlier parts of the message have been passed on already, and change nothing.
        if (isStatement && text.startsWith('BEGIN')) {
          const end = step(BEFORE);
          if (end) return hold(end);
          isOpen = true;
        }
        database.write(message);
        if (kind === '' || kind === SYNC || kind === QUERY) asked++;
        if (isStatement && isOpen) {
          const end = step(nameOf(text));
          last ??= end;
          if (/^(COMMIT|ROLLBACK)/.test(text)) isOpen = false;
        }
        if (last && (kind === SYNC || kind === QUERY)) hold(last);
      }),
    );
    database.on(
      'data',
      messages((message) => {
        if (String.fromCharCode(message[0] ?? 0) === READY) ready++;
        // The answer to the last statement is lost.
        if (held && ready === asked) return held.reach();
        near.write(message);
      }, 1),
    );
    // What was asked last has no answer then either.
    near.on('close', () => last?.reach());
    endTogether(sockets, near, database);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }
  context.after(() => {
    cut();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    /** The address of the database at this end. */
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    cut,
    arm(end: Place | null): { readonly notes: readonly string[]; readonly reached: Promise<void> } {
      const { promise, resolve } = Promise.withResolvers<void>();
      const notes: string[] = [];
      order = { isLast: counter(end), notes, reach: resolve };
      return { notes, reached: promise };
    },
    disarm(): void {
      order = null;
    },
  };
}

/** A text that ends with a zero, as it begins there. */
const nameIn = (message: Buffer, from: number): string =>
  message.toString('utf8', from, message.indexOf(0, from));
