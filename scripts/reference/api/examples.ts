/** Examples of resources: sessions as the rules make them, all others as their schemas tell. */
import { eventTypes } from '../../../src/events/types.ts';
import type { ResourceName } from '../../../src/http/schemas/answers.ts';
import { flattened, properties } from './extended.ts';
import { type Components, isObject, type Json, type JsonObject } from './schemas.ts';
import { type Story, tellStory } from './story.ts';

export type Examples = {
  /** The answer of an operation. */
  readonly answer: (operation: string, resource: ResourceName) => Json;
  /** An event of this type, as receivers get it. */
  readonly event: (type: string) => JsonObject;
};

export function createExamples(components: Components): Examples {
  const story = tellStory();
  const event = (type: string): JsonObject => {
    const told = story.events.get(type);
    if (told) return told;
    const [subject] = type.split('.');
    if (subject !== 'webhook_endpoint') throw new Error(`the example has no event ${type}`);
    return { ...(exampleOf('WebhookEndpointEvent', components) as JsonObject), type };
  };
  for (const type of eventTypes) event(type);
  return {
    event,
    answer: (operation, resource) => fromStory(operation, resource, story) ?? exampleOf(resource, components),
  };
}

/** Events whose data is the answer, by operation, or else by resource. */
const eventBehind: Readonly<Record<string, string>> = {
  'CHECKOUT.CREATE': 'checkout.created',
  'CHECKOUT.UPDATE': 'checkout.updated',
  'CHECKOUT.EXPIRE': 'checkout.expired',
  'REFUND.CREATE': 'refund.pending',
  PaymentAttempt: 'payment_attempt.succeeded',
  Refund: 'refund.succeeded',
};

function fromStory(operation: string, resource: ResourceName, story: Story): Json | undefined {
  const event = eventBehind[operation] ?? eventBehind[resource];
  if (event !== undefined) return story.events.get(event)?.data;
  if (resource === 'Checkout') return story.checkout;
  if (resource === 'Payin') return story.payin;
  // A short one: those of sessions stand at their webhooks.
  if (resource === 'Event') return story.events.get('refund.succeeded');
  if (operation !== 'WEBHOOK_ENDPOINT.DELETE') return undefined;
  return { id: 'whe_01k9zq4tn30000x5r7m2c9w1he', object: 'webhook_endpoint', deleted: true };
}

const exampleOf = (name: string, components: Components): Json => sample({ $ref: `/${name}` }, components);

/** A value that fits the schema: the example where it has one, else put together from those of its parts. */
export function sample(schema: JsonObject, components: Components): Json {
  const { $ref, examples, const: constant, enum: values, default: usual, anyOf, items } = schema;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (typeof $ref === 'string') return sample(components.get($ref.split('/').at(-1) ?? '') ?? {}, components);
  if (Array.isArray(examples)) return examples[0];
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return values[0];
  if (usual !== undefined) return usual;
  if (Array.isArray(anyOf) && isObject(anyOf[0])) return sample(anyOf[0], components);
  if (type === 'array') return isObject(items) ? [sample(items, components)] : [];
  if (type === 'boolean') return false;
  if (type !== 'object') return type === 'string' ? '' : 1;
  const fields = properties(flattened(schema, (name) => components.get(name)));
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isObject(value) ? sample(value, components) : null]),
  );
}
