/** Bank statements: uploaded as the bank wrote them. */

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { csvMappingOf } from '../../accounts/settings.ts';
import type { BankFile } from '../../banking/bank-file.ts';
import { representBankFile } from '../../banking/representation.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { previewStatement } from '../../ingest/preview.ts';
import { formatOf, partsOf } from '../../ingest/read.ts';
import { representPreview } from '../../ingest/representation.ts';
import { ingestStatement } from '../../ingest/statement.ts';
import { StatementError } from '../../statements/entry.ts';
import { type CsvMapping, readMapping, serializeMapping } from '../../statements/mapping.ts';
import {
  accountOf,
  answerBefore,
  JSON_TYPE,
  notFound,
  originOf,
  principalOf,
  sendResult,
} from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope, listEnvelope, success } from '../envelope.ts';
import { fieldsError, RequestError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { fileQuery, importQuery, previewQuery } from '../schemas/bank.ts';
import { idOf } from '../schemas/checkout.ts';
import { createUploads } from '../upload.ts';

const tag = 'Bank';
const params = idOf('bfl', 'statement');
const IMPORT = 'BANK_STATEMENT.IMPORT';
const PREVIEW = 'BANK_STATEMENT.PREVIEW';

/** Limit of an upload; larger files go into the watched folder. */
export const UPLOAD_LIMIT_BYTES = 64 * 2 ** 20;

export async function bankStatementRoutes(api: Api, { store, execute, now }: Dependencies): Promise<void> {
  const withUpload = createUploads();
  const present = (file: BankFile) => JSON.stringify(representBankFile(file));

  /** The saved mapping with this name, or null if none is wanted. */
  async function mappingNamed({ account, mode }: Tenant, name: string | undefined) {
    if (name === undefined) return null;
    const mapping = csvMappingOf((await accountOf(store, { account, mode })).settings[mode], name);
    if (mapping !== null) return mapping;
    throw fieldsError([{ pointer: '/mapping', detail: 'must be the name of a saved mapping' }], 'bad_query');
  }

  // The body is a file of any type, which the handler reads.
  await api.register(async (scoped) => {
    const uploads = scoped.withTypeProvider<TypeBoxTypeProvider>();
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser('*', (_request, _payload, done) => done(null));
    uploads.post(
      '/bank_statement',
      operation(
        {
          operation: IMPORT,
          tag,
          permission: 'bank',
          conditions: ['sha256'],
          upload: true,
          summary: 'Import a bank statement',
          description:
            'The body is the file as the bank wrote it: camt.053 or camt.054 (ISO 20022), MT940, or CSV with a saved column mapping; at most 64 MiB. A file with a mistake imports nothing. Importing the same file, or the same entries, again changes nothing.',
          answers: 'BankStatement',
          errors: ['bad_statement', 'too_large', 'key_reused'],
        },
        { querystring: importQuery },
      ),
      async (request, reply) => {
        schemaProblems(request);
        // Checked before the file is read: with an invalid idempotency key, reading it would be waste.
        const { tenant } = originOf(request);
        const { name = '', mapping: wanted, sha256 } = request.query;
        const mapping = await mappingNamed(tenant, wanted);
        return withUpload(request, tenant, UPLOAD_LIMIT_BYTES, async (upload) => {
          if (sha256 !== undefined && sha256 !== upload.hash) {
            throw fieldsError([{ pointer: '/sha256', detail: 'must be that of the file' }], 'bad_query');
          }
          // The same request means the same file, name and mapping.
          request.bodyBytes = Buffer.from(JSON.stringify([upload.hash, name, wanted ?? '']));
          const origin = originOf(request);
          const earlier = await answerBefore(execute, origin);
          if (earlier) return sendResult(reply, earlier);
          const time = await now(tenant);
          const source = { name, hash: upload.hash, read: () => partsOf(upload, mapping) };
          const executed = await ingestStatement({ store, execute }, origin, source, time, (file) =>
            success(IMPORT, present(file)),
          ).catch(badStatement);
          return sendResult(reply, executed);
        });
      },
    );

    uploads.post(
      '/bank_statement/preview',
      operation(
        {
          operation: PREVIEW,
          tag,
          permission: 'bank',
          upload: true,
          summary: 'Preview a bank statement',
          description:
            'Tells what an import of the file would do now, and changes nothing. The first 1,000 entries are matched. All mistakes of a CSV file are told, the first one of another.',
          onlyReads: true,
          answers: 'BankStatementPreview',
          errors: ['too_large'],
        },
        { querystring: previewQuery },
      ),
      async (request, reply) => {
        schemaProblems(request);
        const { tenant } = principalOf(request);
        const { name = '', mapping: wanted, csv_mapping: tried } = request.query;
        const mapping = tried === undefined ? await mappingNamed(tenant, wanted) : mappingIn(tried);
        return withUpload(request, tenant, UPLOAD_LIMIT_BYTES, async (upload) => {
          const source = {
            format: () => formatOf(upload),
            read: () => partsOf(upload, mapping, { goesOn: true }),
          };
          const known = await store.bankFiles.fetchByHash(tenant, 'statement', upload.hash);
          const preview = await previewStatement(store, tenant, source, await now(tenant));
          const file = { name, hash: upload.hash, imported: known?.id ?? null };
          return reply
            .type(JSON_TYPE)
            .send(envelope(PREVIEW, JSON.stringify(representPreview(preview, file))));
        });
      },
    );
  });

  api.get(
    '/csv_mapping',
    operation(
      {
        operation: 'CSV_MAPPING.LIST',
        tag,
        permission: 'bank',
        summary: 'List CSV mappings',
        description: 'All of them, by name. They are changed with the settings of the account.',
        lists: 'CsvMapping',
      },
      {},
    ),
    async (request, reply) => {
      const { tenant } = principalOf(request);
      const { csvMappings } = (await accountOf(store, tenant)).settings[tenant.mode];
      const rows = Object.entries(csvMappings).map(([id, mapping]) =>
        JSON.stringify({ id, object: 'csv_mapping', mapping: serializeMapping(mapping) }),
      );
      return reply.type(JSON_TYPE).send(listEnvelope('CSV_MAPPING.LIST', rows, false, null));
    },
  );

  api.get(
    '/bank_statement',
    operation(
      {
        operation: 'BANK_STATEMENT.LIST',
        tag,
        permission: 'bank',
        summary: 'List bank statements',
        description: 'Imported files, newest first.',
        lists: 'BankStatement',
      },
      { querystring: fileQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { rows, hasMore } = await store.bankFiles.list(principalOf(request).tenant, 'statement', page);
      return sendList(reply, 'BANK_STATEMENT.LIST', rows, present, { page, hasMore });
    },
  );

  api.get(
    '/bank_statement/:id',
    operation(
      {
        operation: 'BANK_STATEMENT.FETCH',
        tag,
        permission: 'bank',
        summary: 'Fetch a bank statement',
        answers: 'BankStatement',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const file = await store.bankFiles.fetch(principalOf(request).tenant, request.params.id);
      if (file?.kind !== 'statement') throw notFound('There is no such statement.');
      return reply.type(JSON_TYPE).send(envelope('BANK_STATEMENT.FETCH', present(file)));
    },
  );
}

/** A mapping that is not saved, from the text of a query. */
function mappingIn(text: string): CsvMapping {
  const read = readMapping(jsonOf(text));
  if ('mapping' in read) return read.mapping;
  const problems = read.problems.map(({ pointer, detail }) => ({
    pointer: `/csv_mapping${pointer}`,
    detail,
  }));
  throw fieldsError(problems, 'bad_query');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fieldsError([{ pointer: '/csv_mapping', detail: 'must be JSON' }], 'bad_query');
  }
}

function badStatement(error: unknown): never {
  if (!(error instanceof StatementError)) throw error;
  const message = `${error.message}.`;
  throw new RequestError('bad_statement', [{ reason: 'bad_statement', message, remarks: '' }]);
}
