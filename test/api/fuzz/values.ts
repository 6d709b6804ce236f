/**
 * Values by the schemas of the API document: valid ones, and such that break exactly one constraint. A text like
 * `{chk:17}` stands for an id that the service has given; whoever sends the request puts it in.
 */
import fc from 'fast-check';
import type { ApiDocument } from '../document.ts';
import type { Data } from '../shop.ts';

type Some = fc.Arbitrary<unknown>;

const ID_PATTERN = /^\^([a-z]{3})_\[0-9a-z\]/;

/** An id of this kind that the service has given, perhaps to another account. */
export const knownId = (prefix: string): fc.Arbitrary<string> => fc.nat(999).map((n) => `{${prefix}:${n}}`);

/** Values with a meaning for the fuzzed service, which the document cannot know. */
const named: Readonly<Record<string, () => Some>> = {
  customer: () => knownId('cus'),
  receiving_account: () => fc.constant('eur'),
  // In the body it is that of the path, which only a receiving account has in both.
  id: () => fc.constantFrom('main', 'spare'),
  mapping: () => fc.constant('swiss'),
  iban: () => fc.constant('FR1420041010050500013M02606'),
  bic: () => fc.constant('BNPAFRPPXXX'),
  qr_iban: () => fc.constant('CH4431999123000889012'),
  account_number: () => fc.nat().map(String),
  bank_code: () => fc.nat().map(String),
  paynow: () => fc.constant('+6591234567'),
  promptpay: () => fc.constant('0812345678'),
  pix: () => fc.constant('pix@shop.example.com'),
  upi: () => fc.constant('shop@upi'),
  // Webhooks stay on this machine.
  webhook_url: () => fc.constant('{hook}'),
  url: () => fc.constant('{hook}'),
  payment_methods: () => fc.constantFrom(['card'], ['card', 'local_bank_transfer_eur']),
  remove_payment_methods: () => fc.constant(['card']),
  parts: () => parts,
  method: () => fc.constant('card'),
  payment_method_details: () => fc.constant({ type: 'card' }),
  payment_id: () => fc.nat().map((n) => `payment-${n}`),
  type: () => fc.constantFrom('*', 'checkout.*', 'checkout.paid,refund.succeeded'),
  expires_at: () => days(1, 170),
  since: () => days(-10, 0),
  execute_on: () => days(1, 20).map((time) => time.slice(0, 10)),
  // What is sent to it is read by the letter.
  compatibility: () => fc.constant('strict'),
  // Another key than that of the settings: the provider knows it no more than a mistyped one.
  secret_key: () => fc.constant('rk_test_51Fuzzed0Key'),
  webhook_secret: () => fc.constant('whsec_FuzzedSecret0OfTheShop'),
  // Requests do not wait for events.
  wait: () => fc.constant(0),
};

/** Parts of a bank entry: nearly all of them are its rest, or less than that, for a session in its currency. */
const parts = fc.oneof(
  { weight: 6, arbitrary: fc.record({ payin: knownId('eur') }).map((part) => [part]) },
  { weight: 2, arbitrary: partsOfAmounts(1, 1) },
  { weight: 1, arbitrary: partsOfAmounts(2, 4) },
);

function partsOfAmounts(minLength: number, maxLength: number): Some {
  const part = fc.record({ payin: knownId('eur'), amount: fc.integer({ min: 1, max: 600 }) });
  return fc.array(part, { minLength, maxLength });
}

/** Days from now. */
function days(from: number, to: number): fc.Arbitrary<string> {
  return fc
    .integer({ min: from * 24, max: to * 24 })
    .map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
}

