/** The secret of an account and mode that signs webhooks to the addresses of sessions. */
import { type AccountCommand, secretFate } from '../../accounts/account-changes.ts';
import { representSecretFate } from '../../accounts/representation.ts';
import { newWebhookSecret } from '../../webhooks/secrets.ts';
import { originOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { operation } from '../operation.ts';
import { DEFAULT_OVERLAP_SECONDS, rotateSecretBody } from '../schemas/webhooks.ts';

export function webhookSecretRoutes(api: Api, { execute, now }: Dependencies): void {
  api.post(
    '/webhook_secret/rotate',
    operation(
      {
        operation: 'WEBHOOK_SECRET.ROTATE',
        tag: 'Account',
        permission: 'manage',
        optionalBody: true,
        summary: 'Rotate the secret of webhooks to sessions’ addresses',
        description:
          'The secret of the account and mode, which signs webhooks to the `webhook_url` of sessions; endpoints have secrets of their own. Only this answer shows the new `secret` (and a repetition with the same idempotency key). During the overlap, both secrets sign every webhook. With 0, the previous secret is invalid immediately. A secret from an earlier rotation is invalid immediately too.',
        answers: 'WebhookSecret',
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
        { subject: 'account', origin, command, now: time },
        ({ before, after }) => {
          const fate = representSecretFate(secretFate(before, after, { mode, now: time }));
          return success('WEBHOOK_SECRET.ROTATE', JSON.stringify(fate));
        },
      );
      return sendResult(reply, executed);
    },
  );
}
