/**
 * A plain proxy, as operators put before several instances: each request goes to the next one that takes a connection.
 * It repeats nothing: what breaks on the way to the instance breaks on the way to the client.
 */
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export async function startProxy(
  context: Pick<TestContext, 'after'>,
  ports: readonly number[],
): Promise<{ readonly url: string }> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void {
    const first = turn++;
    const attempt = (tries: number): void => {
      if (tries === ports.length) {
        outgoing.destroy();
        return;
      }
      const port = ports[(first + tries) % ports.length] as number;
      const { method, url: path, headers } = incoming;
      const onward = httpRequest({ host: '127.0.0.1', port, agent, method, path, headers });
      onward.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      });
      onward.on('error', (error: NodeJS.ErrnoException) => {
        // A refused connection has carried no request.
        if (error.code === 'ECONNREFUSED') attempt(tries + 1);
        else outgoing.destroy();
      });
      onward.end(body);
    };
    attempt(0);
  }

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => forward(incoming, outgoing, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
