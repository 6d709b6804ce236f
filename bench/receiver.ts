/**
 * A receiver of webhooks in a process of its own. It takes them at once, except under `/hanging`, where it never answers.
 * To GET it says how many there were, and how long those since the last GET had been on their way: from the time in
 * their event, in milliseconds.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let delaysMs: number[] = [];
let count = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    delaysMs.sort((a, b) => a - b);
    const at = (share: number) => delaysMs[Math.floor(share * delaysMs.length)] ?? null;
    response.end(JSON.stringify({ count, medianMs: at(0.5), p99Ms: at(0.99) }));
    delaysMs = [];
    return;
  }
  if (request.url === '/hanging') {
    request.resume();
    return;
  }
  let text = '';
  request.setEncoding('latin1');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    count++;
    response.end();
    const at = text.indexOf('"created_at":"') + 14;
    delaysMs.push(Date.now() - Date.parse(text.slice(at, at + 24)));
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
