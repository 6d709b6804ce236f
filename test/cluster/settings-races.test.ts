/**
 * Changes of the same settings at two processes on one PostgreSQL: of those that are for one version, one is made, and forms
 * of the dashboard tell whoever was too late what was made of it.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import type { Data } from '../api/shop.ts';
import { createVisitor, formIn, PASSWORD, resetLink } from '../support/dashboard.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { createHooks } from '../support/hooks.ts';
import { runToEnd } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { inviteUser } from '../support/users.ts';
import { type Instance, startInstances } from './cluster.ts';

const hooks = createHooks();
after(hooks.run);
const database = await freshPostgres();
hooks.after(database.remove);
const instances = await startInstances(hooks, database.url, 2);
const made = await runToEnd(hooks, ['keys', 'create', '--permissions', 'manage', '--json'], {
  DATABASE_URL: database.url,
});
const { id, secret } = JSON.parse(made.stdout);
const authorization = `Basic ${btoa(`${id}:${secret}`)}`;

type Answer = { readonly status: number; readonly etag: string; readonly json: Data };

async function call(
  { url }: Instance,
  method: string,
  path: string,
  given: RequestInit = {},
): Promise<Answer> {
  const headers = { authorization, 'content-type': 'application/json', ...given.headers };
  const response = await fetch(`${url}/v3${path}`, { method, ...given, headers });
  const { status } = response;
  return { status, etag: response.headers.get('etag') ?? '', json: await response.json() };
}

/** Changes of the same thing at both processes, for the version that each has told. */
async function race(path: string, bodyOf: (value: string) => object): Promise<void> {
  const [one] = instances;
  assert.ok(one);
  for (let round = 0; round < scaled(10); round++) {
    const { etag }: Answer = await newest(path);
    const values = instances.flatMap((_, at) => [`${round}-${at}-a`, `${round}-${at}-b`]);
    const answers: readonly Answer[] = await Promise.all(
      values.map(
        (value, at): Promise<Answer> =>
          call(instances[at % instances.length] ?? one, 'PUT', path, {
            headers: { 'if-match': etag },
            body: JSON.stringify(bodyOf(value)),
          }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, 412, 412, 412], `round ${round}: ${statuses}`);
    const winner = values[statuses.indexOf(200)] ?? '';
    assert.match(JSON.stringify((await newest(path)).json.data), new RegExp(`"${winner}"`));
  }
}

/** The state that both processes know of. */
async function newest(path: string): Promise<Answer> {
  const deadline = performance.now() + database.directoryLagMs + 1_000;
  for (;;) {
    const [one, other] = await Promise.all(instances.map((each) => call(each, 'GET', path)));
    assert.ok(one && other);
    if (one.etag === other.etag) return one;
    if (performance.now() > deadline) return assert.fail(`${path}: ${one.etag} and ${other.etag}`);
  }
}

test('of many changes for one version at two processes, one is made', async (t) => {
  await t.test('of the settings', () =>
    race('/account_settings', (value) => ({ business: { tax_id: value } })),
  );
  const [one] = instances;
  assert.ok(one);
  const euros = { currency: 'EUR', holder: { name: 'Shop', country: 'DE' }, iban: 'DE89370400440532013000' };
  assert.equal(
    (await call(one, 'PUT', '/receiving_account/eur', { body: JSON.stringify(euros) })).status,
    201,
  );
  await t.test('of a receiving account', async () => {
    await newest('/receiving_account/eur');
    await race('/receiving_account/eur', (bank_name) => ({ bank_name }));
  });
  await t.test('that makes what was not there', async () => {
    const body = JSON.stringify({ ...euros, iban: undefined, account_number: '7' });
    const answers = await Promise.all(
      [...instances, ...instances].map((each) =>
        call(each, 'PUT', '/receiving_account/new', { headers: { 'if-none-match': '*' }, body }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 412, 412, 412]);
  });
});

test('forms at two processes: the second is told of the first, and keeps what was typed', async () => {
  const store = await openPostgresStore(database.url);
  let links: string[];
  try {
    const users = await Promise.all(
      ['ada@example.com', 'bob@example.com'].map((email) => inviteUser(store, { email })),
    );
    links = await Promise.all(users.map((user, at) => resetLink(store, instances[at]?.url ?? '', user)));
  } finally {
    await store.close();
  }
  const visitors = await Promise.all(
    links.map(async (link, at) => {
      const visitor = createVisitor(instances[at]?.url ?? '');
      const { pathname } = new URL(link);
      await visitor.submit(await visitor.get(pathname), pathname, { password: PASSWORD });
      return visitor;
    }),
  );
  const path = '/dashboard/1/test/settings';
  for (let round = 0; round < scaled(5); round++) {
    await newest('/account_settings');
    const forms = await Promise.all(visitors.map((visitor) => visitor.get(path)));
    const typed = [`first ${round}`, `second ${round}`];
    const pages = await Promise.all(
      visitors.map((visitor, at) =>
        visitor.submit(forms[at] ?? assert.fail(), '/settings/business', {
          'business/tax_id': typed[at] ?? '',
        }),
      ),
    );
    assert.deepEqual(pages.map(({ status }) => status).toSorted(), [303, 422]);
    const late = pages.findIndex(({ status }) => status === 422);
    const page = pages[late];
    assert.ok(page);
    assert.match(page.html, new RegExp(`changed this meanwhile, to ${typed[1 - late]}\\.`));
    assert.equal(formIn(page, '/settings/business').fields['business/tax_id'], typed[late]);
    assert.equal((await newest('/account_settings')).json.data.business.tax_id, typed[1 - late]);
  }
});