const formats: Readonly<Record<string, Some>> = {
  'iso-4217': fc.constantFrom('EUR', 'EUR', 'EUR', 'usd', 'JPY', 'KWD', 'CLF'),
  'iso-3166': fc.constantFrom('DE', 'gb', 'NZ'),
  email: fc.constantFrom('ada@example.com', 'bob+1@example.org', 'ö@example.net'),
  'web-address': fc.constantFrom(
    'https://shop.example.com/a?b=c#d',
    'http://example.org:8080',
    'https://[2001:db8::1]/',
  ),
  timestamp: fc.oneof(
    days(-400, 400),
    fc.constantFrom('2030-01-31 12:00+0100', '1970-01-01T00:00Z', '9999-12-31t23:59:59.123456789z'),
  ),
};

/** Values that the text of no schema has. */
const offFormat: Readonly<Record<string, readonly string[]>> = {
  'iso-4217': ['EURO', 'ZZZ', '€', 'E R'],
  'iso-3166': ['DEU', 'QQ', '1'],
  email: ['ada', 'a@b', 'a b@example.com', '@example.com'],
  'web-address': [
    'javascript:alert(1)',
    '//example.com',
    'https://a:b@example.com/',
    'https:/x',
    'ftp://e.com',
  ],
  timestamp: ['2030-02-30T12:00:00Z', '2030-01-31', '2030-01-31T12:00:00', '1893499200', '2030-13-01T00:00Z'],
};

/** Texts that are no less usual than any other. */
const texts = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('Widget', 'ring twice', 'Zürich', '注文', '🙂‍↔️', 'a/b?c&d=e%20', "O'Neil; --"),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
);

