/** Settings of the caller's account and mode. */
import { changedAccount } from '../../accounts/account-changes.ts';
import { representSettings } from '../../accounts/representation.ts';
import type { SettingsCommand } from '../../accounts/settings-changes.ts';
import { settingsTag } from '../../accounts/tags.ts';
import { isRefusal } from '../../checkout/refusals.ts';
import type { JsonObject } from '../../checkout/session.ts';
import { accountOf, conditionOf, JSON_TYPE, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope, etagOf, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems, withFurther } from '../input.ts';
import { operation } from '../operation.ts';
import { updateSettingsBody } from '../schemas/account-settings.ts';

const tag = 'Account';
const permission = 'manage';

export function accountSettingsRoutes(api: Api, { store, execute, now }: Dependencies): void {
  api.get(
    '/account_settings',
    operation(
      {
        operation: 'ACCOUNT_SETTINGS.FETCH',
        versioned: 'read',
        tag,
        permission,
        summary: 'Fetch account settings',
        description: 'Of the account and mode of the key.',
        answers: 'AccountSettings',
      },
      {},
    ),
    async (request, reply) => {
      const { tenant } = principalOf(request);
      const account = await accountOf(store, tenant);
      const data = JSON.stringify(representSettings(account, tenant.mode));
      reply.header('etag', etagOf(settingsTag(account, tenant.mode)));
      return reply.type(JSON_TYPE).send(envelope('ACCOUNT_SETTINGS.FETCH', data));
    },
  );

  api.put(
    '/account_settings',
    operation(
      {
        operation: 'ACCOUNT_SETTINGS.UPDATE',
        versioned: 'change',
        tag,
        permission,
        keepsNull: true,
        summary: 'Update account settings',
        description:
          'The body is a merge patch (RFC 7396): omitted parts and fields keep their values, and lists are replaced. `null` restores the default, of a field or of a whole part; it removes a CSV mapping, and for `webhook_url_events` it stands for the types that `compatibility` implies. What was fetched is accepted as it came. The name is of both modes, so that a key of test mode cannot change it. Changes at the same time lose nothing of each other, but the later of two values of one field counts: `If-Match` refuses the second. They count at once for the instance that answers, and within a second for others; a session keeps the policy with which it was created.',
        answers: 'AccountSettings',
        errors: ['version_stale'],
      },
      { body: updateSettingsBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const { tenant } = origin;
      const problems = schemaProblems(request);
      // A body that the schema refuses may be anything.
      const { object: _, name, ...patch } = Object(request.body) as JsonObject;
      const named = typeof name === 'string' ? { name } : {};
      const command: SettingsCommand = { type: 'change_settings', patch, ...named };
      const time = await now(tenant);
      if (problems.length > 0) {
        const when = { mode: tenant.mode, now: time };
        const refusal = changedAccount(await accountOf(store, tenant), when, command);
        throw fieldsError(withFurther(problems, isRefusal(refusal) ? refusal.problems : []));
      }
      const executed = await execute(
        { subject: 'account', origin, command, now: time, ...conditionOf(request) },
        ({ after }) => {
          const data = JSON.stringify(representSettings(after, tenant.mode));
          const etag = etagOf(settingsTag(after, tenant.mode));
          return success('ACCOUNT_SETTINGS.UPDATE', data, { etag });
        },
      );
      return sendResult(reply, executed);
    },
  );
}
