/** Requests about credentials at rails. The rail says what they have to look like; the schema, which there are. */
import { Type } from '../../lib/json-schema.ts';
import { closedObject, nullable } from '../../lib/schemas.ts';

export const railCredentialsParams = Type.Object({
  id: Type.String({ description: 'Name of the rail.', examples: ['stripe'] }),
});

const secret = (description: string, example: string) =>
  Type.Optional(nullable(Type.String({ maxLength: 255, writeOnly: true, description, examples: [example] })));

export const setRailCredentialsBody = closedObject(
  {
    secret_key: secret(
      'Secret key, or a restricted key, of the mode: `sk_test_…` or `rk_test_…`, in live mode `sk_live_…` or `rk_live_…`.',
      'rk_test_51Example0Key0Of0Stripe',
    ),
    webhook_secret: secret(
      'Signing secret of the webhook that the provider sends to `events_url`.',
      'whsec_Example0Secret0Of0Stripe',
    ),
  },
  { description: 'Secrets to set. New credentials need all of them.' },
);
