/** Schema of an account's settings as JSON; the types of the settings come from it. */

import type { EventType } from '../checkout/events.ts';
import { MAX_AMOUNT } from '../checkout/money.ts';
import { eventTypes } from '../events/types.ts';
import { emailProblem, formatOf, line, lineProblem } from '../lib/formats.ts';
import { type Static, type TSchema, Type } from '../lib/json-schema.ts';
import type { CamelKeys } from '../lib/key-names.ts';
import { type Formats, validator, worded } from '../lib/schema-problems.ts';
import { closedObject } from '../lib/schemas.ts';
import { receivingAccountFormats, receivingAccountSchema } from '../methods/bank/receiving-account-schema.ts';
import { mappingFormats, mappingSchema } from '../statements/mapping.ts';

export const MAX_ADDRESS_LINES = 6;
export const MAX_LINE = 100;
/** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
export const MAX_EMAIL = 254;
/** A color of the sRGB space as in CSS, or none. */
const COLOR = /^(#[0-9a-f]{6})?$/;
export const MAX_TOLERANCE_BASIS_POINTS = 1000;
/** Thirty days. */
export const MAX_GRACE_MINUTES = 43_200;
const MAX_RECEIVING_ACCOUNTS = 100;
const MAX_MAPPINGS = 100;

const formats: Formats = {
  ...receivingAccountFormats,
  ...mappingFormats,
  line,
  'color-or-empty': formatOf((text) =>
    COLOR.test(text) ? null : 'must be a color such as #0b6b57, or empty',
  ),
  'email-or-empty': formatOf((text) => lineProblem(text) ?? (text === '' ? null : emailProblem(text))),
};

/** An object whose unknown fields are answered with the names of the known ones. */
const fields = <T extends Record<string, TSchema>>(properties: T, unknownField = 'is not a known field') =>
  closedObject(
    properties,
    worded({ unknownField: `${unknownField}; known fields are ${Object.keys(properties).join(', ')}` }),
  );

const businessSchema = fields({
  address_lines: Type.Array(Type.String({ maxLength: MAX_LINE, format: 'line' }), {
    maxItems: MAX_ADDRESS_LINES,
  }),
  tax_id: Type.String({ maxLength: MAX_LINE, format: 'line' }),
  email: Type.String({ maxLength: MAX_EMAIL, format: 'email-or-empty' }),
});

const brandingSchema = fields({ accent_color: Type.String({ format: 'color-or-empty' }) });

const graceMinutes = Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_GRACE_MINUTES }));

const policySchema = fields({
  underpayment_tolerance_basis_points: Type.Integer({ minimum: 0, maximum: MAX_TOLERANCE_BASIS_POINTS }),
  /** Minor units. */
  underpayment_tolerance_at_most: Type.Integer({ minimum: 0, maximum: MAX_AMOUNT }),
  excess: Type.Enum(['keep', 'refund']),
  late: Type.Enum(['accept', 'hold']),
  unreferenced: Type.Enum(['match', 'ask']),
  /** Rails by their names. */
  grace_minutes: fields({ bank: graceMinutes, sandbox: graceMinutes, stripe: graceMinutes }, 'is not a rail'),
});

/** Without those of endpoints, which concern no session. */
export const sessionEvents = eventTypes.filter(
  (type): type is EventType => !type.startsWith('webhook_endpoint.'),
);

export const settingsSchema = fields({
  business: Type.Optional(businessSchema),
  branding: Type.Optional(brandingSchema),
  policy: Type.Optional(policySchema),
  receiving_accounts: Type.Optional(Type.Array(receivingAccountSchema, { maxItems: MAX_RECEIVING_ACCOUNTS })),
  csv_mappings: Type.Optional(
    Type.Record(Type.String(), mappingSchema, {
      maxProperties: MAX_MAPPINGS,
      propertyNames: {
        pattern: '^[a-z0-9-]{1,32}$',
        ...worded({ mistake: 'must have a name of 1 to 32 characters of a to z, 0 to 9 and -' }),
      },
    }),
  ),
  compatibility: Type.Optional(Type.Enum(['strict', 'v3'])),
  webhook_url_events: Type.Optional(
    Type.Union([Type.Array(Type.Enum(sessionEvents), { uniqueItems: true }), Type.Null()]),
  ),
});

export type SettingsJson = Static<typeof settingsSchema>;

export type Compatibility = NonNullable<SettingsJson['compatibility']>;

/** Details of the payee on receipts and invoices, beside its name; every part may be empty. */
export type BusinessDetails = CamelKeys<Static<typeof businessSchema>>;

/** Look of the pages that payers see; an empty part has the usual look. */
export type Branding = CamelKeys<Static<typeof brandingSchema>>;

/** Settings as JSON with their defaults, or their mistakes. */
export const validateSettings = validator(settingsSchema, formats);