export function createValues({ follow }: Pick<ApiDocument, 'follow'>) {
  function text(schema: Data): Some {
    const { format, pattern, minLength = 0, maxLength = 40 } = schema;
    const id = ID_PATTERN.exec(pattern ?? '')?.[1];
    if (id !== undefined) return knownId(id);
    if (format !== undefined) return formats[format] ?? fc.constant('');
    if (pattern !== undefined && !pattern.startsWith('^[^')) return fc.stringMatching(new RegExp(pattern));
    const fits = (value: string) =>
      (pattern === undefined || new RegExp(pattern).test(value)) &&
      [...value].length >= Math.max(1, minLength);
    const short = texts.map((value) => [...value].slice(0, maxLength).join('')).filter(fits);
    return fc.oneof(
      { weight: 12, arbitrary: short },
      { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength)) },
    );
  }

  function number({ minimum = 0, maximum = 1e9 }: Data): Some {
    return fc.oneof(
      { weight: 10, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 5000) }) },
      { weight: 1, arbitrary: fc.constantFrom(minimum, maximum) },
    );
  }

  function object(schema: Data): Some {
    const { properties = {}, required = [], additionalProperties } = schema;
    const names = Object.keys(properties);
    if (names.length === 0 && additionalProperties === true) return metadata;
    const fields = Object.fromEntries(names.map((name) => [name, valid(properties[name], name)]));
    // Few of many optional fields, so that those which exclude each other seldom meet.
    return fc
      .shuffledSubarray(names.filter((name) => !required.includes(name)))
      .map((all) => all.slice(0, 3))
      .chain((chosen) =>
        fc.record(Object.fromEntries([...required, ...chosen].map((name) => [name, fields[name] as Some]))),
      );
  }

  /** A value that the document accepts. */
  function valid(given: Data, name = ''): Some {
    const schema = follow(given);
    const known = named[name];
    if (known) return known();
    const options = schema.anyOf?.filter((each: Data) => each.type !== 'null');
    if (options) return fc.oneof(...options.map((each: Data) => valid(each)));
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    switch ([schema.type].flat()[0]) {
      case 'string':
        return text(schema);
      case 'integer':
        return number(schema);
      case 'boolean':
        return fc.boolean();
      case 'array': {
        const { minItems = 0, uniqueItems = false } = schema;
        const elements = valid(schema.items);
        return uniqueItems
          ? fc.uniqueArray(elements, { minLength: minItems, maxLength: 4 })
          : fc.array(elements, { minLength: minItems, maxLength: 4 });
      }
      case 'object':
        return object(schema);
      default:
        return fc.jsonValue({ maxDepth: 1 });
    }
  }

  /** A value with one mistake somewhere; null for a schema that accepts everything. */
  function broken(given: Data, name = ''): Some | null {
    const schema = follow(given);
    if (schema.anyOf) return fc.constantFrom(5, true, ['x']);
    if (schema.const !== undefined) return fc.constantFrom('unknown', 7, [schema.const]);
    if (schema.enum) return fc.constantFrom('unknown', 7, [schema.enum[0]]);
    switch ([schema.type].flat()[0]) {
      case 'string':
        return brokenText(schema);
      case 'integer':
        return fc.oneof(
          fc.constantFrom<unknown>('12', 'x', true, [], {}, 1.5),
          fc.constantFrom(...outside(schema)),
        );
      case 'boolean':
        return fc.constantFrom<unknown>('yes', 2, {});
      case 'array':
        return brokenArray(schema, name);
      case 'object':
        return brokenObject(schema);
      default:
        return null;
    }
  }

  function brokenText({ format, pattern, maxLength }: Data): Some {
    const wrong: unknown[] = [5, false, {}, ['x']];
    if (maxLength !== undefined && format === undefined) wrong.push('x'.repeat(maxLength + 1));
    if (format !== undefined) wrong.push(...(offFormat[format] ?? []));
    if (pattern !== undefined) wrong.push('\u0007', 'line\u0000end');
    if (pattern !== undefined && !pattern.startsWith('^[^')) wrong.push('A!', 'ß', 'x'.repeat(200));
    return fc.constantFrom(...wrong);
  }

  function outside({ minimum, maximum }: Data): number[] {
    const wrong = [];
    if (minimum !== undefined) wrong.push(minimum - 1, -1e15);
    if (maximum !== undefined) wrong.push(maximum + 1, 9e15);
    return wrong;
  }

  function brokenArray({ items, minItems = 0, maxItems, uniqueItems }: Data, name: string): Some {
    const element = broken(items);
    const ways: Some[] = [fc.constantFrom<unknown>('x', {}, 3)];
    if (element !== null) ways.push(element.map((each) => [each]));
    if (uniqueItems) ways.push(fc.constant(['card', 'card']));
    if (maxItems !== undefined)
      ways.push(valid(items, name === '' ? '' : `${name}[]`).map((each) => Array(maxItems + 1).fill(each)));
    // An empty list where one is needed; on create it counts as an absent one.
    if (minItems > 0 && name !== 'items') ways.push(fc.constant([]));
    return fc.oneof(...ways);
  }

  function brokenObject(schema: Data): Some {
    const { properties = {}, required = [], additionalProperties } = schema;
    const whole = object(schema) as fc.Arbitrary<Record<string, unknown>>;
    const ways: Some[] = [fc.constantFrom<unknown>(7, 'x', ['x'])];
    if (additionalProperties === false) {
      const unknown = fc.constantFrom('expries_at', 'toString', 'constructor', 'id', '', 'ａ', ' ');
      ways.push(fc.tuple(whole, unknown).map(([value, field]) => ({ ...value, [field]: 1 })));
    }
    for (const name of required) ways.push(whole.map(({ [name]: _left, ...value }) => value));
    for (const [name, field] of Object.entries(properties)) {
      const wrong = broken(field, name);
      if (wrong !== null)
        ways.push(fc.tuple(whole, wrong).map(([value, each]) => ({ ...value, [name]: each })));
    }
    return fc.oneof(...ways);
  }

  return { valid, broken };
}

const metadata = fc.dictionary(
  fc.constantFrom('order_id', 'gift', 'note', 'a.b', 'ключ', ' '),
  fc.oneof(texts, fc.integer(), fc.boolean(), fc.constantFrom({ deep: { er: [1, 'two', null] } })),
  { maxKeys: 4 },
);
