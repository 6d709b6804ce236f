/** Accounts, API keys, members, the secret that signs webhooks, receiving accounts, credentials at rails, settings, retention and logos, as the API shows them. */

import { allPermissions } from '../../accounts/api-key.ts';
import { logoTypes, MAX_LOGO_BYTES, MAX_LOGO_PIXELS } from '../../accounts/logo.ts';
import type {
  representAccount,
  representAuditEntry,
  representLogo,
  representNewAccount,
  representRailCredentials,
  representReceivingAccount,
  representSecretFate,
  representWebhookSecret,
} from '../../accounts/representation.ts';
import { idempotencyUses } from '../../accounts/request-log.ts';
import { Type } from '../../lib/json-schema.ts';
import { waitReasons } from '../../methods/provider-event.ts';
import type { representMember, representNewLink } from '../../users/representation.ts';
import { roleNames } from '../../users/roles.ts';
import type { representRequest } from '../request-representation.ts';
import type { representWaitingEvent } from '../waiting-event-representation.ts';
import { accountSettings } from './account-settings.ts';
import {
  actor,
  closed,
  count,
  createdAt,
  currencyCode,
  type FieldsOf,
  id,
  kind,
  mistake,
  nullable,
  oneOf,
  requestId,
  seldom,
  text,
  time,
} from './answer-fields.ts';
import { titled } from './fields.ts';

const webhookSecret = {
  object: kind('webhook_secret'),
  previous_secret_expires_at: nullable(
    time('Time until which the previous secret signs too; null if it no longer does.'),
  ),
} satisfies FieldsOf<typeof representWebhookSecret>;

const apiKey = {
  id: titled('ApiKeyId', text('Id of the API key: the user name of HTTP Basic.', 'ak_test_5x8m2kq07vw3cd9r')),
  object: kind('api_key'),
  created_at: createdAt,
  name: text('Your name of the key, or empty.', 'Till 2'),
  permissions: titled(
    'Permissions',
    Type.Array(Type.Enum([...allPermissions], { type: 'string' }), {
      description: 'What the key may do.',
      examples: [['read', 'write']],
    }),
  ),
  status: oneOf(['active', 'revoked'], 'A revoked key is refused, and stays revoked.'),
  revoked_at: nullable(time('Time of the revocation; null while the key is active.')),
  is_caller: Type.Boolean({ description: 'True for the key of this request.', examples: [false] }),
};

const unrevoked = {
  ...apiKey,
  revoked_at: nullable({ ...time('Null if it is active.'), examples: [null] }),
};

const pixels = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: MAX_LOGO_PIXELS, description, examples: [example] });

const identifier = (description: string, example?: string) => seldom(`${description}, or null.`, example);

const member = {
  id: id('usr'),
  object: kind('member'),
  created_at: createdAt,
  name: text('Name, or empty.', 'Ada Lovelace'),
  email: text(
    'E-mail address, by which the member signs in; empty in an invitation that names none.',
    'ada@example.com',
  ),
  role: oneOf(roleNames, 'Role on the account, in both modes.'),
  status: oneOf(['invited', 'active'], 'A member is `invited` until somebody opens the link and accepts it.'),
  has_second_factor: Type.Boolean({
    description: 'True with an authenticator app or a passkey.',
    examples: [false],
  }),
  last_seen_at: nullable({
    ...time('Time of the last request of a browser that is signed in, or null.'),
    examples: [null],
  }),
  link_expires_at: nullable(
    time('Time until which the last link is good; null if there is none, or it was used.'),
  ),
} satisfies FieldsOf<typeof representMember>;

const account = {
  id: titled('AccountId', text('Id of the account: its number.', '2')),
  object: kind('account'),
  created_at: createdAt,
  name: text('The name that payers see.', 'Your Other Shop'),
} satisfies FieldsOf<typeof representAccount>;

const shownOnce = (description: string, example: string) =>
  nullable(text(`${description} It is shown only once: null in a repeated answer.`, example));

