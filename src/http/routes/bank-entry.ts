/** Bank entries: list and fetch them, and decide about those that match no session. */
import { type BankEntry, type EntryId, unassigned } from '../../banking/entry.ts';
import { representEntry } from '../../banking/representation.ts';
import { entryTag } from '../../banking/tags.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { EntryAction } from '../../writer/command.ts';
import { conditionOf, JSON_TYPE, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope, etagOf, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { idInPath } from '../loose.ts';
import { operation } from '../operation.ts';
import { assignBody, entryQuery, ignoreBody, reopenBody, sendBackBody } from '../schemas/bank.ts';
import { idOf } from '../schemas/checkout.ts';

const tag = 'Bank';
const params = idOf('ntc', 'bank entry');

export function bankEntryRoutes(api: Api, { store, execute, now }: Dependencies): void {
  const present = (entry: BankEntry) => JSON.stringify(representEntry(entry));

  async function entryAt(tenant: Tenant, id: EntryId): Promise<BankEntry> {
    const entry = await store.bankEntries.fetch(tenant, id);
    if (entry === null) throw notFound('There is no such bank entry.');
    return entry;
  }

  api.get(
    '/bank_entry',
    operation(
      {
        operation: 'BANK_ENTRY.LIST',
        tag,
        permission: 'bank',
        summary: 'List bank entries',
        description: 'Newest first. With `status=open`, the inbox of entries that wait for a person.',
        lists: 'BankEntry',
      },
      { querystring: entryQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { status } = request.query;
      const page = pageOf(request.query);
      const filter = status === undefined ? {} : { state: status };
      const { rows, hasMore } = await store.bankEntries.list(principalOf(request).tenant, filter, page);
      return sendList(reply, 'BANK_ENTRY.LIST', rows, present, { page, hasMore });
    },
  );

  api.get(
    '/bank_entry/:id',
    operation(
      {
        operation: 'BANK_ENTRY.FETCH',
        versioned: 'read',
        tag,
        permission: 'bank',
        summary: 'Fetch a bank entry',
        answers: 'BankEntry',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const entry = await entryAt(principalOf(request).tenant, request.params.id);
      reply.header('etag', etagOf(entryTag(entry)));
      return reply.type(JSON_TYPE).send(envelope('BANK_ENTRY.FETCH', present(entry)));
    },
  );

  api.post(
    '/bank_entry/:id/assign',
    operation(
      {
        operation: 'BANK_ENTRY.ASSIGN',
        versioned: 'change',
        tag,
        permission: 'bank',
        conditions: ['amount_unassigned'],
        currencyOf: async (request) => {
          const id = idInPath(request) as EntryId;
          return (await store.bankEntries.fetch(principalOf(request).tenant, id))?.currency ?? null;
        },
        summary: 'Assign an entry to sessions',
        description:
          'Books the entry for one session, or in parts for several: all parts are booked, or none. A transfer that was taken back, assigned to its session, is a reversal. Money that `concerns` a refund, assigned as a whole to the session of that refund, makes it `failed`.',
        answers: 'BankEntry',
        errors: ['entry_settled', 'not_payable', 'version_stale'],
      },
      { params, body: assignBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const entry = await entryAt(origin.tenant, request.params.id);
      const { parts, amount_unassigned: left } = request.body;
      const missing = parts.findIndex(({ amount }) => amount === undefined);
      if (missing >= 0 && parts.length > 1) {
        throw fieldsError([
          { pointer: `/parts/${missing}/amount`, detail: 'is required if there are several parts' },
        ]);
      }
      const wanted = parts.map(({ payin, amount }) => ({
        checkout: payin,
        amount: amount ?? Math.max(1, unassigned(entry)),
      }));
      const action = { type: 'assign', parts: wanted, ...(left === undefined ? {} : { left }) } as const;
      return act(request, reply, entry, action, 'BANK_ENTRY.ASSIGN');
    },
  );

  api.post(
    '/bank_entry/:id/ignore',
    operation(
      {
        operation: 'BANK_ENTRY.IGNORE',
        versioned: 'change',
        tag,
        permission: 'bank',
        summary: 'Ignore an entry',
        answers: 'BankEntry',
        errors: ['entry_settled', 'version_stale'],
      },
      { params, body: ignoreBody },
    ),
    async (request, reply) => {
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const entry = await entryAt(principalOf(request).tenant, request.params.id);
      const { reason } = request.body;
      return act(request, reply, entry, { type: 'ignore', reason }, 'BANK_ENTRY.IGNORE');
    },
  );

  api.post(
    '/bank_entry/:id/reopen',
    operation(
      {
        operation: 'BANK_ENTRY.REOPEN',
        versioned: 'change',
        tag,
        permission: 'bank',
        optionalBody: true,
        summary: 'Reopen an entry',
        description:
          'Undoes ignoring an entry, or sending it back before the bank has done so. Make sure first that the bank will not carry out the transfer.',
        answers: 'BankEntry',
        errors: ['entry_settled', 'version_stale'],
      },
      { params, body: reopenBody },
    ),
    async (request, reply) => {
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const entry = await entryAt(principalOf(request).tenant, request.params.id);
      const { reason = '' } = request.body;
      return act(request, reply, entry, { type: 'reopen', reason }, 'BANK_ENTRY.REOPEN');
    },
  );

  api.post(
    '/bank_entry/:id/send_back',
    operation(
      {
        operation: 'BANK_ENTRY.SEND_BACK',
        versioned: 'change',
        tag,
        permission: 'refund',
        optionalBody: true,
        summary: 'Send an entry back',
        description: 'Returns the unassigned amount to its sender with the next payment file.',
        answers: 'BankEntry',
        errors: ['entry_settled', 'not_refundable', 'version_stale'],
      },
      { params, body: sendBackBody },
    ),
    async (request, reply) => {
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const entry = await entryAt(principalOf(request).tenant, request.params.id);
      const { reason = '' } = request.body;
      return act(request, reply, entry, { type: 'send_back', reason }, 'BANK_ENTRY.SEND_BACK');
    },
  );

  async function act(
    request: Parameters<typeof originOf>[0],
    reply: Parameters<typeof sendResult>[0],
    { id, reference }: BankEntry,
    action: EntryAction,
    operation: string,
  ) {
    const origin = originOf(request);
    const time = await now(origin.tenant);
    const executed = await execute(
      { subject: 'bank_entry', origin, now: time, id, reference, action, ...conditionOf(request) },
      (entry) => success(operation, present(entry), { etag: etagOf(entryTag(entry)) }),
    );
    return sendResult(reply, executed);
  }
}
