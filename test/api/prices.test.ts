/**
 * The price of one request: time of the thread that answers, bytes of the answer, rows that are written; for
 * every route and every kind of caller. What a route costs nobody has to pay who may not use it. Each price
 * is held to its budget, bytes and rows here, the time by `npm run prove -- prices`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, suite, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openRoutes } from '../../bench/neighbours/open.ts';
import { median } from '../../bench/statistics.ts';
import { createAccount } from '../../src/accounts/account.ts';
import { allPermissions, type Permission } from '../../src/accounts/api-key.ts';
import type { Mode } from '../../src/checkout/tenant.ts';
import { asSent, type Sent } from '../support/client.ts';
import { evidence, type Figures } from '../support/evidence.ts';
import { shownForm } from '../support/pay-form.ts';
import { routesOf } from '../support/routes.ts';
import { scaled } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { operations } from './every-operation.ts';
import {
  budgets,
  type Caller,
  excessOf,
  isWriting,
  keptPrice,
  type Price,
  type Priced,
  timeRatio,
  writeBudgets,
} from './price-budgets.ts';
import type { Answered, Asked } from './prices-client.ts';
import { startReceiver } from './receiver.ts';
import { createSession, pay } from './shop.ts';
import { subjectsOf } from './subjects.ts';

/** Requests that a price is the median of: some pay for the collector of garbage, which many have made. */
const REQUESTS = scaled(1);
/** Routes for operators limit the rate of one address. */
const OPEN_REQUESTS = Math.min(REQUESTS, 4);
/** Requests after which it is taken for certain that one of this kind writes. */
const MOST_LOOKS = 12;
const WORD = '0123456789abcdefghjkmnpqrs';

const service = await startService(
  { after },
  { env: { STRIPE_SECRET_KEY: 'sk_test_prices', STRIPE_WEBHOOK_SECRET: 'whsec_prices' } },
);
const { kind, tablesOfChanges, query } = service.database;
const subjects = subjectsOf(service, await startReceiver({ after }));
const client = new Worker(new URL('prices-client.ts', import.meta.url));
after(() => client.terminate());

type Request = {
  readonly method: string;
  readonly path: string;
  readonly body?: Sent;
  readonly type?: string;
};
type Row = {
  readonly name: string;
  readonly caller: Caller;
  /** Makes what it is about; the request is what is paid for. */
  readonly make: () => Promise<Request>;
  readonly status: number;
  /** The caller's credentials. */
  readonly authorization?: string;
};

const FORM = 'application/x-www-form-urlencoded';
const get = (path: string) => async (): Promise<Request> => ({ method: 'GET', path });

const neighbour = await createAccount(service.service.store, 'Neighbour', Date.now());

/** Callers by a mode; `own` is the one that asks for what it may have. */
async function callersIn(mode: Mode, own: string) {
  const lacking = new Map<Permission, string>();
  for (const permission of allPermissions) {
    const permissions = allPermissions.filter((each) => each !== permission);
    lacking.set(permission, (await service.createKey({ mode, permissions })).authorization);
  }
  const { authorization: other } = await service.createKey({ mode, account: neighbour.number });
  return { own, other, lacking };
}
const callers = {
  test: await callersIn('test', service.key.authorization),
  live: await callersIn('live', (await service.createKey({ mode: 'live' })).authorization),
};

function bodyOf(given: unknown): Pick<Request, 'body' | 'type'> {
  const { type, content: body } = asSent(given);
  return type === undefined || body === undefined ? {} : { type, body };
}

