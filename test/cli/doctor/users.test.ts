/** Users who cannot sign in any more, as `opentill doctor` tells of them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { examineUsers } from '../../../src/cli/doctor/users.ts';
import { newId } from '../../../src/lib/id.ts';
import type { User } from '../../../src/users/user.ts';
import { startService } from '../../support/service.ts';
import { acceptedUser, changeUser, inviteUser } from '../../support/users.ts';

const { service } = await startService({ after });
const { store } = service;
const issuer = 'https://login.example.com/realms/one';

let count = 0;

/** Somebody who has accepted an invitation by their account at the provider, and has no password. */
async function byProvider(): Promise<User> {
  const { id, name, email, link } = await inviteUser(store, { email: `provider${++count}@example.com` });
  const now = Date.now();
  const { user } = await changeUser(store, id, {
    ...{ type: 'accept_link_by_identity', secretHash: link?.hash ?? '', name, email, now, provenAt: now },
    identity: { issuer, subject: id },
    signIn: {
      ...{ id: newId('sgn', now), secretHash: id, formToken: id },
      ...{ address: '192.0.2.7', browser: 'Firefox' },
    },
  });
  return user;
}

const examined = (OIDC_ISSUER: string | undefined) =>
  examineUsers(store, OIDC_ISSUER === undefined ? {} : { OIDC_ISSUER });

test('users whose provider the settings no longer name are told of, unless they have another way', async () => {
  await inviteUser(store, { email: 'invited@example.com' });
  const both = await acceptedUser(store, { email: 'both@example.com' });
  const [signIn] = both.signIns;
  assert.ok(signIn);
  await changeUser(store, both.id, {
    ...{ type: 'link_identity', identity: { issuer, subject: 'both' } },
    ...{ signIn: signIn.id, now: Date.now() },
  });
  const withPasskey = await byProvider();
  await changeUser(store, withPasskey.id, {
    type: 'add_passkey',
    passkey: { id: 'key', publicKey: 'key', counter: 0, name: 'Phone' },
    now: Date.now(),
  });
  assert.deepEqual(await examined(''), []);

  const first = await byProvider();
  assert.deepEqual(await examined(`${issuer}/`), []);
  assert.deepEqual(await examined(undefined), [], 'the mistake of the setting has a finding of its own');
  for (const other of ['', 'https://login.example.com/realms/two']) {
    const [finding, ...others] = await examined(other);
    assert.deepEqual([finding?.status, others], ['advice', []]);
    assert.match(
      finding?.text ?? '',
      new RegExp(`^1 user has neither a password nor a passkey, .*: ${first.id}\\.$`),
    );
    assert.match(finding?.advice ?? '', /opentill users reset/);
  }

  // More than fit on a page of the store, and more than are named.
  for (let at = 0; at < 105; at++) await byProvider();
  const [finding] = await examined('');
  assert.match(finding?.text ?? '', /^106 users have .* and 96 more\.$/);
  assert.equal(finding?.text.match(/usr_\w+/g)?.length, 10);
});
