/** Rules of accounts and of what they have beside sessions: settings, logos, API keys; and of users of the dashboard. */
import { allPermissions } from '../../accounts/api-key.ts';
import { isWhole } from '../../accounts/logo.ts';
import { type AccountSettings, settingsFrom } from '../../accounts/settings.ts';
import { credentialsFrom, isSealed } from '../../methods/credentials.ts';
import { isRole } from '../../users/roles.ts';
import { accountsOf, type User } from '../../users/user.ts';
import { accountsText, emailColumn, identityColumn } from '../resources/users.ts';
import type { Row } from '../tables.ts';
import { expect, isObject, judgeOf } from './check.ts';

export const accountJudge = () =>
  judgeOf(
    'what every account has configured can be read',
    ({ settingsTest, settingsLive, railCredentialsTest, railCredentialsLive }: Row<'account'>) => {
      for (const stored of [settingsTest, settingsLive]) expect(isConfigured(settingsFrom(stored)));
      for (const stored of [railCredentialsTest, railCredentialsLive])
        expect(Object.values(credentialsFrom(stored)).every(isSealed));
    },
    {},
    ({ number }) => `account ${number}`,
  );

export const logoJudge = () =>
  judgeOf(
    'every logo is the image that its name tells of',
    (logo: Row<'logo'>) => expect(isWhole(logo)),
    {},
    ({ name }) => name,
  );

export const apiKeyJudge = () =>
  judgeOf(
    'every API key can be used',
    ({ secretHash, permissions }: Row<'api_key'>) => {
      const known: readonly string[] = allPermissions;
      expect(
        /^[0-9a-f]{64}$/.test(secretHash) && permissions.split(' ').every((each) => known.includes(each)),
      );
    },
    {},
    ({ id }) => id,
  );

function isConfigured({ business, policy, receivingAccounts, csvMappings }: AccountSettings): boolean {
  const ids = receivingAccounts.map(({ id }) => id);
  return (
    [business, policy, csvMappings].every(isObject) &&
    Number.isInteger(policy.underpaymentToleranceAtMost) &&
    ids.every((id) => typeof id === 'string') &&
    new Set(ids).size === ids.length
  );
}

export const userJudge = () =>
  judgeOf(
    'the columns of a user say what the record says',
    ({ id, email, identity, accounts, data }: Row<'dashboard_user'>) => {
      const user: User = JSON.parse(data);
      expect(user.id === id && emailColumn(user) === email && identityColumn(user) === identity);
      expect(accountsText(user) === accounts);
      expect(
        (accountsOf(user).length > 0 || user.isOperator === true) && Object.values(user.roles).every(isRole),
      );
    },
    {},
    ({ id }) => id,
  );
