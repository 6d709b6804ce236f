/** An installation with as many users as there may be: an expired invitation gives its place, and nobody else's does. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { installation, MAX_USERS } from '../../src/users/user.ts';
import { numbersOf } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { assertRefused, type Data, succeeded, writesNothing } from './shop.ts';

const HOUR = 3_600_000;
let aheadMs = 0;
const service = await startService({ after }, { realNow: () => Date.now() + aheadMs, pollMs: 60_000 });
const { database } = service;
const { store } = service.service;
const manager = await service.createKey({ mode: 'live', permissions: ['manage'] });
const operator = await service.createKey({ mode: 'live', permissions: ['accounts'] });

const callAs = (key: typeof manager, method: string, path: string, body?: object) =>
  service.call(method, `/v3${path}`, {
    headers: { authorization: key.authorization },
    ...(body === undefined ? {} : { body }),
  });
const invite = () => callAs(manager, 'POST', '/member', { role: 'support' });

const count = async (): Promise<number> => {
  const [row] = await database.query('SELECT count(*) AS users FROM dashboard_user');
  return Number(row?.users);
};

/** Users of another account, as far as there is room: copies of one row that nobody reads. */
async function fill(id: string): Promise<void> {
  const columns = (await database.query('SELECT * FROM dashboard_user WHERE id = ?', id)).flatMap(
    Object.keys,
  );
  const own: Readonly<Record<string, string>> = {
    id: "'usr_filler' || number",
    email: "'filler' || number || '@example.com'",
    accounts: "' 9:owner '",
  };
  await database.query(
    `INSERT INTO dashboard_user (${columns.join(', ')})
     SELECT ${columns.map((name) => own[name] ?? name).join(', ')}
     FROM dashboard_user, ${numbersOf(database, 1, MAX_USERS - (await count()))} WHERE id = ?`,
    id,
  );
  assert.equal(await count(), MAX_USERS);
}

/** Whoever needed the place is of another account, perhaps, and so is the id that they gave their request. */
async function endedInTime(id: string, actor: string): Promise<void> {
  const linesOf = async (tenant: Tenant) =>
    (await store.audit.list(tenant, { subject: id }, { limit: 1 })).rows.map((line) => [
      line.action,
      line.actor,
      line.requestId !== '',
    ]);
  const account = { account: service.account.number, mode: 'live' } as const;
  assert.deepEqual(await linesOf(account), [['invitation_expired', 'time', false]]);
  assert.deepEqual(await linesOf(installation), [['invitation_expired', actor, true]]);
}

test('an expired invitation gives its place to a new user, and one that is open does not', async () => {
  const first: Data = succeeded(await invite(), 201);
  aheadMs = HOUR;
  const second: Data = succeeded(await invite(), 201);
  await fill(first.id);
  const refusal = { status: 409, message: 'MEMBER.INVITE.TOO_MANY_USERS' } as const;
  const full = await writesNothing(service, invite);
  assertRefused(full, { ...refusal, errors: [[full.json.errors[0].code]] });

  // The first has expired, the second not yet.
  aheadMs = 72 * HOUR + 1_000;
  const third: Data = succeeded(await invite(), 201);
  assert.equal(await count(), MAX_USERS);
  const fetched = (id: string) => callAs(manager, 'GET', `/member/${id}`).then(({ status }) => status);
  assert.deepEqual(await Promise.all([first, second, third].map(({ id }) => fetched(id))), [404, 200, 200]);
  await endedInTime(first.id, manager.id);

  // So does one of whoever makes an account, and two at once take two places or are refused.
  aheadMs = 74 * HOUR;
  const answers = await Promise.all(
    ['One', 'Two'].map((name) => callAs(operator, 'POST', '/account', { name })),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409]);
  assert.equal(await count(), MAX_USERS);
  assert.equal(await fetched(second.id), 404);
  await endedInTime(second.id, operator.id);
  assert.equal(await fetched(third.id), 200);
});
