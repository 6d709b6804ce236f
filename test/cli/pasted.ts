/** Command lines that the service prints, run as somebody would who pastes them; curl itself need not be there. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

export type Request = { url: string; method: string; headers: Record<string, string>; body: string | null };

/** The `curl` commands in a text, each with the lines that continue it. */
export function curlLines(text: string): string[] {
  return text
    .replaceAll('\\\n', '\\\u0000')
    .split('\n')
    .map((line) => line.replaceAll('\u0000', '\n').trim())
    .filter((line) => line.startsWith('curl '));
}

/** The words of a command as a shell sees them. */
function wordsOf(command: string): string[] {
  const printed = execFileSync('bash', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    encoding: 'utf8',
  });
  return printed.split('\0').slice(0, -1);
}

/** The request that curl would send; fails at an option that is not known here. */
export function requestOf(command: string): Request {
  const request: Request = { url: '', method: 'GET', headers: {}, body: null };
  const words = wordsOf(command);
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-s') continue;
    if (word === '-u') {
      request.headers.authorization = `Basic ${Buffer.from(words.shift() ?? '').toString('base64')}`;
    } else if (word === '-X') request.method = words.shift() ?? '';
    else if (word === '-H') {
      const [, name = '', value = ''] = /^(.*?): (.*)$/.exec(words.shift() ?? '') ?? [];
      request.headers[name] = value;
    } else if (word === '-d') {
      request.body = words.shift() ?? '';
      if (request.method === 'GET') request.method = 'POST';
    } else {
      assert.match(word, /^https?:/, `curl has no ${word} here`);
      request.url = word;
    }
  }
  return request;
}

export function send({ url, method, headers, body }: Request): Promise<Response> {
  return fetch(url, { method, headers, ...(body === null ? {} : { body }) });
}
