import { credentialsAt, missingSecrets } from '../../../accounts/rail-credentials-changes.ts';
import { representRailCredentials } from '../../../accounts/representation.ts';
import { isObject } from '../../../lib/json-values.ts';
import { type CredentialsForm, readSecrets } from '../../../methods/credentials.ts';
import { STRIPE, stripeCredentials } from '../../../methods/stripe/credentials.ts';
import { accountOf, accountOption, changeAccount, liveOption, modeOf } from '../../account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required, withDefault } from '../../declare/parameter.ts';
import { choice, file } from '../../declare/values.ts';
import { Failure } from '../../failure.ts';
import { lineOf, railCredentialsKeys, surroundingsOf } from '../../rail-credentials.ts';
import { mistakesIn, readJson } from '../../settings-file.ts';

const forms: Readonly<Record<typeof STRIPE, CredentialsForm>> = { [STRIPE]: stripeCredentials };

export const command = databaseCommand({
  purpose: 'Set the credentials that an account has of its own at a rail.',
  details: [
    'The file is JSON with `secret_key` and `webhook_secret`. Secrets are not taken as arguments, which others on the machine may see. For credentials that exist, only the given secrets change.',
    'They are encrypted under `CREDENTIALS_KEY`: run it with the settings of the server.',
  ],
  arguments: { rail: required(choice('rail', STRIPE), 'Name of the rail.') },
  options: {
    file: withDefault(file('credentials.json'), '-', 'The file to read; `-` is standard input.'),
    account: accountOption,
    live: liveOption,
  },
  json: objectOf(railCredentialsKeys, 'rail_credentials'),
  examples: [
    ['opentill credentials set stripe --account 2', 'Cards of account 2 in test mode, from standard input'],
    ['opentill credentials set stripe --account 2 --live --file stripe.json', 'Cards in live mode'],
  ],
  async run({ rail, file, account: number, live }, { output, ...database }) {
    const tenant = { account: number, mode: modeOf(live) };
    const account = await accountOf(database.store, number);
    const surroundings = surroundingsOf(process.env);
    const { vault } = surroundings;
    if (!vault.canSeal)
      throw new Failure(
        'CREDENTIALS_KEY is not set; openssl rand -base64 32 makes one, which the server needs too',
      );
    const form = forms[rail];
    const given = await readJson(file, { hasSecrets: true });
    const { secrets, problems } = readSecrets(form, tenant.mode, given);
    const names = Object.keys(secrets);
    const missing = missingSecrets(account.railCredentials[tenant.mode], rail, form, names);
    const all = [...unknownIn(given, form), ...problems, ...missing];
    if (all.length > 0) throw mistakesIn(file, all);
    const { after } = await changeAccount(database, tenant, {
      ...{ type: 'set_rail_credentials', rail, form, secrets: vault.seal(secrets, { tenant, rail }) },
      ...{ at: Date.now(), by: 'operator' },
    });
    const set = credentialsAt(after.railCredentials[tenant.mode], rail);
    if (set === null) throw new Error(`${rail} is not among the credentials`);
    const shown = representRailCredentials({ tenant, rail }, set, surroundings);
    output.record(shown, lineOf(shown));
  },
});

/** Fields that the rail does not have: a misspelt one must not pass. */
function unknownIn(given: unknown, { fields }: CredentialsForm) {
  return Object.keys(isObject(given) ? given : {})
    .filter((field) => !fields.includes(field))
    .map((field) => ({ pointer: `/${field}`, detail: 'is unknown' }));
}
