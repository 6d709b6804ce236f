/** Rules of changing account settings by a merge patch. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccountSettings, defaultSettings } from '../../src/accounts/settings.ts';
import { changedSettings } from '../../src/accounts/settings-changes.ts';
import { isRefusal } from '../../src/checkout/refusals.ts';
import type { JsonObject } from '../../src/checkout/session.ts';
import { mappings } from '../statements/expected-other.ts';

const settings: AccountSettings = {
  ...defaultSettings,
  policy: {
    ...defaultSettings.policy,
    excess: 'refund',
    late: 'hold',
    graceMinutes: { bank: 60, stripe: 5 },
  },
  business: { addressLines: ['Street 1', '10115 Berlin'], taxId: 'DE1', email: 'a@example.com' },
  csvMappings: { swiss: mappings['swiss.csv'], other: mappings['swiss.csv'] },
  webhookUrlEvents: ['checkout.paid'],
};

function changed(patch: JsonObject) {
  const parts = changedSettings(settings, patch);
  assert.ok(!isRefusal(parts), JSON.stringify(parts));
  return parts;
}

test('only what is named changes, within a part as well', () => {
  assert.deepEqual(changed({}), {});
  assert.deepEqual(changed({ policy: { late: 'accept', grace_minutes: { bank: 90 } } }), {
    policy: { ...settings.policy, late: 'accept', graceMinutes: { bank: 90, stripe: 5 } },
  });
  assert.deepEqual(changed({ business: { address_lines: ['Road 2'], email: '' } }), {
    business: { addressLines: ['Road 2'], taxId: 'DE1', email: '' },
  });
});

test('null restores the default of a field or of a part', () => {
  assert.deepEqual(changed({ policy: { late: null, grace_minutes: { stripe: null } } }), {
    policy: { ...settings.policy, late: 'accept', graceMinutes: { bank: 60 } },
  });
  const { policy, business, csvMappings, compatibility, webhookUrlEvents } = defaultSettings;
  const all = { policy: null, business: null, csv_mappings: null, compatibility: null };
  assert.deepEqual(changed({ ...all, webhook_url_events: null }), {
    ...{ policy, business, csvMappings, compatibility },
    webhookUrlEvents,
  });
});

test('null removes a mapping, and the others stay', () => {
  assert.deepEqual(changed({ csv_mappings: { swiss: null } }), {
    csvMappings: { other: settings.csvMappings.other },
  });
});

test('all mistakes are told at once, with their places', () => {
  const refusal = changedSettings(settings, {
    policy: { late: 'never', underpayment_tolerance_at_most: 5 },
    business: { email: 'nobody' },
    csv_mappings: { swiss: { decimal: ';' } },
    webhook_url_events: ['checkout.gone'],
  });
  assert.ok(isRefusal(refusal));
  assert.deepEqual(refusal.problems.map(({ pointer }) => pointer).sort(), [
    '/business/email',
    '/csv_mappings/swiss/decimal',
    '/policy/late',
    '/policy/underpayment_tolerance_basis_points',
    '/webhook_url_events/0',
  ]);
});
