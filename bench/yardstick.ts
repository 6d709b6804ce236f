/** Bare `node:http` that answers the very bytes of the service: asked once, before it is measured. */
import { writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Request } from './load/job.ts';
import { subjectAt } from './load/subjects.ts';
import { type Running, startProcess } from './processes.ts';

/** An answer, as a file has it. */
export type Sample = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly isText: boolean;
  /** Base64 where it is no text. */
  readonly body: string;
};

/** Headers that Node.js adds to every answer by itself. */
const ADDED = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

/** Starts the yardstick for a request to this service. */
export async function startYardstick(directory: string, url: string, request: Request): Promise<Running> {
  const file = join(directory, `sample-${process.hrtime.bigint()}.json`);
  writeFileSync(file, JSON.stringify(await sampleOf(url, request)));
  return startProcess([join(import.meta.dirname, 'bare.ts'), file]);
}

export async function sampleOf(
  url: string,
  { method, path, headers, body, subjects }: Request,
): Promise<Sample> {
  const subject = subjects === undefined ? '' : subjectAt(subjects, 0);
  const filled = (text: string) =>
    text
      .replaceAll('{subject}', subject)
      .replaceAll('{digits}', '1000')
      .replaceAll('{count}', '00000000000000');
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]));
  const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    httpRequest(url + filled(path), { method, headers: own }, resolve)
      .once('error', reject)
      .end(body && filled(body));
  });
  const bytes = await buffer(answer);
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${bytes}`);
  const isText = answer.headers['content-encoding'] === undefined;
  const kept = Object.entries(answer.headers).filter(([name]) => !ADDED.includes(name));
  return {
    status,
    headers: {
      ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      'content-length': String(bytes.length),
    },
    isText,
    body: bytes.toString(isText ? 'utf8' : 'base64'),
  };
}
