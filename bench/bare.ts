/**
 * The yardstick: bare `node:http` in a process of its own. GET sends the bytes it was given at the start; POST and PUT
 * echo the body. Nothing that serves HTTP from Node does less.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [headersJson = '{}', body = ''] = process.argv.slice(2);
const headers = JSON.parse(headersJson) as Record<string, string>;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, headers).end(body);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => response.writeHead(200, headers).end(Buffer.concat(chunks)));
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
