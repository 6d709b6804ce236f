/** The API document (OpenAPI 3.1) of a service with default settings. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/config/read.ts';
import { DOCUMENTED_URL } from '../../../src/http/docs.ts';
import type { DeclaredOperation } from '../../../src/http/operation.ts';
import { createService } from '../../../src/main.ts';
import { version } from '../../../src/version.ts';
import { createErrorResponses } from './errors.ts';
import { createExamples } from './examples.ts';
import { withSharedFields } from './extended.ts';
import { headerComponents } from './headers.ts';
import { pathsOf } from './operations.ts';
import { answerComponents } from './schemas.ts';
import { tags } from './tags.ts';
import { webhookParameters, webhookResponses, webhooks } from './webhooks.ts';

const description = `Checkout sessions: hosted payment requests for invoices.

**Authentication.** HTTP Basic with the API key as user name and its secret as password, or the secret as a bearer token. A key belongs to one account and one mode, test or live, and sees no other data. Each operation names the permission that the key needs.

**Amounts** are integers in the minor unit of the currency (ISO 4217): 2500 is 25.00 EUR, or 2500 JPY.

**Repeated requests.** Every operation that changes something accepts an \`Idempotency-Key\`. The service keeps a success for at least a day, and answers a repeated request with the same bytes and \`Idempotent-Replayed: true\`.

**Versions.** The \`ETag\` of a session is its version. \`If-Match\` on update and expire protects against concurrent changes, as it does on changes of settings, receiving accounts, credentials, endpoints, secrets, accounts, roles of members and logos, and on decisions about bank entries and refunds.

**Empty values.** In a request, an empty string and \`null\` count as an absent field, unless an operation gives them a meaning. Unknown fields and parameters are errors.

**Compatibility.** This document describes accounts with \`compatibility: strict\`, the default. With \`v3\`, for clients of other v3 services, all amounts are in hundredths of the unit (2400 JPY is 240000), a number within a millionth of an integer is that integer, and unknown fields of bodies are ignored and listed in the answer’s \`Ignored-Fields\`, but for those that would change the price. Operations that do more say so. Operations with the permission \`manage\` are read by the letter in every account. A request with the header \`Compatibility: strict\` is read and answered by the letter in every account.

**Errors** list all mistakes of a request, each with a code and a JSON pointer to the field. With \`Accept: application/problem+json\`, they come as problem documents (RFC 9457).`;

/** Routes of a service, as it would be after its first start. */
export async function declaredOperations(): Promise<readonly DeclaredOperation[]> {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-generate-'));
  try {
    const service = await createService(
      readConfig({ DATABASE_URL: `sqlite:${join(directory, 'empty.db')}`, LOG_LEVEL: 'silent' }),
    );
    await service.app.ready();
    const { operations } = service.app;
    await service.stop();
    return operations;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export function openApiDocument(operations: readonly DeclaredOperation[]) {
  const schemas = withSharedFields(answerComponents());
  const errors = createErrorResponses();
  const examples = createExamples(schemas);
  const { paths, parameters: shared } = pathsOf(operations, { schemas, errors, examples });
  const { headers, parameters } = headerComponents();
  return {
    openapi: '3.1.0',
    info: { title: 'opentill', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: DOCUMENTED_URL }],
    // Every operation takes one of these; `x-permission` names the permission that it needs.
    security: [{ basic: [] }, { bearer: [] }],
    externalDocs: {
      url: `${DOCUMENTED_URL}/docs/errors`,
      description: 'All errors, and what to do about them',
    },
    tags,
    paths,
    webhooks: webhooks(examples),
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'API key and its secret.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The secret alone.' },
      },
      schemas: Object.fromEntries(schemas),
      responses: { ...errors.responses, ...webhookResponses },
      parameters: { ...parameters, ...shared, ...webhookParameters },
      headers,
      examples: errors.examples,
    },
  };
}
