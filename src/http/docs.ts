/** The API document at /openapi.json, made from the schemas of the routes, and its reference at /docs. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { version } from '../version.ts';
import { resources } from './schemas/answers.ts';

const description = `Hosted payment requests for invoices.

**Authentication**: HTTP Basic with the API key as user name and its secret as password, or the secret as a bearer token. A key belongs to one account and one mode, test or live; data of others does not exist for it.

**Amounts** are integers in the minor unit of the currency (ISO 4217): 2500 is 25.00 EUR, or 2500 JPY.

**Repeating a request**: every POST and PUT takes an \`Idempotency-Key\` (1 to 255 characters). A success is kept for a day and answered again byte for byte, with \`Idempotent-Replayed: true\`.

**Versions**: a session's \`ETag\` is its version. \`If-Match\` on update and expire refuses to change what has changed meanwhile.

**Errors** come all at once, each with a code and the field as a JSON pointer; with \`Accept: application/problem+json\` as problem documents (RFC 9457).`;

export async function describeApi(app: FastifyInstance, publicUrl: string): Promise<void> {
  for (const resource of Object.values(resources)) app.addSchema(resource);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'opentill', version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          basic: { type: 'http', scheme: 'basic', description: 'API key and secret.' },
          bearer: { type: 'http', scheme: 'bearer', description: 'The secret alone.' },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) => String(json.$id ?? `schema-${index}`),
    },
  });
}

/** To be called when all routes are registered. */
export async function serveDocs(app: FastifyInstance): Promise<void> {
  app.get('/openapi.json', { schema: { hide: true } as object }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger())),
  );
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    uiConfig: { docExpansion: 'list', deepLinking: true, validatorUrl: null },
  });
}
