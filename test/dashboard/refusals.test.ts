/** Screens of a session where the API refuses one of the questions behind them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ApiCaller } from '../../src/dashboard/api.ts';
import type { DashboardDependencies } from '../../src/dashboard/dependencies.ts';
import type { Outcome } from '../../src/dashboard/outcome.ts';
import type { Place } from '../../src/dashboard/place.ts';
import type { Declare, Visit } from '../../src/dashboard/screen.ts';
import { sessionScreens } from '../../src/dashboard/screens/session.ts';

const answers = new Map<string, (visit: Visit) => Promise<Outcome> | Outcome>();
const declare = (({ method, path }, respond) => {
  answers.set(`${method} ${path}`, respond as (visit: Visit) => Promise<Outcome>);
}) as Declare;
sessionScreens(declare, { basePath: '' } as DashboardDependencies);

const ROOT = '/:account/:mode/sessions/:id';
const EVENT = { event: 'evt_1', type: '', description: '', created_at: '2030-01-31T12:00:00Z', version: 1 };

/** What comes of a request, where the API refuses one path. */
function outcomeOf(declared: string, refusedPath: string, status: number): Promise<Outcome> | Outcome {
  const get = async (url: string) => {
    const path = url.split('?', 1)[0] ?? '';
    if (path === refusedPath) {
      return { ok: false, status, mistakes: [{ message: 'The words of the API.', pointer: '' }] };
    }
    const data = path.endsWith('/timeline') ? [EVENT] : path.startsWith('/v3/c') ? {} : [];
    return { ok: true, status: 200, data, nextCursor: null, etag: '' };
  };
  const place = { tenant: { account: 1, mode: 'test' }, may: () => true } as unknown as Place;
  const api = { get, send: get } as unknown as ApiCaller;
  const visit = { api, place, form: {}, query: {}, params: { id: 'chk_1' } } as unknown as Visit;
  return answers.get(declared)?.(visit) ?? assert.fail(declared);
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
