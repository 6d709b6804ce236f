/** Operators of the installation: who is one, and what accounts may not do about them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { accountPermissions } from '../../src/accounts/api-key.ts';
import { isRefusal } from '../../src/checkout/refusals.ts';
import { accountsText } from '../../src/store/resources/users.ts';
import { operatorRights, rightsOf, roleNames } from '../../src/users/roles.ts';
import type { User } from '../../src/users/user.ts';
import { ada, bob, decide, decided, invitedUser, link, signedIn } from './build.ts';

const operator: User = { ...signedIn('support'), isOperator: true };

suite('an operator', () => {
  test('is made, and is one no longer', () => {
    const made = decided('change', signedIn(), { type: 'set_operator', isOperator: true });
    assert.deepEqual(made, { ...signedIn(), isOperator: true });
    assert.deepEqual(decided('change', made, { type: 'set_operator', isOperator: false }), signedIn());
    decided('unchanged', made, { type: 'set_operator', isOperator: true });
    decided('unchanged', signedIn(), { type: 'set_operator', isOperator: false });
    const nobody = decide(null, { type: 'set_operator', isOperator: true });
    assert.ok(isRefusal(nobody) && nobody.reason === 'not_found');
  });

  test('is invited as one, and becomes one by joining', () => {
    const given = { id: bob, name: '', email: '', account: 2, role: 'read_only', link } as const;
    const invitation = decided('change', null, { type: 'invite_user', ...given, isOperator: true });
    assert.equal(invitation.isOperator, true);
    const join = { type: 'join', invitation: bob, secretHash: link.hash } as const;
    assert.equal(decided('change', signedIn(), join, { invitation }).isOperator, true);
    const other = decided('change', null, { type: 'invite_user', ...given });
    assert.equal(decided('change', signedIn(), join, { invitation: other }).isOperator, undefined);
    assert.equal(decided('change', operator, join, { invitation: other }).isOperator, true);
  });

  test('stays a user without a role, and goes when they are neither', () => {
    const without = decided('change', operator, { type: 'remove_role', account: 1 });
    assert.deepEqual([without.roles, without.isOperator], [{}, true]);
    decided('gone', without, { type: 'set_operator', isOperator: false });
  });

  test('is led to by no link that an account has asked for before', () => {
    for (const user of [invitedUser(), { ...signedIn(), link }]) {
      const made = decided('change', user, { type: 'set_operator', isOperator: true });
      assert.equal(made.link, null);
      assert.deepEqual(decided('change', made, { type: 'reset_user', account: null, link }).link, link);
    }
  });

  test('gets no link from an account, which would lead to the whole installation', () => {
    for (const user of [operator, { ...invitedUser(), isOperator: true } as const]) {
      const refusal = decide(user, { type: 'reset_user', account: 1, link });
      assert.ok(isRefusal(refusal) && refusal.reason === 'member_elsewhere');
    }
    decided('change', operator, { type: 'reset_user', account: null, link });
  });

  test('owns an account that they have made beside their other roles', () => {
    const owner = decided('change', operator, { type: 'own_account', account: 7 });
    assert.deepEqual(owner, { ...operator, roles: { 1: 'support', 7: 'owner' } });
  });

  test('is found by a mark among the roles that is no role on an account', () => {
    assert.equal(accountsText(operator), ' 1:support 0:operator ');
    assert.equal(accountsText(signedIn()), ' 1:owner ');
    assert.equal(operator.id, ada);
  });
});

test('no role on an account has the rights of operators, and they have none of a role', () => {
  for (const role of roleNames) assert.ok(!rightsOf(role).permissions.includes('accounts'), role);
  assert.deepEqual(operatorRights.permissions, ['accounts']);
  assert.ok(!(accountPermissions as readonly string[]).includes('accounts'));
});
