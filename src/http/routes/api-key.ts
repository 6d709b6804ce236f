/** API keys of the caller's account and mode. */
import { newApiKey } from '../../accounts/api-key.ts';
import { type ApiKeyCommand, NO_SUCH_KEY } from '../../accounts/key-changes.ts';
import {
  representApiKey,
  representNewApiKey,
  representRevokedApiKey,
} from '../../accounts/representation.ts';
import { sameTenant } from '../../checkout/tenant.ts';
import type { Serialize, Value } from '../../writer/command.ts';
import { JSON_TYPE, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { created, envelope, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { apiKeysQuery, createApiKeyBody, apiKeyParams as params } from '../schemas/api-key.ts';

const tag = 'API keys';
const permission = 'manage';

export function apiKeyRoutes(api: Api, { store, execute, now, realNow }: Dependencies): void {
  api.post(
    '/api_key',
    operation(
      {
        operation: 'API_KEY.CREATE',
        tag,
        permission,
        summary: 'Create a key',
        description:
          'For the account and mode of the key that asks, with any permissions. Only this answer shows the `secret`. A repetition with the same idempotency key creates nothing and has null in its place: where the first answer was lost, revoke the key and create another one. An account and mode can have 100 active keys.',
        statusCode: 201,
        answers: 'NewApiKey',
        errors: ['too_many_api_keys'],
      },
      { body: createApiKeyBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const { tenant, actor } = origin;
      const { permissions, name = '' } = request.body;
      const { key, secret } = newApiKey({ tenant, permissions, name, nowMs: realNow() });
      const showing =
        (shown: string | null): Serialize<Pick<Value<'api_key'>, 'key'>> =>
        (value) => {
          const data = JSON.stringify(representNewApiKey(value.key, shown, actor));
          return created('API_KEY.CREATE', data, `/v3/api_key/${key.id}`);
        };
      const command: ApiKeyCommand = { type: 'create_api_key', key };
      const executed = await execute(
        { subject: 'api_key', origin, id: key.id, command, now: await now(tenant) },
        // The answer that is kept for a repetition must not have the secret.
        showing(null),
      );
      const isNew = executed.result.kind === 'change';
      return sendResult(reply, isNew ? { ...executed, answer: showing(secret)({ key }) } : executed);
    },
  );

  api.get(
    '/api_key',
    operation(
      {
        operation: 'API_KEY.LIST',
        tag,
        permission,
        summary: 'List keys',
        description: 'Active and revoked ones, newest first.',
        lists: 'ApiKey',
      },
      { querystring: apiKeysQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { tenant, keyId } = principalOf(request);
      const { rows, hasMore } = await store.apiKeys.list(tenant, page);
      const present = (key: (typeof rows)[number]) => JSON.stringify(representApiKey(key, keyId));
      return sendList(reply, 'API_KEY.LIST', rows, present, { page, hasMore });
    },
  );

  api.get(
    '/api_key/:id',
    operation(
      { operation: 'API_KEY.FETCH', tag, permission, summary: 'Fetch a key', answers: 'ApiKey' },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { tenant, keyId } = principalOf(request);
      const key = await store.apiKeys.fetch(request.params.id);
      if (key === null || !sameTenant(key.tenant, tenant)) throw notFound(NO_SUCH_KEY);
      const data = JSON.stringify(representApiKey(key, keyId));
      return reply.type(JSON_TYPE).send(envelope('API_KEY.FETCH', data));
    },
  );

  api.post(
    '/api_key/:id/revoke',
    operation(
      {
        operation: 'API_KEY.REVOKE',
        tag,
        permission,
        noBody: true,
        summary: 'Revoke a key',
        description:
          'The key is refused from now on: at once by the instance that answers, within a second by others. It cannot be made active again. A key may revoke itself; `is_caller` is true then, and `remaining_manage_keys` says how many keys can still manage. Revoking a revoked key changes nothing.',
        answers: 'RevokedApiKey',
      },
      { params },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      schemaProblems(request);
      const command: ApiKeyCommand = { type: 'revoke_api_key', at: realNow() };
      const time = await now(origin.tenant);
      const executed = await execute(
        { subject: 'api_key', origin, id: request.params.id, command, now: time },
        ({ key, counts }) =>
          success('API_KEY.REVOKE', JSON.stringify(representRevokedApiKey(key, counts, origin.actor))),
      );
      return sendResult(reply, executed);
    },
  );
}
