/** Building blocks of the schemas of answers. */
import Type, { type TSchema } from 'typebox';

export const closed = { additionalProperties: false } as const;

export const text = (description: string, example: string) =>
  Type.String({ description, examples: [example] });

export const time = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2030-01-31T12:00:00.000Z'] });

export const oneOf = (values: readonly string[], description: string) =>
  Type.Enum([...values], { type: 'string', description, examples: [values[0]] });

export const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);

export const id = (prefix: string) => text('Unique id.', `${prefix}_01k9zq4tn30000x5r7m2c9w1he`);

export const kind = (name: string) =>
  Type.Literal(name, { type: 'string', description: 'Kind of resource.' });
