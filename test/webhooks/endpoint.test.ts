/** The rules of endpoints: how they are made and changed, and what they are sent. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  decideEndpoint,
  type Endpoint,
  type EndpointCommand,
  type EndpointId,
  isEndpoint,
  MAX_ENDPOINTS,
  receiverOf,
  selects,
} from '../../src/webhooks/endpoint.ts';

const T = Date.UTC(2030, 0, 15, 12);
const LATER = T + 1_000;
const tenant = { account: 1, mode: 'test' } as const;
const settings = { url: 'https://shop.example/hook', events: ['*'], description: 'Shop', enabled: true };

function endpoint(given: Partial<Endpoint> = {}): Endpoint {
  const { enabled, ...rest } = settings;
  return {
    id: 'whe_1',
    tenant,
    version: 1,
    eventCount: 0,
    slot: 1,
    ...rest,
    disabled: null,
    secret: 'whsec_1',
    previousSecret: null,
    createdAt: T,
    updatedAt: T,
    ...given,
  };
}

const decide = (all: readonly Endpoint[], command: EndpointCommand, id: EndpointId = 'whe_1') =>
  decideEndpoint(all, { id, tenant, now: LATER }, command);

/** The endpoint after a command, beside another one. */
function after(before: Endpoint, command: EndpointCommand): Endpoint {
  const decision = decide([endpoint({ id: 'whe_0' }), before], command);
  assert.ok(decision.kind === 'changed', decision.kind);
  return decision.endpoint;
}

suite('an endpoint that is made', () => {
  const create = (given: Partial<typeof settings> = {}): EndpointCommand => ({
    type: 'create_endpoint',
    secret: 'whsec_new',
    settings: { ...settings, ...given },
  });

  test('has what was given, and a secret of its own', () => {
    const decision = decide([], create());
    assert.ok(decision.kind === 'changed');
    const { slot } = decision.endpoint;
    assert.ok(slot >= 1 && slot <= MAX_ENDPOINTS);
    const expected = endpoint({ slot, secret: 'whsec_new', createdAt: LATER, updatedAt: LATER });
    assert.deepEqual(decision, { kind: 'changed', endpoint: expected });
  });

  test('can be made disabled', () => {
    const decision = decide([], create({ enabled: false }));
    assert.ok(decision.kind === 'changed');
    assert.equal(decision.endpoint.disabled, 'by_merchant');
  });

  test('is one of a bounded number', () => {
    const all = Array.from({ length: MAX_ENDPOINTS }, (_, index) =>
      endpoint({ id: `whe_${index}`, slot: index + 1 }),
    );
    for (const gone of all) {
      const made = decide(
        all.filter((each) => each !== gone),
        create(),
        'whe_new',
      );
      assert.ok(made.kind === 'changed');
      assert.equal(made.endpoint.slot, gone.slot);
    }
    const refused = decide(all, create(), 'whe_new');
    assert.ok(refused.kind === 'refusal' && refused.reason === 'too_many_endpoints');
  });
});

suite('an update of an endpoint', () => {
  const update = (given: Partial<typeof settings>): EndpointCommand => ({
    type: 'update_endpoint',
    settings: given,
  });

  const changes: ReadonlyArray<readonly [Partial<typeof settings>, Partial<Endpoint>]> = [
    [{ url: 'https://new.example' }, { url: 'https://new.example' }],
    [{ events: ['checkout.paid', 'payin.*'] }, { events: ['checkout.paid', 'payin.*'] }],
    [{ description: '' }, { description: '' }],
    [{ enabled: false }, { disabled: 'by_merchant' }],
    [
      { url: 'https://new.example', enabled: false },
      { url: 'https://new.example', disabled: 'by_merchant' },
    ],
  ];
  for (const [given, expected] of changes) {
    test(`changes that, and nothing else: ${Object.keys(given)}`, () => {
      const before = endpoint({ eventCount: 4, previousSecret: { secret: 'old', until: T } });
      assert.deepEqual(after(before, update(given)), {
        ...before,
        ...expected,
        version: 2,
        updatedAt: LATER,
      });
    });
  }

  for (const given of [{}, { ...settings }, { events: ['*'] }, { enabled: true }]) {
    test(`to what it is already changes nothing: ${JSON.stringify(given)}`, () => {
      assert.deepEqual(decide([endpoint()], update(given)), { kind: 'unchanged', endpoint: endpoint() });
    });
  }

  const switches = [
    ['gone', true, null],
    ['by_merchant', true, null],
    [null, false, 'by_merchant'],
  ] as const;
  for (const [disabled, enabled, expected] of switches) {
    test(`switches it ${enabled ? 'on' : 'off'}: ${disabled}`, () => {
      assert.equal(after(endpoint({ disabled }), update({ enabled })).disabled, expected);
    });
  }

  test('that switches off one that was gone leaves it that', () => {
    assert.equal(decide([endpoint({ disabled: 'gone' })], update({ enabled: false })).kind, 'unchanged');
  });
});

