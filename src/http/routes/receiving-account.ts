/** Accounts of the caller's account and mode that receive bank transfers. */
import type { FastifyRequest } from 'fastify';
import type { Account } from '../../accounts/account.ts';
import type { AccountCommand } from '../../accounts/account-changes.ts';
import {
  changedReceivingAccounts,
  NO_SUCH_RECEIVING_ACCOUNT,
  type ReceivingAccountCommand,
} from '../../accounts/receiving-account-changes.ts';
import { representReceivingAccount } from '../../accounts/representation.ts';
import { receivingAccountTag } from '../../accounts/tags.ts';
import { isRefusal } from '../../checkout/refusals.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { ReceivingAccount } from '../../methods/bank/receiving-account.ts';
import type { Answer } from '../../store/store.ts';
import { accountOf, conditionOf, JSON_TYPE, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { created, envelope, etagOf, listEnvelope, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems, withFurther } from '../input.ts';
import { operation } from '../operation.ts';
import { receivingAccountParams as params, setReceivingAccountBody } from '../schemas/receiving-account.ts';

const tag = 'Account';
const permission = 'manage';

export function receivingAccountRoutes(api: Api, { store, execute, now }: Dependencies): void {
  const allOf = async (tenant: Tenant) => receivingAccountsOf(await accountOf(store, tenant), tenant);

  async function change(
    request: FastifyRequest,
    command: AccountCommand,
    answer: (before: readonly ReceivingAccount[], after: readonly ReceivingAccount[]) => Answer,
  ) {
    const origin = originOf(request);
    const { tenant } = origin;
    const time = await now(tenant);
    return execute(
      { subject: 'account', origin, command, now: time, ...conditionOf(request) },
      ({ before, after }) => answer(receivingAccountsOf(before, tenant), receivingAccountsOf(after, tenant)),
    );
  }

  api.get(
    '/receiving_account',
    operation(
      {
        operation: 'RECEIVING_ACCOUNT.LIST',
        tag,
        permission,
        summary: 'List receiving accounts',
        description:
          'All of them, 100 at most, in order of preference: payers see the first one of a currency.',
        lists: 'ReceivingAccount',
      },
      {},
    ),
    async (request, reply) => {
      const all = await allOf(principalOf(request).tenant);
      const rows = all.map((each) => JSON.stringify(representReceivingAccount(each)));
      return reply.type(JSON_TYPE).send(listEnvelope('RECEIVING_ACCOUNT.LIST', rows, false, null));
    },
  );

  api.get(
    '/receiving_account/:id',
    operation(
      {
        operation: 'RECEIVING_ACCOUNT.FETCH',
        versioned: 'read',
        tag,
        permission,
        summary: 'Fetch a receiving account',
        answers: 'ReceivingAccount',
      },
      { params },
    ),
    async (request, reply) => {
      const found = named(await allOf(principalOf(request).tenant), request.params.id);
      if (found === undefined) throw notFound(NO_SUCH_RECEIVING_ACCOUNT);
      const data = JSON.stringify(representReceivingAccount(found));
      reply.header('etag', etagOf(receivingAccountTag(found)));
      return reply.type(JSON_TYPE).send(envelope('RECEIVING_ACCOUNT.FETCH', data));
    },
  );

  api.put(
    '/receiving_account/:id',
    operation(
      {
        operation: 'RECEIVING_ACCOUNT.SET',
        versioned: 'change',
        tag,
        permission,
        keepsNull: true,
        creates: true,
        summary: 'Set a receiving account',
        description:
          'Creates the account, or changes the one with this id. The body is a merge patch (RFC 7396): omitted fields keep their values, and `null` removes one, as does an empty string. What was fetched is accepted as it came. A new account needs a currency, a holder with name and country, and an identifier such as an IBAN. No two accounts have the same number and currency. Attempts that wait for a transfer keep the account as it was. With `If-None-Match: *` it only creates.',
        answers: 'ReceivingAccount',
        errors: ['version_stale'],
      },
      { params, body: setReceivingAccountBody },
    ),
    async (request, reply) => {
      const { id } = request.params;
      const problems = schemaProblems(request);
      // A body that the schema refuses may be null.
      const { id: given = id, object: _, methods: _methods, first = false, ...fields } = request.body ?? {};
      const command: ReceivingAccountCommand = { type: 'set_receiving_account', id, fields, isFirst: first };
      const misplaced = given === id ? [] : [{ pointer: '/id', detail: 'must be the id in the path' }];
      if (problems.length > 0 || misplaced.length > 0) {
        const refusal = changedReceivingAccounts(await allOf(principalOf(request).tenant), command);
        const all = withFurther(problems, isRefusal(refusal) ? refusal.problems : []);
        throw fieldsError(withFurther(all, misplaced));
      }
      const executed = await change(request, command, (before, after) => {
        const set = named(after, id);
        if (set === undefined) throw new Error(`${id} is not among the receiving accounts`);
        const data = JSON.stringify(representReceivingAccount(set));
        const headers = { etag: etagOf(receivingAccountTag(set)) };
        return named(before, id) === undefined
          ? created('RECEIVING_ACCOUNT.SET', data, `/v3/receiving_account/${id}`, headers)
          : success('RECEIVING_ACCOUNT.SET', data, headers);
      });
      return sendResult(reply, executed);
    },
  );

  api.delete(
    '/receiving_account/:id',
    operation(
      {
        operation: 'RECEIVING_ACCOUNT.DELETE',
        versioned: 'delete',
        tag,
        permission,
        noBody: true,
        summary: 'Delete a receiving account',
        description:
          'Payers who already have its details can still pay into it: attempts that wait keep it. Its statements can be imported only while it exists.',
        answers: 'Deleted',
        errors: ['version_stale'],
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { id } = request.params;
      const deleted = { id, object: 'receiving_account', deleted: true };
      const executed = await change(request, { type: 'remove_receiving_account', id }, () =>
        success('RECEIVING_ACCOUNT.DELETE', JSON.stringify(deleted)),
      );
      return sendResult(reply, executed);
    },
  );
}

const receivingAccountsOf = ({ settings }: Account, { mode }: Tenant) => settings[mode].receivingAccounts;

const named = (accounts: readonly ReceivingAccount[], id: string) => accounts.find((each) => each.id === id);