const keyed = operations.flatMap(
  ({
    method,
    path,
    operation,
    permission,
    subject,
    body,
    query = '',
    creates,
    liveOnly,
    ofInstallation,
  }): Row[] => {
    const { own: authorization, other, lacking } = callers[liveOnly ? 'live' : 'test'];
    const request = (id: string): Request => {
      const sent = typeof body === 'function' ? body(id) : body;
      return {
        method,
        path: path.replace('{id}', id) + query,
        ...bodyOf(sent),
      };
    };
    const unknown = async () => request(`chk_${WORD}`);
    let id = '';
    const own = async () => {
      id = await subjects[subject]();
      return request(id);
    };
    // Requests that name no resource of a tenant cost each caller the same.
    const namesSomething = !ofInstallation && (path.includes('{id}') || typeof body === 'function');
    return [
      { caller: 'own', make: own, status: 200, authorization },
      ...(namesSomething
        ? [
            {
              caller: 'other',
              make: async () => request(id),
              status: creates ? 400 : 404,
              authorization: other,
            } as const,
          ]
        : []),
      { caller: 'lacking', make: unknown, status: 403, authorization: lacking.get(permission) ?? '' },
      { caller: 'nobody', make: unknown, status: 401 },
      { caller: 'wrong key', make: unknown, status: 401, authorization: `Bearer sk_test_${WORD}` },
    ].map((row) => ({ name: operation, ...row }) as Row);
  },
);

const pathOf = (url: string) => new URL(url).pathname;
const session = async () => pathOf((await createSession(service)).url);
const paid = async () => pathOf((await pay(service, (await createSession(service)).id)).url);
const at = (make: () => Promise<string>, rest: string) => async (): Promise<Request> => ({
  method: 'GET',
  path: (await make()) + rest,
});
const form = (action: string) => async (): Promise<Request> => {
  const path = await session();
  const fields = {
    ...(await shownForm(service.url + path)),
    method: 'card',
    outcome: 'succeeds',
    decision: 'fail',
  };
  const body = new URLSearchParams(fields).toString();
  return { method: 'POST', path: `${path}/${action}`, body, type: FORM };
};

