/**
 * Documentation of the API as the service serves it: the API document at /openapi.json, its reference at /docs, and at
 * /docs/errors the page that the `type` of a problem document leads to. `npm run generate` makes the files.
 */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html, textOf } from '../lib/html.ts';
import { isKnown } from './answer.ts';

/** The address for which the files are generated; the service puts its own in its place. */
export const DOCUMENTED_URL = 'http://127.0.0.1:3000';

const JSON_DOCUMENT = {
  type: 'application/json; charset=utf-8',
  escaped: (text: string) => JSON.stringify(text).slice(1, -1),
};
const HTML_DOCUMENT = {
  type: 'text/html; charset=utf-8',
  escaped: (text: string) => textOf(html`${text}`),
};
const documents = [
  { path: '/openapi.json', file: 'openapi.json', ...JSON_DOCUMENT },
  { path: '/docs', file: 'docs/reference/api.html', ...HTML_DOCUMENT },
  { path: '/docs/errors', file: 'docs/reference/errors.html', ...HTML_DOCUMENT },
] as const;

/** In another thread: a document has half a megabyte. */
const compress = promisify<Buffer, object, Buffer>(gzip);

type Served = {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

export function serveDocs(app: FastifyInstance, publicUrl: string): void {
  for (const document of documents) {
    let served: Promise<Served> | undefined;
    app.get(document.path, async (request, reply) => {
      // Few ever ask, so the file is read for the first who does.
      served ??= load(document, publicUrl);
      return send(request, reply, await served);
    });
  }
  // People who open the address that the start has printed are looking for something to read.
  app.get('/', (_request, reply) => reply.redirect('docs'));
  app.get('/docs/', (_request, reply) => reply.redirect('../docs'));
}

async function load({ file, type, escaped }: (typeof documents)[number], publicUrl: string): Promise<Served> {
  const source = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  const text = source.replaceAll(DOCUMENTED_URL, escaped(publicUrl));
  const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
    ([, style = '']) => ` 'sha256-${hash('sha256', style, 'base64')}'`,
  );
  const plain = Buffer.from(text);
  return {
    plain,
    gzipped: await compress(plain, { level: 9 }),
    headers: {
      'content-type': type,
      // The pages hold their style sheet and load nothing at all.
      'content-security-policy': `default-src 'none'; ${styles.length > 0 ? `style-src${styles.join('')}; ` : ''}img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-cache',
      etag: `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`,
      vary: 'accept-encoding',
    },
  };
}

function send(request: FastifyRequest, reply: FastifyReply, { plain, gzipped, headers }: Served) {
  reply.headers(headers);
  if (isKnown(request, headers.etag ?? '')) return reply.code(304).send();
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(plain);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

function acceptsGzip(header: string | string[] = ''): boolean {
  return /(?:^|,)\s*gzip\s*(?:;\s*q=(?:1|0\.0*[1-9])[\d.]*\s*)?(?:,|$)/i.test(String(header));
}
