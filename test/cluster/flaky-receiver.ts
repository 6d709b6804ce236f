/** A receiver of webhooks that fails now and then, and notes what it has accepted. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Random } from '../crash/random.ts';

type Accepted = { readonly id: string; readonly session: string; readonly sequence: number };

/** `failing` is the share of deliveries that fail, half of them without any answer. */
export async function startFlakyReceiver(
  context: Pick<TestContext, 'after'>,
  random: Random,
  failing: number,
) {
  /** Accepted deliveries by path, in order of arrival, including repetitions. */
  const accepted = new Map<string, Accepted[]>();
  let refused = 0;

  const server = createServer((request, response) => {
    void read(request).then(
      (body) => {
        if (random.next() < failing) {
          refused++;
          if (random.next() < 0.5) request.socket.destroy();
          else response.writeHead(500).end('not today');
          return;
        }
        const { id, sequence, data } = JSON.parse(body);
        const path = request.url ?? '';
        const all = accepted.get(path) ?? [];
        accepted.set(path, all);
        all.push({ id, session: data.payin ?? data.id, sequence });
        response.writeHead(204).end();
      },
      () => {},
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    refused: () => refused,
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