suite('a new secret', () => {
  const rotate = (overlapMs: number): EndpointCommand => ({
    type: 'rotate_secret',
    secret: 'whsec_2',
    overlapMs,
  });

  test('overlaps with the one before', () => {
    const changed = after(endpoint(), rotate(5));
    const previousSecret = { secret: 'whsec_1', until: LATER + 5 };
    assert.deepEqual(changed, endpoint({ secret: 'whsec_2', previousSecret, version: 2, updatedAt: LATER }));
  });

  test('ends all before it where nothing is to overlap', () => {
    const before = endpoint({ previousSecret: { secret: 'whsec_0', until: LATER + 99 } });
    assert.equal(after(before, rotate(0)).previousSecret, null);
  });
});

test('an endpoint that is deleted is shown as it was', () => {
  const decision = decide([endpoint()], { type: 'delete_endpoint' });
  assert.deepEqual(decision, { kind: 'deleted', endpoint: endpoint() });
});

suite('an endpoint that is not there', () => {
  const commands: readonly EndpointCommand[] = [
    { type: 'update_endpoint', settings: {} },
    { type: 'rotate_secret', secret: 'whsec_2', overlapMs: 0 },
    { type: 'delete_endpoint' },
  ];
  for (const command of commands) {
    test(`is not found: ${command.type}`, () => {
      const refused = decide([endpoint()], command, 'whe_unknown');
      assert.ok(refused.kind === 'refusal' && refused.reason === 'not_found');
    });
  }
});

suite('a selection of events', () => {
  const cases: ReadonlyArray<readonly [events: string[], type: string, selected: boolean]> = [
    [['*'], 'checkout.paid', true],
    [['*'], 'webhook_endpoint.suspended', true],
    [['checkout.paid'], 'checkout.paid', true],
    [['checkout.paid'], 'checkout.paid_late', false],
    [['checkout.paid'], 'checkout.created', false],
    [['checkout.*'], 'checkout.created', true],
    [['checkout.*'], 'checkouts.created', false],
    [['checkout.*'], 'payin.cancelled', false],
    [['payin.*', 'checkout.paid'], 'checkout.paid', true],
    [['payin.*', 'checkout.paid'], 'payin.cancelled', true],
    [[], 'checkout.paid', false],
  ];
  for (const [events, type, selected] of cases) {
    test(`${selected ? 'has' : 'has not'} ${type}: ${JSON.stringify(events)}`, () => {
      assert.equal(selects(endpoint({ events }), type), selected);
    });
  }

  for (const disabled of ['by_merchant', 'gone'] as const) {
    test(`has nothing while the endpoint is disabled: ${disabled}`, () => {
      assert.equal(selects(endpoint({ disabled }), 'checkout.paid'), false);
    });
  }
});

suite('the receiver of an address', () => {
  const cases = [
    ['https://shop.example/hooks?a=b#c', 'https://shop.example'],
    ['https://SHOP.example:443/', 'https://shop.example'],
    ['http://shop.example:8080/x', 'http://shop.example:8080'],
    ['http://[::1]:80/x', 'http://[::1]'],
    ['no address', 'no address'],
  ] as const;
  for (const [url, receiver] of cases) {
    test(`is its origin: ${url}`, () => assert.equal(receiverOf(url), receiver));
  }

  test('is not taken for an endpoint', () => {
    assert.equal(isEndpoint('https://whe_1.example'), false);
    assert.equal(isEndpoint('whe_1'), true);
    assert.equal(isEndpoint('chk_1'), false);
  });
});
