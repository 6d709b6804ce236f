/** Screens where the API refuses one of the questions behind them: none takes a refusal for "there is nothing". */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import type { ApiCaller } from '../../src/dashboard/api.ts';
import type { DashboardDependencies } from '../../src/dashboard/dependencies.ts';
import type { Outcome } from '../../src/dashboard/outcome.ts';
import type { Place } from '../../src/dashboard/place.ts';
import type { Declare, Visit } from '../../src/dashboard/screen.ts';
import { bankEntryScreens } from '../../src/dashboard/screens/bank-entry.ts';
import { deliveryScreens } from '../../src/dashboard/screens/delivery.ts';
import { mappingScreens } from '../../src/dashboard/screens/mappings.ts';
import { overviewScreens } from '../../src/dashboard/screens/overview.ts';
import { receivingAccountScreens } from '../../src/dashboard/screens/receiving-account.ts';
import { sessionScreens } from '../../src/dashboard/screens/session.ts';
import { statementScreens } from '../../src/dashboard/screens/statements.ts';
import { html, textOf } from '../../src/lib/html.ts';

const answers = new Map<string, (visit: Visit) => Promise<Outcome> | Outcome>();
const declare = (({ method, path }, respond) => {
  answers.set(`${method} ${path}`, respond as (visit: Visit) => Promise<Outcome>);
}) as Declare;
const dependencies = {
  basePath: '',
  realNow: () => Date.UTC(2030, 0, 31),
  store: { dashboardUsers: { list: async () => ({ rows: [], hasMore: false }) } },
} as unknown as DashboardDependencies;
for (const screens of [
  sessionScreens,
  overviewScreens,
  bankEntryScreens,
  statementScreens,
  mappingScreens,
  receivingAccountScreens,
  deliveryScreens,
])
  screens(declare, dependencies);

const ROOT = '/:account/:mode/sessions/:id';
const EVENT = { event: 'evt_1', type: '', description: '', created_at: '2030-01-31T12:00:00Z', version: 1 };
const ENTRY = { id: 'ben_1', suggestions: [{ payin: 'chk_1', score: 90 }], counterparty: {}, parts: [] };
const WAITING = { id: 'ben_2' };
const WORDS = 'The words of the API.';

type Sent = { readonly form?: Readonly<Record<string, string>>; readonly sessions?: readonly object[] };

/** The answer to a request, where the API refuses one path. Writes are noted in `written`. */
function outcomeOf(
  declared: string,
  refusedPath: string,
  status: number,
  { form = {}, sessions = [] }: Sent = {},
  written: string[] = [],
): Promise<Outcome> | Outcome {
  const get = async (url: string) => {
    const path = url.split('?', 1)[0] ?? '';
    if (path === refusedPath) {
      return { ok: false, status, mistakes: [{ message: WORDS, pointer: '' }] };
    }
    const data = dataOf(path, sessions);
    return { ok: true, status: 200, data, nextCursor: null, etag: '' };
  };
  const tenant = { account: 1, mode: 'test' };
  const account = { number: 1, clockOffset: 0 };
  const place = { tenant, account, role: 'owner', may: () => true } as unknown as Place;
  const send = (_method: string, url: string) => {
    written.push(url);
    return get(url);
  };
  const api = { get, send } as unknown as ApiCaller;
  const visitor = { formToken: 'x', user: { id: 'usr_1' } };
  const visit = {
    ...{ api, live: api, test: api, place, form, query: {}, params: { id: 'chk_1' }, visitor },
    file: { name: 'x.csv', content: Readable.from([Buffer.from('a;b')]) },
  } as unknown as Visit;
  return answers.get(declared)?.(visit) ?? assert.fail(declared);
}

function dataOf(path: string, sessions: readonly object[]): unknown {
  if (path === '/v3/checkout') return sessions;
  if (path.endsWith('/timeline')) return [EVENT];
  if (path === '/v3/bank_entry/chk_1') return ENTRY;
  if (path === '/v3/bank_entry') return [WAITING];
  return path.startsWith('/v3/c') && path !== '/v3/csv_mapping' ? {} : [];
}

