/** Rules of changing an account. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../src/accounts/account.ts';
import { type AccountCommand, changedAccount, secretFate } from '../../src/accounts/account-changes.ts';
import { representWebhookSecret } from '../../src/accounts/representation.ts';
import { defaultSettings } from '../../src/accounts/settings.ts';
import { serializeSettings } from '../../src/accounts/settings-json.ts';
import { isRefusal, type Refusal } from '../../src/checkout/refusals.ts';
import type { JsonObject } from '../../src/checkout/session.ts';
import type { Mode } from '../../src/checkout/tenant.ts';

const NOW = 1_000_000;
const account: Account = {
  number: 1,
  name: 'Shop',
  webhookSecrets: { test: 'whsec_t', live: 'whsec_l' },
  createdAt: 0,
  previousWebhookSecrets: { test: null, live: null },
  testClockOffsetMs: 0,
  settings: { test: defaultSettings, live: defaultSettings },
  railCredentials: { test: {}, live: {} },
  logos: { test: null, live: null },
};
function change(before: Account, command: AccountCommand, now = NOW): Account {
  const after = changedAccount(before, { mode: 'test', now }, command);
  assert.ok(!isRefusal(after));
  return after;
}
const rotate = (before: Account, secret: string, overlapMs: number, now = NOW) =>
  change(before, { type: 'rotate_webhook_secret', secret, overlapMs }, now);

test('a name is of both modes, and settings are of one, part by part', () => {
  assert.deepEqual(change(account, { type: 'rename_account', name: 'Till' }), { ...account, name: 'Till' });
  const lenient = change(account, { type: 'change_settings', patch: { compatibility: 'v3' } });
  const patch = { webhook_url_events: ['checkout.paid'] };
  const both = change(lenient, { type: 'change_settings', patch });
  assert.deepEqual(both.settings, {
    test: { ...defaultSettings, compatibility: 'v3', webhookUrlEvents: ['checkout.paid'] },
    live: defaultSettings,
  });
});

test('the name is changed with settings by keys of live mode alone, and all mistakes are told', () => {
  const settings = (mode: Mode, name: string, patch: JsonObject = {}) =>
    changedAccount(account, { mode, now: NOW }, { type: 'change_settings', name, patch });
  assert.deepEqual(settings('live', 'Till'), { ...account, name: 'Till' });
  assert.equal(settings('test', 'Shop'), account);
  const pointersOf = (after: Account | Refusal) =>
    isRefusal(after) ? after.problems.map(({ pointer }) => pointer) : [];
  assert.deepEqual(pointersOf(settings('test', 'Till')), ['/name']);
  for (const name of ['', ' ', 'x'.repeat(101), 'Ti\u202ell']) {
    assert.deepEqual(pointersOf(settings('live', name)), ['/name']);
    const renamed = changedAccount(account, { mode: 'live', now: NOW }, { type: 'rename_account', name });
    assert.deepEqual(pointersOf(renamed), ['/name']);
  }
  assert.deepEqual(pointersOf(settings('test', 'Till', { policy: { late: 'x' } })), [
    '/name',
    '/policy/late',
  ]);
});

test('a logo is of one mode, and its name is what the account knows of it', () => {
  const logo = { name: '0123456789abcdef-32x32.png', content: 'AA==' };
  const set = change(account, { type: 'set_logo', logo });
  assert.deepEqual(set, { ...account, logos: { test: logo.name, live: null } });
  assert.equal(change(set, { type: 'set_logo', logo }), set);
  assert.deepEqual(change(set, { type: 'remove_logo' }), account);
  const none = changedAccount(account, { mode: 'test', now: NOW }, { type: 'remove_logo' });
  assert.ok(isRefusal(none) && none.reason === 'not_found');
  const live = changedAccount(set, { mode: 'live', now: NOW }, { type: 'remove_logo' });
  assert.ok(isRefusal(live));
});

test('what is there already is no change', () => {
  assert.equal(change(account, { type: 'rename_account', name: 'Shop' }), account);
  const { policy } = serializeSettings(defaultSettings);
  assert.equal(change(account, { type: 'change_settings', patch: { policy } }), account);
});

test('a secret signs beside the one that takes its place, for as long as is asked, and none before it', () => {
  const when = { mode: 'test', now: NOW } as const;
  const first = rotate(account, 'whsec_1', 60_000);
  assert.deepEqual(first.webhookSecrets, { test: 'whsec_1', live: 'whsec_l' });
  assert.deepEqual(first.previousWebhookSecrets, {
    test: { secret: 'whsec_t', until: NOW + 60_000 },
    live: null,
  });
  assert.deepEqual(secretFate(account, first, when), {
    secret: 'whsec_1',
    previousUntil: NOW + 60_000,
    droppedUntil: null,
  });
  const shownAt = (now: number) => representWebhookSecret(first, { mode: 'test', now });
  assert.deepEqual(shownAt(NOW), {
    object: 'webhook_secret',
    previous_secret_expires_at: new Date(NOW + 60_000).toISOString(),
  });
  assert.equal(shownAt(NOW + 60_000).previous_secret_expires_at, null);
  const second = rotate(first, 'whsec_2', 0);
  assert.equal(second.previousWebhookSecrets.test, null);
  assert.deepEqual(secretFate(first, second, when), {
    secret: 'whsec_2',
    previousUntil: null,
    droppedUntil: NOW + 60_000,
  });
  // Its time was over anyway.
  assert.equal(secretFate(first, second, { ...when, now: NOW + 60_000 }).droppedUntil, null);
});
