/** Columns of the list of sessions that a user has chosen. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isRefusal } from '../../src/checkout/refusals.ts';
import { columnsOn, MAX_CHOICES, MAX_COLUMNS, withColumns } from '../../src/users/columns.ts';
import type { User } from '../../src/users/user.ts';

const someUser = (): User => ({
  id: 'usr_1',
  createdAt: 0,
  name: 'Ada',
  email: 'ada@example.com',
  roles: { 1: 'owner', 2: 'support' },
  password: null,
  totp: null,
  recoveryCodes: [],
  passkeys: [],
  link: null,
  failures: { count: 0, lastAt: 0 },
  signIns: [],
  views: [],
});
const choose = (user: User, account: number, columns: readonly string[] | null) =>
  withColumns(user, { type: 'choose_columns', account, columns, now: 0 });

function chosen(user: User, account: number, columns: readonly string[] | null): User {
  const decision = choose(user, account, columns);
  assert.ok(!isRefusal(decision), 'refused');
  return decision.user;
}

suite('columns', () => {
  test('are chosen for each account by itself, and the usual ones are no choice', () => {
    let user = chosen(chosen(someUser(), 1, ['amount']), 2, []);
    assert.deepEqual(
      [columnsOn(user, 1), columnsOn(user, 2), columnsOn(user, 3)],
      [['amount'], [], undefined],
    );
    user = chosen(user, 1, ['amount', 'status']);
    assert.deepEqual(columnsOn(user, 1), ['amount', 'status']);
    user = chosen(user, 1, null);
    assert.deepEqual([columnsOn(user, 1), columnsOn(user, 2)], [undefined, []]);
    assert.equal(user.columns?.length, 1);
  });

  test('that are those before are no change', () => {
    const user = chosen(someUser(), 1, ['amount']);
    assert.equal((choose(user, 1, ['amount']) as { kind: string }).kind, 'unchanged');
    assert.equal((choose(someUser(), 1, null) as { kind: string }).kind, 'unchanged');
    // None at all is a choice.
    assert.equal((choose(someUser(), 1, []) as { kind: string }).kind, 'change');
  });

  test('are few names, each once', () => {
    const many = Array.from({ length: MAX_COLUMNS + 1 }, (_, at) => `c${'x'.repeat(at)}`.slice(0, 30));
    for (const columns of [many, ['amount', 'amount'], ['Amount'], ['a,b'], [''], ['x'.repeat(31)]])
      assert.ok(isRefusal(choose(someUser(), 1, columns)), columns.join());
  });

  test('are kept for so many accounts, the oldest choice goes first', () => {
    let user = someUser();
    for (let account = 1; account <= MAX_CHOICES; account++) user = chosen(user, account, ['amount']);
    user = chosen(user, 1, ['status']);
    user = chosen(user, MAX_CHOICES + 1, ['id']);
    assert.equal(user.columns?.length, MAX_CHOICES);
    assert.deepEqual([columnsOn(user, 1), columnsOn(user, 2)], [['status'], undefined]);
  });
});
