/** The secret of an account and mode that signs webhooks to the addresses of sessions. */
import { type AccountCommand, secretFate } from '../../accounts/account-changes.ts';
import { representSecretFate, representWebhookSecret } from '../../accounts/representation.ts';
import { webhookSecretTag } from '../../accounts/tags.ts';
import { newWebhookSecret } from '../../webhooks/secrets.ts';
import { accountOf, conditionOf, JSON_TYPE, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope, etagOf, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { operation } from '../operation.ts';
import { DEFAULT_OVERLAP_SECONDS, rotateSecretBody } from '../schemas/webhooks.ts';

const common = { tag: 'Account', permission: 'manage' } as const;

export function webhookSecretRoutes(api: Api, { store, execute, now }: Dependencies): void {
  api.get(
    '/webhook_secret',
    operation(
      {
        ...common,
        operation: 'WEBHOOK_SECRET.FETCH',
        answers: 'WebhookSecret',
        versioned: 'read',
        summary: 'Fetch the state of the secret of webhooks to sessions’ addresses',
        description:
          'Whether the previous secret signs too. The secret itself is shown by its rotation alone. Every rotation changes the `ETag`.',
      },
      {},
    ),
    async (request, reply) => {
      const { tenant } = principalOf(request);
      const { mode } = tenant;
      const account = await accountOf(store, tenant);
      const data = JSON.stringify(representWebhookSecret(account, { mode, now: await now(tenant) }));
      reply.header('etag', etagOf(webhookSecretTag(account, mode)));
      return reply.type(JSON_TYPE).send(envelope('WEBHOOK_SECRET.FETCH', data));
    },
  );

  api.post(
    '/webhook_secret/rotate',
    operation(
      {
        ...common,
        operation: 'WEBHOOK_SECRET.ROTATE',
        answers: 'NewWebhookSecret',
        versioned: 'change',
        optionalBody: true,
        summary: 'Rotate the secret of webhooks to sessions’ addresses',
        description:
          'The secret of the account and mode, which signs webhooks to the `webhook_url` of sessions; endpoints have secrets of their own. Only this answer shows the new `secret` (and a repetition with the same idempotency key). During the overlap, both secrets sign every webhook. With 0, the previous secret is invalid immediately. A secret from an earlier rotation is invalid immediately too: with `If-Match`, nobody replaces a secret that somebody else has just made.',
        errors: ['version_stale'],
      },
      { body: rotateSecretBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const { overlap_seconds: seconds = DEFAULT_OVERLAP_SECONDS } = request.body;
      const time = await now(origin.tenant);
      const { mode } = origin.tenant;
      const command: AccountCommand = {
        type: 'rotate_webhook_secret',
        secret: newWebhookSecret(),
        overlapMs: seconds * 1000,
      };
      const executed = await execute(
        { subject: 'account', origin, command, now: time, ...conditionOf(request) },
        ({ before, after }) => {
          const fate = representSecretFate(secretFate(before, after, { mode, now: time }));
          const etag = etagOf(webhookSecretTag(after, mode));
          return success('WEBHOOK_SECRET.ROTATE', JSON.stringify(fate), { etag });
        },
      );
      return sendResult(reply, executed);
    },
  );
}
