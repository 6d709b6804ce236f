/** Building blocks of the request schemas, and the formats they use. One schema serves validation, types and OpenAPI. */

import { currencyExponent, MAX_AMOUNT } from '../../checkout/money.ts';
import type { Id, IdPrefix } from '../../lib/id.ts';
import { type Static, type TSchema, Type } from '../../lib/json-schema.ts';
import { countries } from './countries.ts';

/** One line of text: no control characters, which would break listings, logs and headers. */
export const LINE = '^[^\\u0000-\\u001f\\u007f]*$';
/** The same with line breaks and tabs. */
export const TEXT = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$';

/** Titled schemas are components of the API document. Fields that refer to one may describe it in other words. */
export const titled = <T extends TSchema>(title: string, schema: T): T => ({ ...schema, title });

/**
 * Marks an object whose keys the client chooses, and whose values have fields that are ours: they are named in the log of
 * requests. The document has nothing of it.
 */
export const OF_OURS = Symbol('values with fields of ours');

export const text = (maxLength: number, description: string, example?: string) =>
  Type.String({
    maxLength,
    pattern: LINE,
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  });

export const lines = (maxLength: number, description: string) =>
  Type.String({ maxLength, pattern: TEXT, description });

/** Examples of amounts, and of nothing else: a test knows by them which fields are amounts. */
export const amountExamples = [2500];

export const amount = (description: string, minimum = 0) =>
  Type.Integer({ minimum, maximum: MAX_AMOUNT, description, examples: amountExamples });

export const closed = <const T extends string[]>(values: readonly [...T], description: string) =>
  Type.Enum([...values], { type: 'string', description });

/** An id of this service; validated text has the type of the id from here on. */
export const idText = <P extends IdPrefix>(prefix: P, description: string) =>
  idOfForm(prefix, { description, examples: [`${prefix}_01k9zq4tn30000x5r7m2c9w1he`] });

/** The same in a path, where an id of another form is one that nobody has. */
export const idInPath = <P extends IdPrefix>(prefix: P, description: string) =>
  Type.Unsafe<Id<P>>(Type.String({ description, examples: [`${prefix}_01k9zq4tn30000x5r7m2c9w1he`] }));

/** The id of a session, which is that of its payin, in a body. */
export const givenSessionId = (description: string) => titled('GivenSessionId', idText('chk', description));

export const personName = (description: string) =>
  titled('PersonName', text(250, description, 'Ada Lovelace'));

/** A reference of the merchant’s own. */
export const givenReference = (description: string, example: string) =>
  titled('GivenReference', text(128, description, example));

/** A cursor of a list: the id next to which a page begins, which clients need not know (`opaque`). */
export const cursorText = <P extends IdPrefix>(prefix: P, description: string) =>
  idOfForm(prefix, { description, opaque: true });

function idOfForm<P extends IdPrefix>(
  prefix: P,
  annotations: { description: string; examples?: string[]; opaque?: boolean },
) {
  return Type.Unsafe<Id<P>>(Type.String({ pattern: `^${prefix}_[0-9a-z]{20,40}$`, ...annotations }));
}

export const currency = Type.String({
  format: 'iso-4217',
  title: 'Currency',
  description: 'ISO 4217 currency code, in any case.',
  examples: ['EUR'],
});

export const country = Type.String({
  format: 'iso-3166',
  title: 'Country',
  description: 'ISO 3166-1 alpha-2 code.',
  examples: ['DE'],
});

export const email = Type.String({
  format: 'email',
  maxLength: 254,
  title: 'Email',
  description: 'E-mail address.',
  examples: ['ada@example.com'],
});

const ADDRESS = 'An absolute https URL (in test mode also http) without user name or password.';

export const address = (description?: string) =>
  titled(
    'WebAddress',
    Type.String({
      format: 'web-address',
      maxLength: 2048,
      description: description === undefined ? ADDRESS : `${description} ${ADDRESS}`,
      examples: ['https://shop.example.com/thanks'],
    }),
  );

export const timestamp = (description: string, example = '2030-01-31T12:00:00Z') =>
  titled('Timestamp', Type.String({ format: 'timestamp', description, examples: [example] }));

export const phone = Type.Object(
  {
    calling_code: Type.Optional(text(8, 'Country calling code.', '49')),
    country_code: Type.Optional(text(8, 'Alias of `calling_code`.', '49')),
    number: Type.Optional(text(32, 'Number without the calling code.', '3012345678')),
  },
  { additionalProperties: false, title: 'Phone', description: 'A phone number.' },
);

