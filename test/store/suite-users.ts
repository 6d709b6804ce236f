/** Users of the dashboard. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { isRefusal } from '../../src/checkout/refusals.ts';
import { executeOn } from '../../src/cli/with-store.ts';
import type { PageRequest } from '../../src/store/page.ts';
import { installation } from '../../src/users/user.ts';
import { ownOrigin } from '../../src/writer/command.ts';
import { acceptedUser, changeUser, inviteUser, join } from '../support/users.ts';
import type { Open } from './build.ts';
import { alsoReopened, onFreshStores } from './each.ts';

export function userSuite(open: Open): void {
  const it = onFreshStores(open);

  suite('users of the dashboard', () => {
    it('are found by id and address, and by their accounts alone', async (given) => {
      const { store } = given;
      const ada = await acceptedUser(store, { account: 1, email: 'ada@example.com' });
      // Nobody has claimed the address of an invitation.
      const bob = await inviteUser(store, { account: 11, role: 'support', email: 'eve@example.com' });
      const only = await acceptedUser(store, { account: 2, role: 'read_only', email: 'eve@example.com' });
      const eve = await join(store, only, 1, 'finance');
      assert.deepEqual([eve.id, eve.roles], [only.id, { 1: 'finance', 2: 'read_only' }]);
      for await (const { dashboardUsers: users } of alsoReopened(given)) {
        assert.deepEqual(await users.fetch(ada.id), ada);
        assert.deepEqual(await users.fetchByEmail('eve@example.com'), eve);
        assert.equal(await users.fetchByEmail('bob@example.com'), null);
        assert.equal(await users.fetch('usr_none'), null);
        const listed = (account: number, page: PageRequest = { limit: 10 }) =>
          users.list(installation, { account }, page);
        assert.deepEqual(await listed(1), { rows: [eve, ada], hasMore: false });
        assert.deepEqual(await listed(2), { rows: [eve], hasMore: false });
        assert.deepEqual(await listed(11), { rows: [bob], hasMore: false });
        assert.deepEqual(await listed(3), { rows: [], hasMore: false });
        assert.deepEqual(await listed(1, { limit: 1 }), { rows: [eve], hasMore: true });
        assert.deepEqual(await listed(1, { limit: 1, after: eve.id }), { rows: [ada], hasMore: false });
        assert.deepEqual(await listed(1, { limit: 1, before: ada.id }), { rows: [eve], hasMore: false });
      }
    });

    it('go with their last role, and each change has its line in the log of the installation', async ({
      store,
    }) => {
      const ada = await inviteUser(store);
      const bob = await acceptedUser(store, { email: 'bob@example.com', role: 'finance' });
      const now = Date.now();
      await changeUser(store, bob.id, { type: 'set_role', account: 1, role: 'support', now });
      await changeUser(store, bob.id, { type: 'remove_role', account: 1, now });
      assert.equal(await store.dashboardUsers.fetch(bob.id), null);
      assert.equal(await store.dashboardUsers.fetchByEmail('bob@example.com'), null);
      // The address is free again.
      await acceptedUser(store, { email: 'bob@example.com' });
      const { rows } = await store.audit.list(installation, {}, { limit: 10 });
      assert.deepEqual(rows.map(({ subject, action }) => [subject === ada.id, action]).toReversed(), [
        [true, 'invite_user'],
        [false, 'invite_user'],
        [false, 'accept_link'],
        [false, 'set_role'],
        [false, 'remove_role'],
        [false, 'invite_user'],
        [false, 'accept_link'],
      ]);
    });

    it('leave an owner, though two take the role from each other at once', async ({ store }) => {
      for (let round = 1; round <= 5; round++) {
        const account = 100 + round;
        const owners = [
          await acceptedUser(store, { account, email: `a${round}@example.com` }),
          await acceptedUser(store, { account, email: `b${round}@example.com` }),
        ];
        const origin = ownOrigin(installation, 'operator');
        // Two writers, as two processes have.
        const results = await Promise.all(
          owners.map(({ id }) =>
            executeOn(store)({
              subject: 'user',
              origin,
              id,
              command: { type: 'set_role', account, role: 'finance', now: Date.now() },
            }),
          ),
        );
        const refused = results.filter(({ result }) => isRefusal(result) && result.reason === 'last_owner');
        assert.equal(refused.length, 1);
        const left = await store.dashboardUsers.list(installation, { account }, { limit: 10 });
        assert.equal(left.rows.filter(({ roles }) => roles[account] === 'owner').length, 1);
      }
    });

    it('have one address each, though two claim the same one at once', async ({ store }) => {
      const claim = (account: number) => acceptedUser(store, { account, email: 'eve@example.com' });
      // One is refused by the rules, or, of two processes, by the database.
      const claims = await Promise.allSettled([1, 2].map(claim));
      assert.deepEqual(claims.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      const user = await store.dashboardUsers.fetchByEmail('eve@example.com');
      assert.equal(Object.keys(user?.roles ?? {}).length, 1);
    });

    it('do not miss a change that another makes at the same time', async ({ store }) => {
      const user = await acceptedUser(store);
      const accounts = Array.from({ length: 20 }, (_, index) => index + 2);
      await Promise.all(accounts.map((account) => join(store, user, account, 'support')));
      const { roles = {} } = (await store.dashboardUsers.fetch(user.id)) ?? {};
      assert.deepEqual(Object.keys(roles).map(Number), [1, ...accounts]);
      // Each invitation is over.
      for (const account of accounts) {
        const { rows } = await store.dashboardUsers.list(installation, { account }, { limit: 10 });
        assert.deepEqual(
          rows.map(({ id }) => id),
          [user.id],
        );
      }
    });

    it('take an invitation once, though two join by it at once', async ({ store }) => {
      const users = [
        await acceptedUser(store, { email: 'a@example.com' }),
        await acceptedUser(store, { email: 'b@example.com' }),
      ];
      const { id: invitation, link } = await inviteUser(store, { account: 2, role: 'support', email: '' });
      const command = { type: 'join', invitation, secretHash: link?.hash ?? '', now: Date.now() } as const;
      const tries = await Promise.allSettled(users.map(({ id }) => changeUser(store, id, command)));
      assert.deepEqual(tries.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      const { rows } = await store.dashboardUsers.list(installation, { account: 2 }, { limit: 10 });
      assert.equal(rows.length, 1);
    });
  });
}
