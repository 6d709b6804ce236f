/**
 * The yardstick: bare `node:http` in a process of its own. It reads the body of a request, if there is one, and answers
 * the bytes of the file that it is given. Nothing that serves HTTP from Node.js does less.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sample } from './yardstick.ts';

const sample: Sample = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
// Text is sent as text, as a service does.
const body = sample.isText ? sample.body : Buffer.from(sample.body, 'base64');

const server = createServer((request, response) => {
  const answer = () => response.writeHead(sample.status, sample.headers).end(body);
  if (request.method === 'GET') {
    answer();
    return;
  }
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
  });
  request.on('end', () => {
    if (length > 0) answer();
    else response.destroy();
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