const logo = async () => {
  await subjects.logo();
  const path = await session();
  const [, name = ''] =
    / src="[^"]+\/logo\/([^"]+)"/.exec(await (await fetch(service.url + path)).text()) ?? [];
  return get(`${path}/logo/${name}`)();
};

/** Routes without a key: pages, for holders of their address, and public documents. */
const open: readonly (Omit<Row, 'caller' | 'name'> & { readonly route: string; readonly of?: string })[] = [
  ...['/docs/', '/docs/errors', '/openapi.json', '/metrics', '/readyz', '/livez'].map((path) => ({
    route: `GET ${path}`,
    make: get(path),
    status: path === '/docs/' ? 302 : 200,
  })),
  { route: 'GET /', make: get('/'), status: 302 },
  { route: 'GET /docs', make: get('/docs'), status: 200 },
  { route: 'GET /transaction/:token', make: at(session, ''), status: 200 },
  { route: 'GET /transaction/:token', of: 'a paid session', make: at(paid, ''), status: 200 },
  { route: 'GET /transaction/:token/receipt', make: at(paid, '/receipt'), status: 200 },
  { route: 'GET /transaction/:token/receipt.pdf', make: at(paid, '/receipt.pdf'), status: 200 },
  { route: 'GET /transaction/:token/invoice.pdf', make: at(session, '/invoice.pdf'), status: 404 },
  { route: 'GET /transaction/:token/return', make: at(session, '/return'), status: 303 },
  { route: 'GET /transaction/:token/go', make: at(session, '/go'), status: 303 },
  { route: 'GET /transaction/:token/logo/:name', make: logo, status: 200 },
  ...['pay', 'step', 'cancel_attempt'].flatMap((action) => [
    { route: `GET /transaction/:token/${action}`, make: at(session, `/${action}`), status: 303 },
    // No attempt waits for the payer's decision.
    {
      route: `POST /transaction/:token/${action}`,
      make: form(action),
      status: action === 'step' ? 409 : 303,
    },
  ]),
  // The router prints `GET /*` for `/transaction/*`.
  { route: 'GET /*', make: get('/transaction/none/at/all'), status: 404 },
  // Screens of the dashboard that need no sign-in, and one that does.
  { route: 'GET /dashboard', make: get('/dashboard'), status: 401 },
  { route: 'GET /dashboard/sign-in', make: get('/dashboard/sign-in'), status: 200 },
  // Without a provider of OpenID Connect nobody begins there or comes back.
  { route: 'GET /dashboard/oidc', make: get('/dashboard/oidc'), status: 404 },
  { route: 'GET /dashboard/oidc/callback', make: get('/dashboard/oidc/callback'), status: 404 },
  { route: 'GET /dashboard/link/:token', make: get(`/dashboard/link/usr_${WORD}.${WORD}`), status: 404 },
  ...(
    [
      ['sign-in', 'sign-in', 422],
      ['code', 'code', 200],
      ['passkey', 'passkey', 422],
      ['link/:token', `link/usr_${WORD}.${WORD}`, 404],
      // Without a provider nobody accepts an invitation by one.
      ['link/:token/oidc', `link/usr_${WORD}.${WORD}/oidc`, 404],
      ['go-on', 'go-on', 422],
    ] as const
  ).map(([route, path, status]) => ({
    route: `POST /dashboard/${route}`,
    make: async () => ({
      method: 'POST',
      path: `/dashboard/${path}`,
      body: new URLSearchParams({ email: 'nobody@example.com', password: WORD, code: '000000' }).toString(),
      type: FORM,
    }),
    status,
  })),
  { route: 'GET /receipt/:code', make: get(`/receipt/${WORD}`), status: 404 },
  {
    route: 'POST /notices/stripe',
    make: async () => ({ method: 'POST', path: '/notices/stripe', body: '{"id":"evt_1"}' }),
    status: 400,
  },
  {
    route: 'POST /notices/stripe/:account/:mode',
    make: async () => ({ method: 'POST', path: '/notices/stripe/1/test', body: '{"id":"evt_1"}' }),
    status: 400,
  },
];
/** Screens of the dashboard that nobody gets without a sign-in: test/dashboard/doors.test.ts asks for each of them. */
const needsSignIn = new Set(
  service.service.screens
    .filter(({ needs }) => needs !== 'nothing')
    // The router prints `GET /dashboard*` for `/dashboard/*`.
    .map(({ method, path }) => `${method} /dashboard${path === '/*' ? '*' : path}`),
);
/** Streams, which end with the client, and files whose names come from what is in them. */
const isElsewhere = (path: string) => path.endsWith('/events') || path.startsWith('/assets/');
const served = routesOf(service.service.app).filter(
  ({ method, path }) =>
    ['GET', 'POST'].includes(method) && !path.startsWith('/v3/') && !needsSignIn.has(`${method} ${path}`),
);

async function rowsInTables(): Promise<number> {
  const counts = (await tablesOfChanges()).map((name) => `(SELECT count(*) FROM "${name}")`);
  const [row] = await query(`SELECT ${counts.join(' + ')} AS count`);
  return Number(row?.count);
}

async function ask(
  { method, path, body, type = 'application/json' }: Request,
  authorization: string | undefined,
): Promise<Answered> {
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(body === undefined ? {} : { 'content-type': type }),
  };
  const asked: Asked = { method, url: service.url + path, headers, body: body ?? null };
  client.postMessage(asked);
  const [answer] = (await once(client, 'message')) as [Answered];
  return answer;
}

