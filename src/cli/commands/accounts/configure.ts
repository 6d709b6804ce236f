import type { SettingsParts } from '../../../accounts/settings-json.ts';
import { readSettings } from '../../../accounts/settings-json.ts';
import { accountOf, changeAccount, liveOption, modeOf } from '../../account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { optional, required } from '../../declare/parameter.ts';
import { accountNumber, choice, file } from '../../declare/values.ts';
import { Failure, UsageError } from '../../failure.ts';
import { mistakesIn, readJson } from '../../settings-file.ts';

export const command = databaseCommand({
  purpose: 'Replace settings of an account.',
  details: [
    'The file is JSON with one or more of `business`, `policy`, `receiving_accounts`, `csv_mappings`, `compatibility` and `webhook_url_events`. Each part in it replaces the stored one; `null` restores the default. A file with a mistake changes nothing.',
  ],
  arguments: { account: required(accountNumber, 'Number of the account.') },
  options: {
    file: optional(file('settings.json'), 'The file to read; `-` is standard input.'),
    compatibility: optional(
      choice('how', 'strict', 'v3'),
      'Compatibility mode: `v3` is for clients of other v3 services.',
    ),
    live: liveOption,
  },
  examples: [
    ['opentill accounts configure 1 --file settings.json', 'Configure test mode'],
    ['opentill accounts configure 1 --live --file -', 'Configure live mode from standard input'],
    ['opentill accounts configure 1 --compatibility v3', 'Accept clients of other v3 services unchanged'],
  ],
  async run({ account: number, file, compatibility, live }, { output, ...database }) {
    await accountOf(database.store, number);
    const parts = { ...(file && (await partsIn(file))), ...(compatibility && { compatibility }) };
    if (Object.keys(parts).length === 0)
      throw new UsageError('accounts configure takes --file, --compatibility or both');
    const mode = modeOf(live);
    await changeAccount(database, { account: number, mode }, { type: 'configure_account', parts });
    output.line(`account ${number} is configured for ${mode} mode`);
  },
});

async function partsIn(file: string): Promise<SettingsParts> {
  const read = readSettings(await readJson(file));
  if ('problems' in read) throw mistakesIn(file, read.problems);
  if (Object.keys(read.settings).length > 0) return read.settings;
  throw new Failure(`${file} has none of the parts that opentill accounts settings shows`);
}
