/** Credentials that the caller's account has of its own at rails, for its mode. No answer has a secret. */
import {
  credentialsAt,
  missingSecrets,
  NO_SUCH_CREDENTIALS,
  type RailCredentialsCommand,
} from '../../accounts/rail-credentials-changes.ts';
import { representRailCredentials } from '../../accounts/representation.ts';
import { railCredentialsTag } from '../../accounts/tags.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { readSecrets, type SealedCredentials } from '../../methods/credentials.ts';
import { accountOf, conditionOf, JSON_TYPE, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { created, envelope, etagOf, listEnvelope, success } from '../envelope.ts';
import { fieldsError, RequestError } from '../errors.ts';
import { schemaProblems, withFurther } from '../input.ts';
import { operation } from '../operation.ts';
import { railCredentialsParams as params, setRailCredentialsBody } from '../schemas/rail-credentials.ts';

const tag = 'Account';
const permission = 'manage';

export function railCredentialsRoutes(api: Api, dependencies: Dependencies): void {
  const { store, execute, now, realNow, rails, vault, publicUrl } = dependencies;

  const allOf = async (tenant: Tenant) => (await accountOf(store, tenant)).railCredentials[tenant.mode];

  function shown(tenant: Tenant, rail: string, sealed: SealedCredentials): string {
    return JSON.stringify(representRailCredentials({ tenant, rail }, sealed, { vault, publicUrl }));
  }

  api.get(
    '/rail_credentials',
    operation(
      {
        operation: 'RAIL_CREDENTIALS.LIST',
        tag,
        permission,
        summary: 'List credentials at rails',
        description: 'Those that the account has of its own in the mode of the key, without the secrets.',
        lists: 'RailCredentials',
      },
      {},
    ),
    async (request, reply) => {
      const { tenant } = principalOf(request);
      const rows = Object.entries(await allOf(tenant)).map(([rail, each]) => shown(tenant, rail, each));
      return reply.type(JSON_TYPE).send(listEnvelope('RAIL_CREDENTIALS.LIST', rows, false, null));
    },
  );

  api.get(
    '/rail_credentials/:id',
    operation(
      {
        operation: 'RAIL_CREDENTIALS.FETCH',
        versioned: 'read',
        tag,
        permission,
        summary: 'Fetch credentials at a rail',
        answers: 'RailCredentials',
      },
      { params },
    ),
    async (request, reply) => {
      const { tenant } = principalOf(request);
      const { id } = request.params;
      const found = credentialsAt(await allOf(tenant), id);
      if (found === null) throw notFound(NO_SUCH_CREDENTIALS);
      reply.header('etag', etagOf(railCredentialsTag(found)));
      return reply.type(JSON_TYPE).send(envelope('RAIL_CREDENTIALS.FETCH', shown(tenant, id, found)));
    },
  );

  api.put(
    '/rail_credentials/:id',
    operation(
      {
        operation: 'RAIL_CREDENTIALS.SET',
        versioned: 'change',
        tag,
        permission,
        creates: true,
        summary: 'Set credentials at a rail',
        description:
          'For the account and mode of the key, in place of those of the settings. Omitted secrets keep their values; new credentials need all of them. They are encrypted under `CREDENTIALS_KEY`, and never shown again. They count at once for the instance that answers, and within a second for others. Payments and refunds under way are asked about with the new ones: keys of another account of the provider do not know them. Register `events_url` at the provider before, for the signing secret.',
        answers: 'RailCredentials',
        errors: ['no_credentials_key', 'version_stale'],
      },
      { params, body: setRailCredentialsBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const { tenant, actor } = origin;
      const { id: rail } = request.params;
      const problems = schemaProblems(request);
      const form = rails.find(({ name }) => name === rail)?.credentials;
      if (form === undefined) {
        const detail = 'must be the name of a rail that takes credentials, such as stripe';
        throw fieldsError(withFurther(problems, [{ pointer: '/id', detail }]));
      }
      const read = readSecrets(form, tenant.mode, request.body);
      const mistakes = withFurther(problems, read.problems);
      if (mistakes.length > 0) {
        // Only beside other mistakes: another process may have set them a moment ago, which the writer knows.
        const missing = missingSecrets(await allOf(tenant), rail, form, Object.keys(read.secrets));
        throw fieldsError(withFurther(mistakes, missing));
      }
      if (!vault.canSeal) throw new RequestError('no_credentials_key');
      const secrets = vault.seal(read.secrets, { tenant, rail });
      const command: RailCredentialsCommand = {
        ...{ type: 'set_rail_credentials', rail, secrets, form },
        ...{ at: realNow(), by: actor },
      };
      const executed = await execute(
        { subject: 'account', origin, command, now: await now(tenant), ...conditionOf(request) },
        ({ before, after }) => {
          const [old, set] = [before, after].map((each) =>
            credentialsAt(each.railCredentials[tenant.mode], rail),
          );
          if (!set) throw new Error(`${rail} is not among the credentials`);
          const data = shown(tenant, rail, set);
          const headers = { etag: etagOf(railCredentialsTag(set)) };
          return old === null
            ? created('RAIL_CREDENTIALS.SET', data, `/v3/rail_credentials/${rail}`, headers)
            : success('RAIL_CREDENTIALS.SET', data, headers);
        },
      );
      return sendResult(reply, executed);
    },
  );

  api.delete(
    '/rail_credentials/:id',
    operation(
      {
        operation: 'RAIL_CREDENTIALS.DELETE',
        versioned: 'delete',
        tag,
        permission,
        noBody: true,
        summary: 'Delete credentials at a rail',
        description:
          'The account can no longer be paid by the rail, unless the settings have credentials for it. Nobody is asked any more about payments and refunds that are under way.',
        answers: 'Deleted',
        errors: ['version_stale'],
      },
      { params },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      schemaProblems(request);
      const { id } = request.params;
      const deleted = { id, object: 'rail_credentials', deleted: true };
      const command: RailCredentialsCommand = { type: 'remove_rail_credentials', rail: id };
      const executed = await execute(
        { subject: 'account', origin, command, now: await now(origin.tenant), ...conditionOf(request) },
        () => success('RAIL_CREDENTIALS.DELETE', JSON.stringify(deleted)),
      );
      return sendResult(reply, executed);
    },
  );
}