async function priceOf({ name, caller, make, status, authorization }: Row): Promise<Price> {
  const times = caller === 'open' ? OPEN_REQUESTS : REQUESTS;
  const micros: number[] = [];
  let bytes = 0;
  // The least of all: what the worker writes meanwhile was asked for before.
  let rows = Number.POSITIVE_INFINITY;
  const fewRows = isWriting ? 0 : (budgets[name]?.[caller]?.rows[kind] ?? 0);
  // The first one warms up. Some of what they are about takes the place of the one before.
  for (let count = 0; count <= times || (rows > fewRows && count < MOST_LOOKS); count++) {
    const request = await make();
    const rowsBefore = await rowsInTables();
    const before = process.threadCpuUsage();
    const answer = await ask(request, authorization);
    const { user, system } = process.threadCpuUsage(before);
    const isRight = status === 200 ? answer.status < 300 : answer.status === status;
    assert.ok(isRight, `${name} by ${caller}: ${answer.status}, not ${status}`);
    if (count === 0) continue;
    if (count <= times) micros.push(user + system);
    const more = (await rowsInTables()) - rowsBefore;
    // Tables in shards are not counted in one moment: where one was counted too early, nothing is said of this request.
    if (more >= 0) rows = Math.min(rows, more);
    bytes = Math.max(bytes, answer.bytes);
  }
  return { ms: median(micros) / 1000, bytes, rows };
}

suite('what one request costs', () => {
  const prices: Priced[] = [];
  const listed: readonly Row[] = [
    ...keyed,
    ...open.map((row) => ({
      ...row,
      name: [row.route, row.of].filter(Boolean).join(', '),
      caller: 'open' as const,
    })),
  ];
  for (const row of listed) {
    const { name, caller } = row;
    test(`${name}, asked for by ${caller}`, async () => {
      const price = keptPrice(name, caller, kind) ?? (await priceOf(row));
      prices.push({ name, caller, ...price });
      if (isWriting) return;
      const budget = budgets[name]?.[caller];
      assert.ok(budget, `price-budgets.json has no budget for it; it is ${JSON.stringify(price)}`);
      assert.equal(excessOf(price, budget, kind), null);
    });
  }

  test('every operation has a price, and every budget is of one', () => {
    assert.deepEqual(
      service.service.app.operations.map(({ declaration }) => declaration.operation).sort(),
      operations.map(({ operation }) => operation).sort(),
    );
    if (isWriting) return writeBudgets(prices, kind);
    const named = (name: string, callers: readonly string[]) => callers.map((caller) => `${name}: ${caller}`);
    assert.deepEqual(
      Object.entries(budgets).flatMap(([name, callers]) => named(name, Object.keys(callers))),
      listed.map(({ name, caller }) => `${name}: ${caller}`),
    );
  });

  test('every route without a key has a price', () => {
    const known = new Set(open.map(({ route }) => route));
    const priced = served.filter(({ path }) => !isElsewhere(path));
    assert.ok(priced.length > 20);
    for (const { method, path } of priced) assert.ok(known.has(`${method} ${path}`), `${method} ${path}`);
  });

  test('every route without a key is one that the campaign `neighbours` asks for', () => {
    assert.deepEqual(
      Object.keys(openRoutes).sort(),
      served.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  test('nobody writes or gets much of what is not his', (t) => {
    const of = (...callers: Caller[]) => prices.filter(({ caller }) => callers.includes(caller));
    for (const { name, rows, bytes } of of('nobody', 'wrong key', 'lacking', 'other')) {
      assert.equal(rows, 0, name);
      assert.ok(bytes < 2048, name);
    }
    const dearest = (some: readonly Price[]) => Number(Math.max(...some.map(({ ms }) => ms)).toFixed(2));
    const figures: Figures = {
      prices: prices.length,
      own_dearest_ms: dearest(of('own')),
      open_dearest_ms: dearest(of('open')),
      refused_dearest_ms: dearest(of('nobody', 'wrong key', 'lacking', 'other')),
      time_to_budget_ratio: Number(
        Math.max(
          ...prices.map((price) => timeRatio(price, budgets[price.name]?.[price.caller] ?? price)),
        ).toFixed(2),
      ),
    };
    evidence(t, 'prices', figures, {
      head: ['Operation or route', 'Caller', 'Time of the thread, ms', 'Budget, ms', 'Answer, bytes', 'Rows'],
      rows: prices.map(({ name, caller, ms, bytes, rows }) => [
        name,
        caller,
        ms.toFixed(2),
        budgets[name]?.[caller]?.ms ?? '',
        bytes,
        rows,
      ]),
    });
  });
});