export const managementResources = {
  Account: Type.Object(account, { ...closed, description: 'An account of the installation.' }),
  NewAccount: Type.Object(
    {
      ...account,
      owner: { ...id('usr'), description: 'The first owner: an invitation, or the user who asked.' },
      owner_url: nullable(
        text(
          'The link of the invitation. It is shown only once: null in a repeated answer, and for a user who signs in already.',
          'https://pay.example.com/dashboard/link/usr_01k9zq4tn30000x5r7m2c9w1he.0123456789abcdefghjkmnpqrstvwxyz01234567',
        ),
      ),
      webhook_secrets: Type.Object(
        {
          test: shownOnce('The secret of test mode.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
          live: shownOnce('The secret of live mode.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
        },
        { ...closed, description: 'Secrets that sign webhooks to the addresses of sessions.' },
      ),
    } satisfies FieldsOf<typeof representNewAccount>,
    { ...closed, description: 'An account that was just created.' },
  ),
  Member: Type.Object(member, { ...closed, description: 'A user with a role on the account.' }),
  MemberWithLink: Type.Object(
    {
      ...member,
      url: nullable(
        text(
          'The link. It is shown only once: null in a repeated answer, and if the member needs none.',
          'https://pay.example.com/dashboard/link/usr_01k9zq4tn30000x5r7m2c9w1he.0123456789abcdefghjkmnpqrstvwxyz01234567',
        ),
      ),
    } satisfies FieldsOf<typeof representNewLink>,
    { ...closed, description: 'A member, with a link to choose a password.' },
  ),
  ApiKey: Type.Object(unrevoked, {
    ...closed,
    description: 'A key of the account and mode. Its secret is shown only when it is created.',
  }),
  NewApiKey: Type.Object(
    {
      ...unrevoked,
      secret: nullable(
        text(
          'The API secret. It is shown only once: null in a repeated answer, as only a hash of it is stored.',
          'sk_test_0123456789abcdefghjkmnpqrstvwxyz01234567abcdefg',
        ),
      ),
    },
    { ...closed, description: 'A key that was just created, with its secret.' },
  ),
  RevokedApiKey: Type.Object(
    {
      ...apiKey,
      status: oneOf(['revoked'], 'The key is refused from now on, and stays revoked.'),
      revoked_at: time('Time of the revocation.'),
      remaining_manage_keys: Type.Integer({
        minimum: 0,
        description:
          'Active keys with the permission `manage` that are left in this account and mode. With 0, only the operator can create another one, on the command line.',
        examples: [1],
      }),
    },
    { ...closed, description: 'A key that was revoked.' },
  ),
  WebhookSecret: Type.Object(webhookSecret, {
    ...closed,
    description: 'How long the previous secret signs beside the one that there is.',
  }),
  NewWebhookSecret: Type.Object(
    {
      ...webhookSecret,
      secret: text(
        'New secret. This is the only answer that shows it.',
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      ),
      dropped_secret_expires_at: {
        ...nullable(
          time(
            'Time until which the secret before that would have signed; it no longer does. Null if there is none.',
          ),
        ),
        examples: [null],
      },
    } satisfies FieldsOf<typeof representSecretFate>,
    { ...closed, description: 'A new secret, and the fate of those before it.' },
  ),
  AccountSettings: accountSettings,
  Logo: Type.Object(
    {
      object: kind('logo'),
      media_type: oneOf(logoTypes, 'Type of the image.'),
      width: pixels('Width in pixels, as it is shown: Exif data may turn the image.', 320),
      height: pixels('Height in pixels, as it is shown.', 96),
      bytes: Type.Integer({
        minimum: 1,
        maximum: MAX_LOGO_BYTES,
        description: 'Size of the image.',
        examples: [4_180],
      }),
    } satisfies FieldsOf<typeof representLogo>,
    { ...closed, description: 'The image that payers see beside the name of the account.' },
  ),
  ResealedCredentials: Type.Object(
    {
      object: kind('resealed_credentials'),
      resealed: count('Encrypted anew by this request.'),
      current: count('Under the key of the settings now.'),
      previous: count('Still under the previous key.'),
      unknown: count('Unreadable: neither key is theirs.'),
    },
    { ...closed, description: 'Credentials of all accounts, by the key that they are under.' },
  ),
  AuditEntry: Type.Object(
    {
      id: id('aud'),
      object: kind('audit_entry'),
      created_at: time('Time of the change.'),
      actor: actor('Id of the API key; or `payer`, `time`, `rail`, or `operator` for the command line.'),
      action: text('What was done.', 'set_receiving_account'),
      subject: text(
        'Id of what changed, such as a session, an API key or a receiving account; `account` or `clock` for those, and the rail for its credentials.',
        'eur',
      ),
      version: Type.Integer({
        minimum: 0,
        description: 'Version of the subject after the change; 0 if it has none.',
        examples: [0],
      }),
      request_id: requestId('Id of the request, by which the log has it; empty if there was none.'),
    } satisfies FieldsOf<typeof representAuditEntry>,
    { ...closed, description: 'A change, and who made it.' },
  ),
  Request: Type.Object(
    {
      id: id('rql'),
      object: kind('request'),
      created_at: time('Time at which the request arrived.'),
      request_id: requestId('Id of the request, as its answer has it.'),
      actor: actor('Id of the API key, or of the user who is signed in.'),
      method: text('HTTP method.', 'PUT'),
      path: text('Path of the operation, or empty.', '/v3/checkout/{id}'),
      operation: text('Operation, as messages name it.', 'CHECKOUT.UPDATE'),
      subject: seldom('Id in the path, or of what was created.'),
      status: Type.Integer({ description: 'HTTP status.', examples: [404] }),
      errors: Type.Array(mistake, {
        description:
          'Reasons of a refusal, ten at most, in general words. Names of fields that no request has are `*`.',
      }),
      duration_ms: count('Milliseconds until the answer was sent.'),
      idempotency: oneOf(
        [...idempotencyUses],
        'Use of an idempotency key: none, given, or a stored answer was given again.',
      ),
      left_out: count('Requests alike before it that are not logged.'),
    } satisfies FieldsOf<typeof representRequest>,
    { ...closed, description: 'A request for a change, or one that was refused.' },
  ),
  ProviderEvent: Type.Object(
    {
      id: id('pev'),
      object: kind('provider_event'),
      created_at: time('Time at which it was received.'),
      rail: text('The rail.', 'stripe'),
      reference: text('Its id at the rail.', 'evt_1PqRsT2eZvKYlo2C'),
      type: text('Its kind at the rail, or empty.', 'charge.dispute.created'),
      status: oneOf(['open', 'waiting'], '`open` waits for a person, `waiting` is looked at again.'),
      reason: nullable(
        oneOf(
          waitReasons,
          'Why the last look came to nothing: no session had its payment, or the rail did not answer, refused the key (or had none), refused to tell of the payment, or gave an answer that does not fit it. Null before the first look.',
        ),
      ),
      tries: count('Times it was looked at.'),
      next_try_at: nullable(time('Time of the next look, or null.')),
      checkout: seldom('Id of its session; null if it has none.'),
      attempt_reference: seldom('Id of its attempt at the rail.'),
      payment_reference: seldom('Id of its payment at the rail.'),
    } satisfies FieldsOf<typeof representWaitingEvent>,
    { ...closed, description: 'A message of a payment provider that has not led to a session.' },
  ),
  RailCredentials: Type.Object(
    {
      id: text('Name of the rail.', 'stripe'),
      object: kind('rail_credentials'),
      hints: Type.Object(
        {
          secret_key: text('Of the secret key.', 'ripe'),
          webhook_secret: text('Of the signing secret.', 'ripe'),
        },
        { ...closed, description: 'The last four characters of each secret; empty for a short one.' },
      ),
      set_at: time('Time of the last change.'),
      set_by: text(
        'Id of the API key that made it, or `operator` for the command line.',
        'ak_test_5x8m2kq07vw3cd9r',
      ),
      encryption_key: oneOf(
        ['current', 'previous', 'unknown'],
        'The key of the settings under which they are encrypted: `CREDENTIALS_KEY`, `CREDENTIALS_KEY_PREVIOUS`, or none of them, so that they cannot be used.',
      ),
      events_url: text(
        'Address for the webhooks of the provider.',
        'https://pay.example.com/notices/stripe/1/test',
      ),
    } satisfies FieldsOf<typeof representRailCredentials>,
    { ...closed, description: 'Credentials of the account at a rail. The secrets are never shown.' },
  ),
  Retention: Type.Object(
    {
      object: kind('retention'),
      webhook_log_days: count('Days for which deliveries are kept.'),
      event_retention_days: count('Days for which events are kept; 0 for ever.'),
      removable_deliveries: count('Deliveries that would go now.'),
      removable_events: count('Events that would be removed now.'),
    },
    { ...closed, description: 'What is kept for how long, and what would be removed.' },
  ),
  ReceivingAccount: Type.Object(
    {
      id: text('Id, which you chose.', 'eur'),
      object: kind('receiving_account'),
      currency: currencyCode(),
      holder: Type.Object(
        {
          name: text('Name of the holder.', 'Muster Handels GmbH'),
          street: text('Street, or empty.', ''),
          building_number: text('Building number, or empty.', ''),
          postal_code: text('Postal code, or empty.', ''),
          city: text('City, or empty.', ''),
          country: text('ISO 3166-1 alpha-2 code.', 'DE'),
        },
        { ...closed, description: 'The holder of the account.' },
      ),
      iban: identifier('IBAN', 'DE89370400440532013000'),
      bic: identifier('BIC', 'COBADEFFXXX'),
      account_number: identifier('Account number'),
      bank_code: identifier('Code of the bank, such as a routing number'),
      bank_name: identifier('Name of the bank'),
      qr_iban: identifier('Swiss QR-IBAN'),
      paynow: identifier('PayNow proxy'),
      promptpay: identifier('PromptPay proxy'),
      pix: identifier('Pix key'),
      upi: identifier('UPI id'),
      methods: Type.Array(Type.String(), {
        description: 'Payment methods that pay into the account.',
        examples: [['local_bank_transfer_eur', 'wire_transfer']],
      }),
    } satisfies FieldsOf<typeof representReceivingAccount>,
    { ...closed, description: 'An account that receives bank transfers.' },
  ),
} as const;
