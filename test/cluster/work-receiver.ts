/** A receiver of webhooks that takes its time, and notes what came when and beside what. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

type Arrival = { readonly session: string; readonly sequence: number; readonly atMs: number };

export async function startWorkReceiver(context: Pick<TestContext, 'after'>, answerAfterMs: () => number) {
  /** All arrivals of a webhook, by its id. */
  const arrivals = new Map<string, Arrival[]>();
  const open = new Map<string, string>();
  const mistakes: string[] = [];

  function begin(id: string, session: string, sequence: number): void {
    const other = open.get(session);
    if (other !== undefined) mistakes.push(`${id} came while ${other} of ${session} was open`);
    open.set(session, id);
    const arrival = { session, sequence, atMs: performance.now() };
    arrivals.set(id, [...(arrivals.get(id) ?? []), arrival]);
  }

  const server = createServer((request, response) => {
    void read(request).then(
      async (body) => {
        const id = String(request.headers['webhook-id']);
        const { sequence, data } = JSON.parse(body);
        const session = data.payin ?? data.id;
        begin(id, session, sequence);
        const end = () => {
          if (open.get(session) === id) open.delete(session);
        };
        response.on('close', end);
        await pause(answerAfterMs());
        // The delivery ends before its answer: the sender may send the next one as soon as it reads it.
        end();
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
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrivals,
    mistakes,
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
