/** Settings in the database: changed by the same rules as over the API, and shown as the API shows them. */
import { tenantNow } from '../../accounts/account.ts';
import { changedAccount, secretFate } from '../../accounts/account-changes.ts';
import { representLogo, representSecretFate, representSettings } from '../../accounts/representation.ts';
import type { SettingsCommand } from '../../accounts/settings-changes.ts';
import { isRefusal, type Problem } from '../../checkout/refusals.ts';
import type { JsonObject } from '../../checkout/session.ts';
import { isObject } from '../../lib/json-values.ts';
import { newWebhookSecret } from '../../webhooks/secrets.ts';
import { accountOf, changeAccount } from '../account.ts';
import { Failure } from '../failure.ts';
import { mistakesIn } from '../json-file.ts';
import { tenantAt } from '../place.ts';
import type { Database } from '../with-store.ts';
import type { Settings } from './account-settings.ts';

export function settingsInDatabase(database: Database): Settings {
  const { store } = database;

  return {
    async fetch(place) {
      const { account, mode } = await tenantAt(store, place);
      return representSettings(await accountOf(store, account), mode);
    },

    async change(place, { file, read }) {
      const tenant = await tenantAt(store, place);
      const { mode } = tenant;
      const { problems, command } = commandFrom(await read());
      if (problems.length > 0) {
        const account = await accountOf(store, tenant.account);
        const refusal = changedAccount(account, { mode, now: tenantNow(account, mode, Date.now()) }, command);
        throw mistakesIn(file, [...problems, ...(isRefusal(refusal) ? refusal.problems : [])]);
      }
      const { after } = await changeAccount(database, tenant, command, (refusal) =>
        mistakesIn(file, refusal.problems),
      );
      return representSettings(after, mode);
    },

    async rename(account = 1, name) {
      const tenant = { account, mode: 'live' } as const;
      const { after } = await changeAccount(database, tenant, { type: 'rename_account', name });
      return representSettings(after, tenant.mode);
    },

    async rotateSecret(place, overlapSeconds) {
      const tenant = await tenantAt(store, place);
      const { before, after, now } = await changeAccount(database, tenant, {
        type: 'rotate_webhook_secret',
        secret: newWebhookSecret(),
        overlapMs: overlapSeconds * 1000,
      });
      return representSecretFate(secretFate(before, after, { mode: tenant.mode, now }));
    },

    async setLogo(place, logo) {
      await changeAccount(database, await tenantAt(store, place), { type: 'set_logo', logo });
      return representLogo(logo);
    },

    async removeLogo(place) {
      const tenant = await tenantAt(store, place);
      const without = `account ${tenant.account} has no logo in ${tenant.mode} mode`;
      await changeAccount(database, tenant, { type: 'remove_logo' }, () => new Failure(without));
    },
  };
}

/** The change, and the mistakes that its rules do not know: over the API its schema finds them. */
function commandFrom(content: unknown): { problems: readonly Problem[]; command: SettingsCommand } {
  const { object: _, name, receiving_accounts, ...patch } = (isObject(content) ? content : {}) as JsonObject;
  const problems = [
    ...(isObject(content) ? [] : [{ pointer: '', detail: 'must be an object' }]),
    ...(name === undefined || typeof name === 'string'
      ? []
      : [{ pointer: '/name', detail: 'must be a string' }]),
    ...(receiving_accounts === undefined
      ? []
      : [{ pointer: '/receiving_accounts', detail: 'are set by opentill bank account set' }]),
  ];
  const named = typeof name === 'string' ? { name } : {};
  return { problems, command: { type: 'change_settings', patch, ...named } };
}
