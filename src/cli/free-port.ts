import { once } from 'node:events';
import { createServer } from 'node:net';

const FIRST_PORT = 20_000;
/** The end lies below what Linux (32768) and macOS (49152) give to outgoing connections. */
const END_OF_PORTS = 32_768;
const tried = new Set<number>();

/**
 * A TCP port for a server that must know its address before it listens: free now, never the same one twice
 * in a process, and none that systems usually give to connections.
 */
export async function freePort(): Promise<number> {
  while (tried.size < END_OF_PORTS - FIRST_PORT) {
    const port = FIRST_PORT + Math.floor(Math.random() * (END_OF_PORTS - FIRST_PORT));
    if (tried.has(port)) continue;
    tried.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No TCP port from ${FIRST_PORT} to ${END_OF_PORTS - 1} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    // Windows keeps ranges of them for itself.
    if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
