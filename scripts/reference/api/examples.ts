/** Examples: those that the rules make stand in the document, and all others follow from the examples in its schemas. */
import { isDeepStrictEqual } from 'node:util';
import { eventTypes } from '../../../src/events/types.ts';
import type { ResourceName } from '../../../src/http/schemas/answers.ts';
import { schemaOfEvent } from '../../../src/http/schemas/event-answers.ts';
import { flattened, properties } from './extended.ts';
import { type Components, isObject, type Json, type JsonObject, refTo } from './schemas.ts';
import { tellStory } from './story.ts';

export type Examples = {
  /** Data of an answer that differs from the example of its resource: a session that was just created. */
  readonly answer: (operation: string) => JsonObject | undefined;
  /** An event of this type, as receivers get it; undefined if its schema makes one with the same data. */
  readonly event: (type: string) => JsonObject | undefined;
};

/** Events whose data is the answer of an operation. */
const eventBehind: Readonly<Record<string, string>> = {
  'CHECKOUT.CREATE': 'checkout.created',
  'CHECKOUT.UPDATE': 'checkout.updated',
  'CHECKOUT.EXPIRE': 'checkout.expired',
  'REFUND.CREATE': 'refund.pending',
};

const deletedEndpoint = { id: 'whe_01k9zq4tn30000x5r7m2c9w1he', object: 'webhook_endpoint', deleted: true };

/** Gives the resources that the rules make their examples, from which those of answers and lists follow. */
export function createExamples(components: Components): Examples {
  const story = tellStory();
  const told = (type: string): JsonObject => {
    const event = story.events.get(type);
    if (event === undefined) throw new Error(`the example has no event ${type}`);
    return event;
  };
  const dataOf = (type: string): JsonObject => {
    const { data } = told(type);
    if (!isObject(data)) throw new Error(`the example of ${type} has no data`);
    return data;
  };
  const usual: { readonly [Name in ResourceName]?: JsonObject } = {
    Checkout: story.checkout,
    Payin: dataOf('payin.succeeded'),
    PaymentAttempt: dataOf('payment_attempt.succeeded'),
    Refund: dataOf('refund.succeeded'),
    // A short one: those of sessions stand at their webhooks.
    Event: told('refund.succeeded'),
  };
  for (const [name, example] of Object.entries(usual))
    components.set(name, { ...components.get(name), examples: [example] });
  const event = (type: string): JsonObject | undefined => {
    const usual = sample(refTo('schemas', schemaOfEvent(type)), components) as JsonObject;
    const own = type.startsWith('webhook_endpoint.') ? { ...usual, type } : told(type);
    return own.type === usual.type && isDeepStrictEqual(own.data, usual.data) ? undefined : own;
  };
  for (const type of eventTypes) event(type);
  return {
    event,
    answer(operation) {
      const behind = eventBehind[operation];
      if (behind !== undefined) return dataOf(behind);
      return operation === 'WEBHOOK_ENDPOINT.DELETE' ? deletedEndpoint : undefined;
    },
  };
}

/** A value that fits the schema: the example where it has one, else put together from those of its parts. */
export function sample(schema: JsonObject, components: Components): Json {
  const { $ref, examples, const: constant, enum: values, default: usual, anyOf, allOf, items } = schema;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (Array.isArray(examples)) return examples[0];
  if (typeof $ref === 'string') return sample(components.get($ref.split('/').at(-1) ?? '') ?? {}, components);
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return values[0];
  if (usual !== undefined) return usual;
  if (Array.isArray(anyOf) && isObject(anyOf[0])) return sample(anyOf[0], components);
  if (type === 'array') return isObject(items) ? [sample(items, components)] : [];
  if (type === 'boolean') return false;
  if (type !== 'object' && allOf === undefined) return type === 'string' ? '' : 1;
  const fields = properties(flattened(schema, (name) => components.get(name)));
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isObject(value) ? sample(value, components) : null]),
  );
}