const postalFields = {
  line1: Type.Optional(titled('AddressLine1', text(250, 'Line 1.'))),
  line2: Type.Optional(titled('AddressLine2', text(250, 'Line 2.'))),
  city: Type.Optional(titled('City', text(100, 'City.'))),
  state: Type.Optional(titled('State', text(100, 'State, region.'))),
  country: Type.Optional(country),
  postal_code: Type.Optional(titled('PostalCode', text(32, 'Postcode.'))),
};

const postalAddress = Type.Object(postalFields, {
  additionalProperties: false,
  title: 'PostalAddress',
  description: 'A postal address.',
});

const label = Type.Optional(titled('AddressLabel', text(100, 'A name for the address, such as "Home".')));

const contactFields = {
  label,
  name: Type.Optional(personName('Name of the person or company.')),
  email: Type.Optional(email),
  phone: Type.Optional(phone),
};

export const contact = (description: string) =>
  Type.Object(
    { ...contactFields, address: Type.Optional(postalAddress) },
    { additionalProperties: false, title: 'Contact', description },
  );

/** A contact of a customer. Clients put the address in an object of its own, with label and phone, or beside the name. */
const customerContact = Type.Object(
  {
    ...contactFields,
    address: Type.Optional(
      Type.Object(
        { ...postalFields, label, phone: Type.Optional(phone) },
        {
          additionalProperties: false,
          title: 'CustomerAddress',
          description: 'A postal address. Its label and phone apply if the contact has none.',
        },
      ),
    ),
    ...postalFields,
  },
  {
    additionalProperties: false,
    title: 'CustomerContact',
    description: 'A contact. Fields of the address beside the name apply if `address` has none.',
  },
);
export type GivenContact = Static<typeof customerContact>;

const MAX_CONTACTS = 20;

export const contacts = (description: string) =>
  Type.Array(customerContact, { maxItems: MAX_CONTACTS, description });

const metadata = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'Your own data: at most 50 top-level keys, 16 KiB and 8 levels of nesting.',
    examples: [{ order_id: 'A-1001', gift: true }],
  },
);

/** Some clients send the object as text. */
export const givenMetadata = Type.Union(
  [metadata, Type.String({ maxLength: 65_536, description: 'The JSON object as a string.' })],
  { title: 'GivenMetadata' },
);
export type GivenMetadata = Static<typeof givenMetadata>;

const oneLine = new RegExp(LINE);
const EMAIL = /^[^\s@"<>()[\]\\,;:]+@[^\s@.]+(\.[^\s@.]+)+$/;

/** Formats by name: the check, and the rest of the sentence "<field> …" for a value that fails it. */
export const formats: Record<string, { check: (value: string) => boolean; detail: string }> = {
  'iso-4217': {
    check: (value) => currencyExponent(value.toUpperCase()) !== undefined,
    detail: 'must be an ISO 4217 currency code such as EUR',
  },
  'iso-3166': {
    check: (value) => /^[A-Za-z]{2}$/.test(value) && countries.has(value.toUpperCase()),
    detail: 'must be an ISO 3166-1 alpha-2 country code such as DE',
  },
  email: { check: (value) => EMAIL.test(value), detail: 'must be an e-mail address' },
  'web-address': {
    check: isWebAddress,
    detail: 'must be an absolute https URL (http in test mode) without user name or password',
  },
  timestamp: {
    check: (value) => parseTimestamp(value) !== null,
    detail: 'must be a real date and time in ISO 8601 with a zone, such as 2030-01-31T12:00:00Z',
  },
};

function isWebAddress(value: string): boolean {
  // Tabs, spaces and backslashes, which the URL parser silently repairs, are refused instead.
  if (/[\s\\]/.test(value) || !oneLine.test(value)) return false;
  const url = URL.parse(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    /^https?:\/\//i.test(value) &&
    url.username === '' &&
    url.password === ''
  );
}

/** The time of a filter, in milliseconds, where there is one. */
export const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : (parseTimestamp(text) ?? undefined);

const TIMESTAMP =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:[Zz]|([+-])(\d\d):?(\d\d))$/;

/** Milliseconds of an ISO 8601 time with a zone, or null for anything else; the 30th of February is nothing. */
export function parseTimestamp(value: string): number | null {
  const parts = TIMESTAMP.exec(value);
  if (!parts) return null;
  const [, year, month, day, hour, minute, second = '0', , zoneHour = '0', zoneMinute = '0'] = parts;
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const inRange =
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= lastDay &&
    Number(hour) <= 23 &&
    Number(minute) <= 59 &&
    Number(second) <= 59 &&
    Number(zoneHour) <= 14 &&
    Number(zoneMinute) <= 59;
  if (!inRange) return null;
  const time = Date.parse(
    value
      .replace(' ', 'T')
      .replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
      .toUpperCase(),
  );
  return Number.isNaN(time) ? null : time;
}
