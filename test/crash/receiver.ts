import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ends } from '../support/clean-up.ts';

/** Takes every webhook and remembers its id. */
export async function startReceiver(t: Ends) {
  const seen = new Set<string>();
  let count = 0;
  let notify = () => {};
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      count++;
      seen.add(String(request.headers['webhook-id']));
      response.writeHead(204).end();
      notify();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    count: () => count,
    seen: seen as ReadonlySet<string>,
    hasSeen: (ids: readonly string[]) =>
      new Promise<void>((resolve) => {
        notify = () => {
          if (ids.every((id) => seen.has(id))) resolve();
        };
        notify();
      }),
  };
}
