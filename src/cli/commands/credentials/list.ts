import { representRailCredentials } from '../../../accounts/representation.ts';
import { accountOf, accountOption, liveOption, modeOf } from '../../account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';
import { lineOf, railCredentialsKeys, surroundingsOf } from '../../rail-credentials.ts';

export const command = databaseCommand({
  purpose: 'List the credentials that an account has of its own at rails.',
  details: ['The secrets are never shown. It reads `CREDENTIALS_KEY` and `PUBLIC_URL`, as the server does.'],
  options: { account: accountOption, live: liveOption },
  json: listOf(railCredentialsKeys, 'rail_credentials'),
  examples: [['opentill credentials list --account 2 --live', 'Those of account 2 in live mode']],
  async run({ account, live }, { store, output }) {
    const tenant = { account, mode: modeOf(live) };
    const all = Object.entries((await accountOf(store, account)).railCredentials[tenant.mode]);
    const surroundings = surroundingsOf(process.env);
    for (const [rail, each] of all) {
      const shown = representRailCredentials({ tenant, rail }, each, surroundings);
      output.record(shown, lineOf(shown));
    }
    if (all.length === 0)
      output.remark('the account has no credentials of its own; opentill credentials set sets them');
  },
});
