/** Requests to an operation of the API document: valid, nearly valid, and hostile. */
import fc from 'fast-check';
import { png } from '../../support/image.ts';
import { type ApiDocument, type DocumentedOperation, isUpload, takesImage } from '../document.ts';
import type { Data } from '../shop.ts';
import { statement } from '../subjects.ts';
import {
  type Header,
  hostileAuthorization,
  hostileBody,
  hostileHeader,
  hostileId,
  hostileQuery,
} from './hostile.ts';
import { createValues, knownId } from './values.ts';

/** `nearly`: one constraint of the document is broken, so that it has to be refused. */
export type Kind = 'valid' | 'nearly' | 'hostile';

export type Caller = 'shop' | 'elsewhere' | 'reader' | 'live' | 'nobody' | 'wrong';

export type Request = {
  readonly operation: DocumentedOperation;
  readonly kind: Kind;
  readonly caller: Caller;
  /** The path and query as sent, with placeholders for ids. */
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: Buffer | null;
};

type Draft = Pick<Request, 'target' | 'headers' | 'body'>;

const JSON_TYPE: Header = ['Content-Type', 'application/json'];

/** Kinds of ids in paths, by what stands before them. */
const pathIds: ReadonlyArray<readonly [RegExp, string]> = [
  [/(payin.*confirm|test_helpers.*pay)$/, 'due'],
  [/checkout|payin/, 'chk'],
  [/payment_attempt/, 'pat'],
  [/refund/, 'rfd'],
  [/bank_entry.*assign/, 'opn'],
  [/bank_entry/, 'ntc'],
  [/bank_statement/, 'bfl'],
  [/payment_file/, 'pmf'],
  [/customer/, 'cus'],
  [/event/, 'evt'],
  [/webhook_endpoint/, 'whe'],
  [/webhook_delivery/, 'whd'],
  [/api_key/, 'key'],
];

/** Kinds of ids that are cursors of lists, which the document does not tell, by the path of the list. */
const cursorIds: typeof pathIds = [
  [/timeline/, 'evt'],
  [/deliver/, 'whd'],
  [/audit/, 'aud'],
  [/\/request/, 'rql'],
  [/provider_event/, 'pev'],
  ...pathIds,
];

/** The document says what a cursor of the feed of events looks like, and of no other list. */
const isCursor = (name: string, path: string): boolean =>
  (name === 'after' || name === 'before') && path !== '/v3/event';

/** Fields that a new receiving account needs. */
const newReceivingAccount = { currency: 'EUR', holder: { name: 'Shop', country: 'DE' }, account_number: '1' };

/** Endpoints get all events of an account, and its clock moves: both concern the other shop. */
const ELSEWHERE = /^\/v3\/(webhook_endpoint|test_helpers\/clock)/;

