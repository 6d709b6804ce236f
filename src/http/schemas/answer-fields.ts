/** Building blocks of the schemas of answers. */
import { type TSchema, Type } from '../../lib/json-schema.ts';
import { address, amountExamples, timestamp, titled } from './fields.ts';

export const closed = { additionalProperties: false } as const;

export const text = (description: string, example: string) =>
  Type.String({ description, examples: [example] });

export const time = (description: string) =>
  titled('Time', Type.String({ format: 'date-time', description, examples: ['2030-01-31T12:00:00.000Z'] }));

/** The first of the values is the example. */
export const oneOf = (values: readonly string[], description: string) =>
  Type.Enum([...values], { type: 'string', description });

export function nullable(schema: TSchema): TSchema {
  const { type, title, ...rest } = schema as { type?: unknown; title?: string; enum?: readonly string[] };
  if (typeof type === 'string' && type !== 'object')
    return Type.Unsafe<unknown>({
      ...schema,
      type: [type, 'null'],
      ...(rest.enum === undefined ? {} : { enum: [...rest.enum, null] }),
      ...(title === undefined ? {} : { title: `${title}OrNull` }),
    });
  return Type.Union([schema, Type.Null()]);
}

/** Fields of what `F` makes: with `satisfies`, the compiler asks for the schema of each. */
export type FieldsOf<F extends (...args: never) => object> = Readonly<Record<keyof ReturnType<F>, TSchema>>;

/** Another resource by its name in the API document. */
export const ref = (name: string) => Type.Unsafe<unknown>({ $ref: name });

const idOwners: Readonly<Record<string, string>> = {
  chk: 'session',
  pat: 'payment attempt',
  rfd: 'refund',
  mov: 'movement',
  cus: 'customer',
  evt: 'event',
  whe: 'webhook endpoint',
  whd: 'webhook delivery',
  ntc: 'bank entry',
  bfl: 'file',
  aud: 'audit entry',
  rql: 'logged request',
  pev: 'provider event',
  usr: 'user',
};

export const id = (prefix: string) => {
  const owner = idOwners[prefix] ?? '';
  const title = `${owner.replace(/(?:^| )(\w)/g, (_match, letter: string) => letter.toUpperCase())}Id`;
  return titled(title, text(`Id of the ${owner}.`, `${prefix}_01k9zq4tn30000x5r7m2c9w1he`));
};

export const currencyCode = (description = 'ISO 4217 currency code.') =>
  titled('CurrencyCode', text(description, 'EUR'));

export const createdAt = titled('CreatedAt', time('Time of creation.'));

export const kind = (name: string) =>
  Type.Literal(name, { type: 'string', description: 'Kind of the resource.' });

export const minorUnits = (description: string) =>
  titled('MinorUnits', Type.Integer({ minimum: 0, description, examples: amountExamples }));

/** A tag of what was shown, which comes back with a decision on it. */
export const version = (description: string) =>
  titled('Version', text(description, 'J5rG0WvX1m3yq9Zt_bQk2A'));

export const count = (description: string) =>
  titled('Count', Type.Integer({ minimum: 0, description, examples: [3] }));

export const freeForm = (description: string, example: object = {}) =>
  Type.Object({}, { additionalProperties: true, description, examples: [example] });

export const phone = Type.Object(
  { calling_code: text('Country calling code.', '44'), number: text('Number without it.', '2071234567') },
  { ...closed, description: 'A phone number.' },
);

export const requestId = (description: string) => titled('RequestId', text(description, 'req_1x2y3z0001'));

export const actor = (description: string) => titled('Actor', text(description, 'ak_test_5x8m2kq07vw3cd9r'));

/** A mistake in words. */
export const explanation = titled(
  'Explanation',
  text('Explanation in one sentence.', 'There is no such checkout session.'),
);

/** A mistake of a request. */
export const mistake = titled(
  'Mistake',
  Type.Object(
    {
      code: Type.Integer({
        description: 'Code of the reason; see the error reference.',
        examples: [105],
      }),
      message: explanation,
      remarks: text('Invalid field as JSON pointer (RFC 6901), or empty.', ''),
    },
    closed,
  ),
);

/** A text that most resources of a kind do not have. */
export const seldom = (description: string, example: string | null = null) =>
  titled('TextOrNull', Type.Unsafe<unknown>({ type: ['string', 'null'], description, examples: [example] }));

/** Kinds of fields that many requests or answers have, in words that fit all of them: each field says beside it what it is. */
export const commonFields: readonly TSchema[] = [
  time('Time (UTC).'),
  nullable(time('A time, in UTC, or null.')),
  minorUnits('An amount, in minor units of its currency.'),
  nullable(minorUnits('An amount, in minor units of its currency, or null.')),
  count('Number of what the field names.'),
  seldom('A text, or null.'),
  address(),
  timestamp('A time, in ISO 8601 with its zone.'),
];
