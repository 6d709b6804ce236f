/** Accounts that are made beside others, with their owners, and secrets that processes share. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { newAccount } from '../../src/accounts/account.ts';
import { isRefusal } from '../../src/checkout/refusals.ts';
import { executeOn } from '../../src/cli/with-store.ts';
import { newId } from '../../src/lib/id.ts';
import type { Store } from '../../src/store/store.ts';
import { newLink } from '../../src/users/links.ts';
import { installation, MAX_USERS } from '../../src/users/user.ts';
import { type MakeAccount, ownOrigin } from '../../src/writer/command.ts';
import { acceptedUser, changeUser, inviteUser } from '../support/users.ts';
import type { Open } from './build.ts';
import { alsoReopened, onFreshStores } from './each.ts';

const ROUNDS = 10;

async function make(store: Store, name: string, owner?: MakeAccount['owner']) {
  const now = Date.now();
  const invited = { invited: newId('usr', now), link: newLink(now).link };
  const origin = ownOrigin(installation, 'operator');
  const account = newAccount(name);
  const { result } = await executeOn(store)({
    ...{ subject: 'new_account', origin, account, owner: owner ?? invited, now },
  });
  return result;
}

async function made(store: Store, name: string, owner?: MakeAccount['owner']) {
  const result = await make(store, name, owner);
  assert.ok(!isRefusal(result) && result.kind === 'change');
  return result.value;
}

export function accountSuite(open: Open): void {
  const it = onFreshStores(open);

  suite('accounts that are made', () => {
    it('are there with all that an account has, and with an owner', async (given) => {
      const { account, owner } = await made(given.store, 'Third');
      assert.equal(account.number, 3);
      for await (const store of alsoReopened(given)) {
        assert.deepEqual(await store.accounts.fetch(3), account);
        assert.deepEqual(
          (await store.accounts.list()).map(({ number }) => number),
          [1, 2, 3],
        );
        assert.deepEqual(await store.dashboardUsers.fetch(owner.id), owner);
        assert.deepEqual(owner.roles, { 3: 'owner' });
        const first = await store.audit.list({ account: 3, mode: 'live' }, {}, { limit: 10 });
        assert.deepEqual(first.rows.map(({ subject, action }) => [subject, action]).toReversed(), [
          ['account', 'create_account'],
          [owner.id, 'invite_user'],
        ]);
        const all = await store.audit.list(installation, {}, { limit: 10 });
        assert.deepEqual(all.rows.map(({ subject, action }) => [subject, action]).toReversed(), [
          [owner.id, 'invite_user'],
          ['3', 'create_account'],
        ]);
      }
    });

    it('have the next numbers, though two processes make them at the same time', async (given) => {
      const { store } = given;
      const stores = [store, await given.another()];
      const names = Array.from({ length: ROUNDS }, (_, index) => `Shop ${index}`);
      const all = await Promise.all(
        names.map((name, index) => made(stores[index % stores.length] ?? store, name)),
      );
      const numbers = all.map(({ account }) => account.number).sort((one, other) => one - other);
      assert.deepEqual(
        numbers,
        names.map((_, index) => index + 3),
      );
      for await (const each of alsoReopened(given)) {
        for (const { account, owner } of all) {
          assert.equal((await each.accounts.fetch(account.number))?.name, account.name);
          assert.equal(owner.roles[account.number], 'owner');
        }
        // By now each process has looked for those that others have made.
        const accounts = await each.accounts.list();
        assert.equal(new Set(accounts.map(({ number }) => number)).size, ROUNDS + 2);
      }
    });

    it('have the next numbers where one process makes many in one commit', async ({ store }) => {
      const execute = executeOn(store);
      const origin = ownOrigin(installation, 'operator');
      const now = Date.now();
      const results = await Promise.all(
        Array.from({ length: ROUNDS }, (_, index) =>
          execute({
            ...{ subject: 'new_account', origin, account: newAccount(`Shop ${index}`), now },
            owner: { invited: newId('usr', now), link: newLink(now).link },
          }),
        ),
      );
      const numbers = results.map(({ result }) => {
        assert.ok(!isRefusal(result) && result.kind === 'change');
        return result.value.account.number;
      });
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 3),
      );
    });

    it('belong to a user who signs in already, where one asks', async ({ store }) => {
      const ada = await acceptedUser(store, { account: 1 });
      const { account, owner } = await made(store, 'Hers', { user: ada.id });
      assert.deepEqual(owner, { ...ada, roles: { 1: 'owner', [account.number]: 'owner' } });
      assert.deepEqual(await store.dashboardUsers.fetch(ada.id), owner);
    });

    it('are not made for a user who is gone, nor without room for an owner', async ({ store }) => {
      const bob = await acceptedUser(store, { account: 1, role: 'support', email: 'bob@example.com' });
      await changeUser(store, bob.id, { type: 'remove_role', account: 1, now: Date.now() });
      const refusal = await make(store, 'Of nobody', { user: bob.id });
      assert.ok(isRefusal(refusal) && refusal.reason === 'not_found');
      assert.equal((await store.accounts.list()).length, 2);
      assert.ok(MAX_USERS > 0);
    });
  });

  suite('changes of members', () => {
    it('stand in the log of their account as well, and sign-ins do not', async ({ store }) => {
      const ada = await acceptedUser(store, { account: 1, role: 'support' });
      const now = Date.now();
      const [signIn] = ada.signIns;
      assert.ok(signIn);
      await changeUser(store, ada.id, { type: 'set_role', account: 1, role: 'finance', now });
      await changeUser(store, ada.id, { type: 'sign_out', signIn: signIn.id, now });
      await changeUser(store, ada.id, { type: 'remove_role', account: 1, now });
      const { rows } = await store.audit.list({ account: 1, mode: 'live' }, {}, { limit: 10 });
      assert.deepEqual(rows.map(({ action }) => action).toReversed(), [
        'invite_user',
        'accept_link',
        'set_role',
        'remove_role',
      ]);
      const other = await store.audit.list({ account: 2, mode: 'live' }, {}, { limit: 10 });
      assert.deepEqual(other.rows, []);
    });
  });

  suite('an account of a provider', () => {
    it('is of one user, though two connect it at once, and finds its user', async (given) => {
      const { store } = given;
      const users = [
        await acceptedUser(store, { email: 'a@example.com' }),
        await acceptedUser(store, { email: 'b@example.com' }),
      ];
      const identity = { issuer: 'https://login.example.com', subject: '1' };
      const tries = await Promise.allSettled(
        users.map(({ id, signIns: [signIn] }) => {
          assert.ok(signIn);
          const command = { type: 'link_identity', identity, signIn: signIn.id, now: Date.now() } as const;
          return changeUser(store, id, command);
        }),
      );
      assert.deepEqual(tries.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      const found = await store.dashboardUsers.fetchByIdentity(identity);
      assert.ok(found);
      for await (const each of alsoReopened(given)) {
        assert.deepEqual(await each.dashboardUsers.fetchByIdentity(identity), found);
        const elsewhere = { ...identity, issuer: 'https://other.example.com' };
        assert.equal(await each.dashboardUsers.fetchByIdentity(elsewhere), null);
      }
    });
  });

  suite('operators', () => {
    it('have a line in the log of the installation that says so, however they become one', async ({
      store,
    }) => {
      const actionsOf = async (subject: string) => {
        const { rows } = await store.audit.list(installation, { subject }, { limit: 20 });
        return rows.map(({ action }) => action).sort();
      };
      const invited = await inviteUser(store, { email: 'ada@example.com', isOperator: true });
      assert.deepEqual(await actionsOf(invited.id), ['invite_user']);
      const accepted = await acceptedUser(store, { email: 'bob@example.com', isOperator: true });
      assert.deepEqual(await actionsOf(accepted.id), ['accept_link', 'invite_user', 'make_operator']);
      const member = await acceptedUser(store, { email: 'cy@example.com', role: 'support' });
      assert.deepEqual(await actionsOf(member.id), ['accept_link', 'invite_user']);
      const secretHash = invited.link?.hash ?? '';
      const join = { type: 'join', invitation: invited.id, secretHash, now: Date.now() } as const;
      const other = await acceptedUser(store, { account: 2, email: 'di@example.com' });
      await changeUser(store, other.id, join);
      assert.deepEqual(await actionsOf(other.id), ['accept_link', 'invite_user', 'join', 'make_operator']);
      // Of an operator who takes one role more there is nothing new to tell.
      const another = await inviteUser(store, { account: 3, email: '', isOperator: true });
      await changeUser(store, other.id, {
        ...{ ...join, invitation: another.id, secretHash: another.link?.hash ?? '' },
      });
      await changeUser(store, other.id, { type: 'set_operator', isOperator: true, now: Date.now() });
      assert.equal((await actionsOf(other.id)).filter((each) => each === 'make_operator').length, 1);
      await changeUser(store, other.id, { type: 'set_operator', isOperator: false, now: Date.now() });
      assert.deepEqual((await actionsOf(other.id)).at(-1), 'unmake_operator');
    });

    it('are found, whatever roles they have', async ({ store }) => {
      const ada = await acceptedUser(store, { account: 1, isOperator: true });
      await inviteUser(store, { account: 1, email: 'bob@example.com' });
      const found = async () => (await store.dashboardUsers.listOperators({ limit: 10 })).rows;
      assert.deepEqual(await found(), [ada]);
      await changeUser(store, ada.id, { type: 'set_operator', isOperator: false, now: Date.now() });
      assert.deepEqual(await found(), []);
    });
  });

  suite('a secret of the installation', () => {
    it('is made once, though several processes want it at the same time', async (given) => {
      const stores = [given.store, await given.another()];
      const wanted = Array.from({ length: ROUNDS }, (_, index) =>
        stores[index % stores.length]?.secrets.keep('one', `candidate ${index}`),
      );
      const kept = new Set(await Promise.all(wanted));
      assert.equal(kept.size, 1);
      const [secret = ''] = kept;
      assert.match(`${secret}`, /^candidate \d$/);
      assert.equal(await given.store.secrets.keep('other', 'its own'), 'its own');
      for await (const store of alsoReopened(given))
        assert.equal(await store.secrets.keep('one', 'too late'), secret);
    });
  });
}
