/** Payment files: refunds and returns for a bank to carry out. */

import type { BankFile } from '../../banking/bank-file.ts';
import { outgoingFrom, outgoingFromAll } from '../../banking/outgoing.ts';
import { representBankFile, representOutgoing } from '../../banking/representation.ts';
import { newId } from '../../lib/id.ts';
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
import { created, envelope, listEnvelope } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { fileQuery, paymentFileBody } from '../schemas/bank.ts';
import { idOf } from '../schemas/checkout.ts';
import { parseTimestamp } from '../schemas/fields.ts';

const tag = 'Bank';
const params = idOf('bfl', 'file');

export function paymentFileRoutes(api: Api, { store, execute, now }: Dependencies): void {
  const present = (file: BankFile) => JSON.stringify(representBankFile(file));

  api.post(
    '/payment_file',
    operation(
      {
        operation: 'PAYMENT_FILE.CREATE',
        tag,
        permission: 'refund',
        conditions: ['version'],
        summary: 'Create a payment file',
        description:
          'Creates an ISO 20022 pain.001 file of all pending refunds and returns that leave one account and are in no file yet, the oldest 500 at most. Upload it to the bank; the statement with the transfers settles them. With the `version` of a preview, it has just the payments that the preview has shown.',
        statusCode: 201,
        answers: 'PaymentFile',
        errors: ['nothing_to_pay'],
      },
      { body: paymentFileBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const { tenant } = origin;
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const { receiving_account, execute_on, version } = request.body;
      const time = await now(tenant);
      const today = new Date(time).toISOString().slice(0, 10);
      const executeOn = execute_on ?? today;
      const { receivingAccounts } = (await accountOf(store, tenant)).settings[tenant.mode];
      const account = receivingAccounts.find(({ id }) => id === receiving_account);
      const isDay = parseTimestamp(`${executeOn}T00:00:00Z`) !== null && executeOn >= today;
      if (!account || !isDay) {
        // A repeated request has its file, though its day is over by now, or its account is gone.
        const earlier = await answerBefore(execute, origin);
        if (earlier) return sendResult(reply, earlier);
        throw fieldsError([
          ...(account
            ? []
            : [{ pointer: '/receiving_account', detail: 'must be the id of a receiving account' }]),
          ...(isDay ? [] : [{ pointer: '/execute_on', detail: 'must be a date, today or later' }]),
        ]);
      }
      const { refunds, returns, leftOut } = await outgoingFrom(store, tenant, account, receivingAccounts);
      const id = newId('bfl', time);
      const content = { account, executeOn, refunds, returns, leftOut, version };
      const executed = await execute({ subject: 'payment_file', origin, now: time, id, ...content }, (file) =>
        created('PAYMENT_FILE.CREATE', present(file), `/v3/payment_file/${id}`),
      );
      return sendResult(reply, executed);
    },
  );

  api.get(
    '/payment_file',
    operation(
      {
        operation: 'PAYMENT_FILE.LIST',
        tag,
        permission: 'read',
        summary: 'List payment files',
        description: 'Newest first.',
        lists: 'PaymentFile',
      },
      { querystring: fileQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { rows, hasMore } = await store.bankFiles.list(principalOf(request).tenant, 'payments', page);
      return sendList(reply, 'PAYMENT_FILE.LIST', rows, present, { page, hasMore });
    },
  );

  api.get(
    '/payment_file/preview',
    operation(
      {
        operation: 'PAYMENT_FILE.PREVIEW',
        tag,
        permission: 'refund',
        summary: 'Preview payment files',
        description:
          'What a payment file of each receiving account would have if it were created now. Accounts without anything to send are left out. All are in one page.',
        lists: 'PaymentFilePreview',
      },
      {},
    ),
    async (request, reply) => {
      const { tenant } = principalOf(request);
      const { receivingAccounts } = (await accountOf(store, tenant)).settings[tenant.mode];
      const files = await outgoingFromAll(store, tenant, receivingAccounts);
      const rows = files
        .map(representOutgoing)
        .filter(({ count, left_out }) => count > 0 || left_out.length > 0)
        .map((each) => JSON.stringify(each));
      return reply.type(JSON_TYPE).send(listEnvelope('PAYMENT_FILE.PREVIEW', rows, false, null));
    },
  );

  api.get(
    '/payment_file/:id',
    operation(
      {
        operation: 'PAYMENT_FILE.FETCH',
        tag,
        permission: 'read',
        summary: 'Fetch a payment file',
        answers: 'PaymentFile',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const file = await store.bankFiles.fetch(principalOf(request).tenant, request.params.id);
      if (file?.kind !== 'payments') throw notFound('There is no such file.');
      return reply.type(JSON_TYPE).send(envelope('PAYMENT_FILE.FETCH', present(file)));
    },
  );

  api.get(
    '/payment_file/:id/content',
    operation(
      {
        operation: 'PAYMENT_FILE.CONTENT',
        tag,
        // It has names and account numbers of payers, as bank entries do.
        permission: 'bank',
        summary: 'Download a payment file',
        answers: 'FileContent',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const file = await store.bankFiles.fetch(principalOf(request).tenant, request.params.id);
      if (file?.kind !== 'payments') throw notFound('There is no such file.');
      const data = JSON.stringify({
        object: 'file_content',
        name: `${file.id}.xml`,
        media_type: 'application/xml',
        content: file.content,
      });
      return reply.type(JSON_TYPE).send(envelope('PAYMENT_FILE.CONTENT', data));
    },
  );
}