suite('a refusal of the API is told with its status and words', () => {
  for (const status of [429, 503]) {
    for (const path of [
      '/v3/checkout/chk_1',
      '/v3/payin/chk_1',
      '/v3/checkout/chk_1/timeline',
      '/v3/audit',
      '/v3/webhook_delivery',
    ]) {
      test(`where a session is shown: ${status} of ${path}`, async () => {
        assert.deepEqual(await outcomeOf(`GET ${ROOT}`, path, status), {
          status,
          title: 'This was not done',
          main: 'The words of the API.',
        });
      });
    }

    test(`where failed webhooks are looked for: ${status}`, async () => {
      assert.deepEqual(await outcomeOf(`POST ${ROOT}/resend`, '/v3/webhook_delivery', status), {
        status,
        title: 'This was not done',
        main: 'The words of the API.',
      });
    });
  }

  test('as a page that there is not for 404 alone', async () => {
    const outcome = await outcomeOf(`GET ${ROOT}`, '/v3/checkout/chk_1/timeline', 404);
    assert.ok('title' in outcome && outcome.title === 'There is no such page');
  });
});

suite('a refusal is not taken for "there is none"', () => {
  const sessions = [{ invoice_currency: 'EUR' }];
  const rows: ReadonlyArray<readonly [declared: string, refusedPath: string, sent?: Sent]> = [
    ['GET /:account/:mode/overview', '/v3/checkout'],
    ['GET /:account/:mode/overview', '/v3/receiving_account'],
    ['GET /:account/:mode/overview', '/v3/rail_credentials'],
    ['GET /:account/:mode/overview', '/v3/webhook_endpoint'],
    ['GET /:account/:mode/overview', '/v3/api_key'],
    ['GET /:account/:mode/overview', '/v3/rail_credentials', { sessions }],
    ['GET /:account/:mode/overview', '/v3/metadata/collect', { sessions }],
    ['GET /:account/:mode/bank/statements', '/v3/csv_mapping'],
    ['GET /:account/:mode/bank/entries/:id', '/v3/checkout/chk_1'],
    ['GET /:account/:mode/bank/entries/:id', '/v3/audit'],
    ['GET /:account/:mode/bank/entries/:id', '/v3/bank_entry'],
    ['POST /:account/:mode/bank/mappings/sample', '/v3/receiving_account'],
  ];
  for (const [declared, refusedPath, sent] of rows)
    test(`${declared}: ${refusedPath}${sent === undefined ? '' : ', with sessions'}`, async () => {
      const outcome = await outcomeOf(declared, refusedPath, 503, sent);
      assert.deepEqual(outcome, { status: 503, title: 'This was not done', main: WORDS });
    });

  const written: ReadonlyArray<readonly [declared: string, refusedPath: string, Sent]> = [
    [
      'POST /:account/:mode/bank/mappings/save',
      '/v3/account_settings',
      { form: { name: 'my-bank', sample: Buffer.from('a;b\n1;2').toString('base64url'), delimiter: ';' } },
    ],
  ];
  for (const [declared, refusedPath, sent] of written)
    test(`${declared}: nothing is written over`, async () => {
      const urls: string[] = [];
      const outcome = await outcomeOf(declared, refusedPath, 503, sent, urls);
      assert.deepEqual(urls, []);
      assert.ok('main' in outcome);
      assert.ok(textOf(html`${outcome.main}`).includes(WORDS));
    });

  test('an event that cannot be read now is not one that is no longer kept', async () => {
    const declared = 'GET /:account/:mode/webhooks/deliveries/:id';
    const outcome = await outcomeOf(declared, '/v3/event/undefined', 503);
    assert.deepEqual(outcome, { status: 503, title: 'This was not done', main: WORDS });
  });
});
