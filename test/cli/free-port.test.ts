import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { freePort } from '../../src/cli/free-port.ts';

test('A process is never given the same port twice, and each can be listened on', async () => {
  const ports: number[] = [];
  while (ports.length < 1_000) ports.push(await freePort());
  assert.equal(new Set(ports).size, ports.length);
  const server = createServer().listen(ports.at(-1), '127.0.0.1');
  await once(server, 'listening');
  server.close();
});

test('No port is among those that Linux and macOS give to connections', async () => {
  for (const port of await Promise.all(Array.from({ length: 100 }, freePort))) {
    assert.ok(port >= 20_000 && port < 32_768, String(port));
  }
});
