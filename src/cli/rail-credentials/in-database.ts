/** Credentials in the database: set by the same rules as over the API, under the keys of the settings of the server. */
import {
  credentialsAt,
  missingSecrets,
  type RailCredentialsCommand,
} from '../../accounts/rail-credentials-changes.ts';
import { representRailCredentials } from '../../accounts/representation.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { readSetting } from '../../config/read.ts';
import { isObject } from '../../lib/json-values.ts';
import { type CredentialsForm, createVault, readSecrets, type Vault } from '../../methods/credentials.ts';
import { STRIPE, stripeCredentials } from '../../methods/stripe/credentials.ts';
import { accountOf, changeAccount } from '../account.ts';
import { Failure } from '../failure.ts';
import { mistakesIn, readJson } from '../json-file.ts';
import { tenantAt } from '../place.ts';
import { printable } from '../printable.ts';
import type { Database } from '../with-store.ts';
import type { Rail, RailCredentials } from './rail-credentials.ts';

const forms: Readonly<Record<Rail, CredentialsForm>> = { [STRIPE]: stripeCredentials };

export function credentialsInDatabase(database: Database, env: NodeJS.ProcessEnv): RailCredentials {
  const { store } = database;
  const surroundings = () => ({ vault: vaultOf(env), publicUrl: readSetting('PUBLIC_URL', env) });

  const allOf = async ({ account, mode }: Tenant) => (await accountOf(store, account)).railCredentials[mode];

  return {
    async list(place) {
      const tenant = await tenantAt(store, place);
      const around = surroundings();
      return Object.entries(await allOf(tenant)).map(([rail, each]) =>
        representRailCredentials({ tenant, rail }, each, around),
      );
    },

    async set(place, rail, file) {
      const tenant = await tenantAt(store, place);
      const around = surroundings();
      const { vault } = around;
      if (!vault.canSeal)
        throw new Failure(
          'CREDENTIALS_KEY is not set; openssl rand -base64 32 makes one, which the server needs too',
        );
      const form = forms[rail];
      const content = await readJson(file, { hasSecrets: true });
      const { secrets, problems } = readSecrets(form, tenant.mode, content);
      const missing = missingSecrets(await allOf(tenant), rail, form, Object.keys(secrets));
      const all = [...unknownIn(content, form), ...problems, ...missing];
      if (all.length > 0) throw mistakesIn(file, all);
      const command: RailCredentialsCommand = {
        ...{ type: 'set_rail_credentials', rail, form, secrets: vault.seal(secrets, { tenant, rail }) },
        ...{ at: Date.now(), by: 'operator' },
      };
      const { after } = await changeAccount(database, tenant, command);
      const set = credentialsAt(after.railCredentials[tenant.mode], rail);
      if (set === null) throw new Error(`${rail} is not among the credentials`);
      return representRailCredentials({ tenant, rail }, set, around);
    },

    async remove(place, rail) {
      const tenant = await tenantAt(store, place);
      const unknown = `account ${tenant.account} has no credentials for ${printable(rail)}; opentill credentials list shows them`;
      const command = { type: 'remove_rail_credentials', rail } as const;
      await changeAccount(database, tenant, command, () => new Failure(unknown));
    },
  };
}

/** The vault of the settings, which are those of the server. */
export function vaultOf(env: NodeJS.ProcessEnv): Vault {
  return createVault(readSetting('CREDENTIALS_KEY', env), readSetting('CREDENTIALS_KEY_PREVIOUS', env));
}

/** Fields that the rail does not have: a misspelt one must not pass. */
function unknownIn(given: unknown, { fields }: CredentialsForm) {
  return Object.keys(isObject(given) ? given : {})
    .filter((field) => !fields.includes(field))
    .map((field) => ({ pointer: `/${field}`, detail: 'is unknown' }));
}
