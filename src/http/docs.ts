/**
 * The API document at /openapi.json, made from the schemas of the routes; its reference at /docs; and the page at
 * /docs/errors that problem documents lead to.
 */
import { readFileSync } from 'node:fs';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { version } from '../version.ts';
import { errorsPage } from './errors-page.ts';
import { resources } from './schemas/answers.ts';

const description = `Checkout sessions: hosted payment requests for invoices.

**Authentication**: HTTP Basic with the API key as user name and its secret as password, or the secret as a bearer token. A key belongs to one account and one mode, test or live; data of others does not exist for it.

**Amounts** are integers in the minor unit of the currency (ISO 4217): 2500 is 25.00 EUR, or 2500 JPY.

**Repeating a request**: every POST and PUT takes an \`Idempotency-Key\` (1 to 255 characters). A success is kept for a day and answered again byte for byte, with \`Idempotent-Replayed: true\`.

**Versions**: a session's \`ETag\` is its version. \`If-Match\` on update and expire refuses to change what has changed meanwhile.

**Errors** come all at once, each with a code and the field as a JSON pointer; with \`Accept: application/problem+json\` as problem documents (RFC 9457).`;

/** Nothing validates it: such a body is no JSON. Bytes of whatever type have an empty schema (OpenAPI 3.1, section 4.8.14.2). */
const fileContent = { type: 'string', format: 'binary', description: 'The file.' };

export async function describeApi(app: FastifyInstance, publicUrl: string): Promise<void> {
  for (const resource of Object.values(resources)) app.addSchema(resource);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'opentill', version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: publicUrl }],
      externalDocs: { url: `${publicUrl}/docs/errors`, description: 'All errors, and what to do about them' },
      components: {
        securitySchemes: {
          basic: { type: 'http', scheme: 'basic', description: 'API key and secret.' },
          bearer: { type: 'http', scheme: 'bearer', description: 'The secret alone.' },
        },
      },
    },
    // Headers are read by the code that needs them; here they are only described.
    transform: ({ schema, url, route }) => {
      const { requestHeaders: headers, upload } = route.config ?? {};
      return {
        schema: {
          ...schema,
          ...(headers ? { headers: { type: 'object', properties: headers } } : {}),
          ...(upload ? { consumes: ['application/octet-stream'], body: fileContent } : {}),
        },
        url,
      };
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) => String(json.$id ?? `schema-${index}`),
    },
  });
}

/**
 * The reference loads nothing from elsewhere and asks only this server. Its program writes styles into the page, so
 * inline styles must be allowed; inline scripts are not.
 */
const referencePolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

const ERRORS_PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** To be called when all routes are registered. `publicUrl` may have a path that a proxy puts before ours. */
export async function serveDocs(app: FastifyInstance, publicUrl: string): Promise<void> {
  const hidden = { schema: { hide: true } as object };
  app.get('/openapi.json', hidden, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger())),
  );
  const { pathname } = new URL(publicUrl);
  // Whoever opens the address that the start has printed is looking for something to read.
  app.get('/', hidden, async (_request, reply) => reply.redirect('docs'));
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    indexPrefix: pathname,
    staticCSP: referencePolicy,
    theme: { title: 'opentill API reference' },
    uiConfig: { layout: 'BaseLayout', docExpansion: 'list', deepLinking: true, validatorUrl: null },
    // Requests are tried out at the server that the page came from, under whatever name it was opened.
    transformSpecification: (document) => ({ ...document, servers: [{ url: pathname }] }),
    transformSpecificationClone: false,
  });

  const page = errorsPage({ stylesheet: 'errors.css', reference: './' });
  const styles = readFileSync(new URL('errors-page.css', import.meta.url), 'utf8');
  app.get('/docs/errors', hidden, async (_request, reply) =>
    reply.header('content-security-policy', ERRORS_PAGE_POLICY).type('text/html; charset=utf-8').send(page),
  );
  app.get('/docs/errors.css', hidden, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(styles),
  );
}
