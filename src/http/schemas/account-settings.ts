/** Account settings, in requests and answers. The rules read what is in the fields; the schemas say which there are. */
import type { representSettings } from '../../accounts/representation.ts';
import {
  MAX_ADDRESS_LINES,
  MAX_EMAIL,
  MAX_GRACE_MINUTES,
  MAX_LINE,
  MAX_TOLERANCE_BASIS_POINTS,
  sessionEvents,
} from '../../accounts/settings-schema.ts';
import { MAX_AMOUNT } from '../../checkout/money.ts';
import type { JsonObject } from '../../checkout/session.ts';
import { ACCOUNT_NAME_LENGTH } from '../../lib/account-name.ts';
import { type TSchema, Type } from '../../lib/json-schema.ts';
import { closedObject, nullable } from '../../lib/schemas.ts';
import { type FieldsOf, kind } from './answer-fields.ts';
import { OF_OURS, text as oneLine, titled } from './fields.ts';

type Fields = Readonly<Record<string, TSchema>>;

const integer = (maximum: number, description: string, example: number) =>
  Type.Integer({ minimum: 0, maximum, description, examples: [example] });
const text = (maxLength: number, description: string, example: string) =>
  Type.String({ maxLength, description, examples: [example] });
const oneOf = (values: readonly string[], description: string) =>
  Type.Enum([...values], { type: 'string', description, examples: [values[0]] });

const grace = (rail: string, example: number) =>
  Type.Optional(integer(MAX_GRACE_MINUTES, `Minutes for the rail \`${rail}\`.`, example));

const graceMinutes: Fields = {
  bank: grace('bank', 2880),
  sandbox: grace('sandbox', 15),
  stripe: grace('stripe', 60),
};

const policy: Fields = {
  underpayment_tolerance_basis_points: integer(
    MAX_TOLERANCE_BASIS_POINTS,
    'Part of the amount that may be missing, in hundredths of a percent.',
    100,
  ),
  underpayment_tolerance_at_most: integer(MAX_AMOUNT, 'Most that may be missing, in minor units.', 500),
  excess: oneOf(['keep', 'refund'], 'Money beyond the amount.'),
  late: oneOf(['accept', 'hold'], 'Bank transfers that arrive after the expiry.'),
  unreferenced: oneOf(['match', 'ask'], 'Bank transfers without a reference.'),
};

const business: Fields = {
  address_lines: Type.Array(Type.String({ maxLength: MAX_LINE }), {
    maxItems: MAX_ADDRESS_LINES,
    description: 'Address.',
    examples: [['Musterstraße 1', '10115 Berlin']],
  }),
  tax_id: text(MAX_LINE, 'VAT or tax id, or empty.', 'DE123456789'),
  email: text(MAX_EMAIL, 'E-mail address for payers, or empty.', 'shop@example.com'),
};

const branding: Fields = {
  accent_color: text(7, 'Color of buttons and links, as in CSS, or empty for the usual one.', '#0b6b57'),
};

const descriptions = {
  name: 'Name of the account, which payers see.',
  policy: 'What happens to money that does not fit.',
  grace: 'Minutes after the expiry in which a payment in flight may still complete the session, by rail.',
  business: 'Details of the merchant on receipts and invoices.',
  branding: 'Look of the pages that payers see.',
  mappings: 'Column mappings of CSV statements by name; the reference of bank transfers has their fields.',
  compatibility: '`strict`, or `v3` for clients of other v3 services.',
  events: 'Types of the events that go to `webhook_url`, or null for those that `compatibility` implies.',
};

const compatibility = oneOf(['strict', 'v3'], descriptions.compatibility);

const events = titled(
  'WebhookUrlEvents',
  nullable(
    Type.Array(titled('SessionEventType', Type.Enum([...sessionEvents], { type: 'string' })), {
      uniqueItems: true,
      description: descriptions.events,
      examples: [['checkout.paid', 'checkout.expired']],
    }),
  ),
);

const mapping = Type.Object({}, { additionalProperties: true });
const mappings = (mapping: TSchema) =>
  Type.Unsafe<unknown>({
    type: 'object',
    additionalProperties: mapping,
    [OF_OURS]: true,
    description: descriptions.mappings,
    examples: [{}],
  });

export const accountSettings = closedObject(
  {
    object: kind('account_settings'),
    name: Type.String({ description: descriptions.name, examples: ['Your Shop'] }),
    policy: closedObject(
      { ...policy, grace_minutes: closedObject(graceMinutes, { description: descriptions.grace }) },
      { description: descriptions.policy },
    ),
    business: closedObject(business, { description: descriptions.business }),
    branding: closedObject(branding, { description: descriptions.branding }),
    csv_mappings: mappings(mapping),
    compatibility,
    webhook_url_events: events,
  } satisfies FieldsOf<typeof representSettings>,
  { description: 'Settings of an account and mode. Receiving accounts are resources of their own.' },
);

/** Any of the fields; null stands for the default. */
function changesOf(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(orNull(schema))]),
  );
}

function orNull(schema: TSchema & { readonly enum?: readonly unknown[] }): TSchema {
  return nullable(schema.enum === undefined ? schema : { ...schema, enum: [...schema.enum, null] });
}

const changes = closedObject(
  {
    // As it came: what was fetched may be changed and put back.
    object: Type.Optional(kind('account_settings')),
    name: Type.Optional(oneLine(ACCOUNT_NAME_LENGTH, descriptions.name, 'Your Shop')),
    policy: Type.Optional(
      nullable(
        closedObject(
          {
            ...changesOf(policy),
            grace_minutes: Type.Optional(
              nullable(closedObject(changesOf(graceMinutes), { description: descriptions.grace })),
            ),
          },
          { description: descriptions.policy },
        ),
      ),
    ),
    business: Type.Optional(
      nullable(closedObject(changesOf(business), { description: descriptions.business })),
    ),
    branding: Type.Optional(
      nullable(closedObject(changesOf(branding), { description: descriptions.branding })),
    ),
    csv_mappings: Type.Optional(nullable(mappings(nullable(mapping)))),
    compatibility: Type.Optional(orNull(compatibility)),
    webhook_url_events: Type.Optional(events),
  },
  {
    examples: [
      { policy: { late: 'hold', grace_minutes: { bank: 2880 } }, webhook_url_events: ['checkout.paid'] },
    ],
  },
);

/** A merge patch, whatever it has. */
export const updateSettingsBody = Type.Unsafe<JsonObject>(changes);
