/** Saved views of a user. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isRefusal } from '../../src/checkout/refusals.ts';
import type { User, View } from '../../src/users/user.ts';
import { MAX_VIEWS, viewsOn, withoutView, withView } from '../../src/users/views.ts';

const view: View = { account: 1, name: 'Open', query: 'status=active' };
const userWith = (views: readonly View[]): User => ({
  id: 'usr_1' as User['id'],
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
  views,
});
const save = (user: User, given: View) => withView(user, { type: 'save_view', view: given, now: 0 });

function saved(user: User, given: View): User {
  const decision = save(user, given);
  assert.ok(!isRefusal(decision), 'refused');
  return decision.user;
}

function refusal(user: User, given: View): string {
  const decision = save(user, given);
  assert.ok(isRefusal(decision), 'not refused');
  return decision.problems.map(({ pointer, detail }) => `${pointer} ${detail}`).join();
}

suite('a view', () => {
  test('takes the place of one with the same name on the same account, and of no other', () => {
    const other = { ...view, account: 2 };
    let user = saved(saved(userWith([]), view), other);
    user = saved(user, { ...view, query: 'status=expired' });
    assert.deepEqual(viewsOn(user, 1), [{ ...view, query: 'status=expired' }]);
    assert.deepEqual(viewsOn(user, 2), [other]);
    const { user: left } = withoutView(user, { type: 'remove_view', view, now: 0 });
    assert.deepEqual(left.views, [other]);
  });

  test('has a name that can be read, and filters', () => {
    for (const name of ['', 'n'.repeat(51), 'a\u0000b', 'a\nb'])
      assert.match(refusal(userWith([]), { ...view, name }), /^\/view must have 1 to 50 characters/);
    for (const query of ['', 'q'.repeat(2_001)])
      assert.match(refusal(userWith([]), { ...view, query }), /^\/query needs filters/);
    assert.equal(saved(userWith([]), { ...view, name: 'n'.repeat(50) }).views.length, 1);
  });

  test('that is as it was, or is not there, is no change', () => {
    const user = userWith([view]);
    assert.deepEqual(save(user, view), { kind: 'unchanged', user });
    const missing = { ...view, name: 'Other' };
    assert.deepEqual(withoutView(user, { type: 'remove_view', view: missing, now: 0 }), {
      kind: 'unchanged',
      user,
    });
    const full = userWith(Array.from({ length: MAX_VIEWS }, (_, at) => ({ ...view, name: `${at}` })));
    assert.deepEqual(save(full, { ...view, name: '3' }), { kind: 'unchanged', user: full });
  });

  test('is one of few', () => {
    const views = Array.from({ length: MAX_VIEWS }, (_, number) => ({ ...view, name: `View ${number}` }));
    assert.equal(
      refusal(userWith(views), view),
      `/views are ${MAX_VIEWS} on the account already: remove one first`,
    );
    assert.equal(saved(userWith(views), { ...view, account: 2 }).views.length, MAX_VIEWS + 1);
    assert.equal(saved(userWith(views), { ...view, name: 'View 0', query: 'x=1' }).views.length, MAX_VIEWS);
  });

  test('is so long that all of a user, on whatever accounts, can be read at once', () => {
    const long = { ...view, query: 'q'.repeat(2_000) };
    const views = Array.from({ length: 49 }, (_, number) => ({ ...long, account: number + 2 }));
    const full = userWith([...views, { ...long, account: 51 }]);
    assert.match(refusal(full, { ...view, query: 'q' }), /^\/views have more than 100000 characters/);
    assert.equal(saved(full, { ...long, account: 51, query: 'q' }).views.length, 50);
    assert.equal(saved(userWith(views), long).views.length, 50);
  });
});