export function createRequests(document: ApiDocument) {
  const { follow } = document;
  const { valid, broken } = createValues(document);

  const parametersOf = ({ spec }: DocumentedOperation, place: string): Data[] =>
    (spec.parameters ?? []).map(follow).filter((each: Data) => each.in === place);

  const schemaOf = ({ spec }: DocumentedOperation): Data =>
    spec.requestBody?.content['application/json']?.schema;

  function pathOf({ path }: DocumentedOperation): fc.Arbitrary<string> {
    if (!path.includes('{id}')) return fc.constant(path);
    if (path.includes('receiving_account'))
      return fc.constantFrom('main', 'spare').map((id) => path.replace('{id}', id));
    if (path.includes('rail_credentials')) return fc.constant(path.replace('{id}', 'stripe'));
    return idFor(path, pathIds).map((id) => path.replace('{id}', id));
  }

  function idFor(path: string, kinds: typeof pathIds): fc.Arbitrary<string> {
    const [, prefix = 'chk'] = kinds.find(([pattern]) => pattern.test(path)) ?? [];
    return knownId(prefix);
  }

  function queryOf(operation: DocumentedOperation): fc.Arbitrary<string> {
    const parameters = parametersOf(operation, 'query').filter(({ name }) => name !== 'before');
    const required = parameters.filter((each) => each.required);
    return fc
      .shuffledSubarray(parameters.filter((each) => !each.required))
      .chain((all) =>
        fc.tuple(...[...required, ...all.slice(0, 2)].map((each) => parameterText(each, operation.path))),
      )
      .map((parts) => parts.filter((part) => part !== '').join('&'));
  }

  function parameterText({ name, schema }: Data, path: string): fc.Arbitrary<string> {
    const value = isCursor(name, path) ? idFor(path, cursorIds) : valid(schema, name);
    if (schema.type !== 'object') return value.map((each) => `${name}=${escaped(String(each))}`);
    return fc.constant(`${name}[order_id]=A-1`);
  }

  function bodyOf(operation: DocumentedOperation): fc.Arbitrary<Buffer | null> {
    if (takesImage(operation.spec)) return fc.constantFrom(png(), png({ width: 320 }));
    if (isUpload(operation.spec)) return fc.nat(1e9).map(statementOf);
    const schema = schemaOf(operation);
    if (schema === undefined) return fc.constantFrom(null, Buffer.from('{}'));
    const whole = operation.spec.operationId === 'setReceivingAccount' ? newReceivingAccount : {};
    const body = valid(schema).map((value) => Buffer.from(JSON.stringify({ ...whole, ...Object(value) })));
    return operation.spec.requestBody.required ? body : fc.option(body, { freq: 3 });
  }

  const target = (path: string, query: string): string => (query === '' ? path : `${path}?${query}`);

  const typeFor = ({ spec }: DocumentedOperation, body: Buffer | null): Header[] => {
    if (body === null) return [];
    return [takesImage(spec) ? ['Content-Type', 'image/png'] : JSON_TYPE];
  };

  function validRequest(operation: DocumentedOperation): fc.Arbitrary<Draft> {
    const headers: fc.Arbitrary<readonly Header[]> = fc
      .subarray(parametersOf(operation, 'header').filter(({ name }) => name !== 'Last-Event-ID'))
      .chain(([chosen]) =>
        chosen === undefined ? fc.constant<Header[]>([]) : headerText(chosen.name).map((header) => [header]),
      );
    return fc
      .tuple(pathOf(operation), queryOf(operation), bodyOf(operation), headers)
      .map(([path, query, body, more]) => ({
        target: target(path, query),
        headers: [...typeFor(operation, body), ...more],
        body,
      }));
  }

  /** The wire has no id of a request of which somebody else knows. */
  function headerText(name: string): fc.Arbitrary<Header> {
    if (name === 'Idempotency-Key') return fc.nat().map((n) => [name, `"order-${n}"`] as const);
    return fc.constantFrom('*', '"1"', '"2"').map((value) => [name, value] as const);
  }

  function nearlyValid(operation: DocumentedOperation): fc.Arbitrary<Draft> {
    const schema = schemaOf(operation);
    const whole = validRequest(operation);
    const ways: Array<fc.Arbitrary<Draft>> = [];
    const changed = (part: fc.Arbitrary<Partial<Draft>>) =>
      fc.tuple(whole, part).map(([draft, given]) => ({ ...draft, ...given }));
    const withHeader = (name: string, ...values: string[]) =>
      // A content type without a body means nothing.
      fc
        .tuple(
          name === 'Content-Type' ? whole.filter(({ body }) => body !== null) : whole,
          fc.constantFrom(...values),
        )
        .map(([draft, value]) => ({
          ...draft,
          headers: [...draft.headers.filter(([other]) => other !== name), [name, value] as const],
        }));
    const wrongBody = schema === undefined ? null : broken(schema);
    if (wrongBody !== null) {
      const body = wrongBody
        .filter((value) => document.misfit(value, schema) !== null)
        .map((value) => ({ body: Buffer.from(JSON.stringify(value)), headers: [JSON_TYPE] }));
      // Most of what can be wrong is in the body.
      for (let weight = 0; weight < 4; weight++) ways.push(changed(body));
      ways.push(
        withHeader('Content-Type', 'text/plain', 'application/xml', 'multipart/form-data; boundary=x'),
      );
    }
    ways.push(withHeader('Accept', 'text/html', 'image/gif;q=1', 'application/xml, text/*'));
    const query = fc.oneof(
      fc.constantFrom('unknown=1', 'Limit=1', 'limit%20=1', 'toString=1'),
      ...parametersOf(operation, 'query').flatMap((each) => brokenParameter(each, operation.path)),
    );
    ways.push(
      fc
        .tuple(pathOf(operation), query)
        .chain(([path, wrong]) => changed(fc.constant({ target: target(path, wrong) }))),
    );
    if (operation.path.includes('{id}')) {
      // No ids of the service, and no names that a receiving account may have.
      const other = fc.constantFrom('X', 'chk_', `xyz_${'0'.repeat(26)}`, `chk_${'0'.repeat(41)}`, 'CHK_0');
      ways.push(changed(other.map((id) => ({ target: operation.path.replace('{id}', id) }))));
    }
    if (parametersOf(operation, 'header').some(({ name }) => name === 'Idempotency-Key'))
      ways.push(withHeader('Idempotency-Key', '', '""', 'x'.repeat(256), '"\u00e9"'));
    return fc.oneof(...ways);
  }

  function brokenParameter({ name, schema }: Data, path: string): Array<fc.Arbitrary<string>> {
    if (isCursor(name, path))
      return [fc.constantFrom('A!', 'ß', 'x'.repeat(200)).map((value) => `${name}=${escaped(value)}`)];
    const wrong = schema.type === 'object' ? null : broken(schema, name);
    if (wrong === null) return [];
    // Query values are all text: only text and numbers can be wrong.
    const text = wrong.filter(
      (value) =>
        (typeof value === 'string' && value !== '12') ||
        (typeof value === 'number' && schema.type === 'integer'),
    );
    return [text.map((value) => `${name}=${escaped(String(value))}`)];
  }

  function hostile(operation: DocumentedOperation): fc.Arbitrary<Draft> {
    const whole = validRequest(operation);
    const ways: Array<readonly [weight: number, fc.Arbitrary<Draft>]> = [
      [
        3,
        fc
          .tuple(whole, fc.array(hostileHeader, { minLength: 1, maxLength: 2 }))
          .map(([draft, headers]) => ({ ...draft, headers: [...draft.headers, ...headers] })),
      ],
      [
        2,
        fc
          .tuple(whole, hostileQuery)
          .map(([draft, query]) => ({ ...draft, target: target(draft.target.split('?')[0] ?? '', query) })),
      ],
      [
        1,
        fc.tuple(whole, hostileAuthorization).map(([draft, value]) => ({
          ...draft,
          headers: [...draft.headers, ['Authorization', value] as const],
        })),
      ],
    ];
    if (operation.method !== 'GET')
      ways.push([
        6,
        whole.chain((draft) =>
          hostileBody(draft.body?.toString() ?? '').map((body) => ({ ...draft, headers: [JSON_TYPE], body })),
        ),
      ]);
    if (operation.path.includes('{id}'))
      ways.push([
        2,
        fc
          .tuple(whole, hostileId)
          .map(([draft, id]) => ({ ...draft, target: operation.path.replace('{id}', id) })),
      ]);
    return fc.oneof(...ways.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  }

  function callers(operation: DocumentedOperation, kind: Kind): fc.Arbitrary<Caller> {
    const usual = ELSEWHERE.test(operation.path) ? 'elsewhere' : 'shop';
    if (kind === 'valid') return usual === 'shop' ? mostly('shop', 'elsewhere') : fc.constant(usual);
    return mostly(usual, 'elsewhere', 'reader', 'live', 'nobody', 'wrong');
  }

  /** A request of some kind to this operation. */
  function requestTo(operation: DocumentedOperation, kind: Kind): fc.Arbitrary<Request> {
    const make = { valid: validRequest, nearly: nearlyValid, hostile }[kind];
    return fc
      .tuple(make(operation), callers(operation, kind))
      .map(([draft, caller]) => ({ operation, kind, caller, ...draft }));
  }

  /**
   * Requests to all operations, more of them to those that create, so that there is always something new to
   * ask about.
   */
  const some: fc.Arbitrary<Request> = fc.oneof(
    ...document.operations.map((operation) => ({
      weight: operation.method === 'POST' && !operation.path.includes('{id}') ? 3 : 1,
      arbitrary: fc.oneof(
        { weight: 5, arbitrary: requestTo(operation, 'valid') },
        { weight: 4, arbitrary: requestTo(operation, 'nearly') },
        { weight: 3, arbitrary: requestTo(operation, 'hostile') },
      ),
    })),
  );

  return { requestTo, some };
}

/** A statement with an entry that no other one has. */
function statementOf(n: number): Buffer {
  return Buffer.from(statement.replaceAll('S0', `S${n}`).replaceAll('203001310000000000', `20300131${n}`));
}

function mostly(usual: Caller, ...others: Caller[]): fc.Arbitrary<Caller> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

/** Escapes a value for a query; placeholders for ids stay as they are. */
const escaped = (text: string): string =>
  /^\{\w+(:\d+)?\}$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
