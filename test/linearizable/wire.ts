/** A wire between the service and its database that breaks in the worst moment: what was asked happens, its answer is lost. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

/** Enough for a COMMIT to arrive that is on its way. */
const DEAF_MS = 30;

export async function startWire(
  context: Pick<TestContext, 'after'>,
  databaseUrl: string,
): Promise<{
  /** The address of the database at this end. */
  readonly url: string;
  /** Loses all answers for a moment, and then all connections. */
  cut(): Promise<void>;
}> {
  const far = new URL(databaseUrl);
  const pairs = new Set<readonly [near: Socket, far: Socket]>();
  const server = createServer((near) => {
    const pair = [near, connect(Number(far.port || 5432), far.hostname)] as const;
    pairs.add(pair);
    near.pipe(pair[1]);
    pair[1].pipe(near);
    for (const socket of pair) {
      socket.setNoDelay();
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    for (const [near] of pairs) near.destroy();
    server.close();
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async cut() {
      const all = [...pairs];
      for (const [near, other] of all) {
        other.unpipe(near);
        other.resume();
      }
      await pause(DEAF_MS);
      for (const [near] of all) near.destroy();
    },
  };
}
