import { representSettings } from '../../../accounts/representation.ts';
import { readSettings, type SettingsParts } from '../../../accounts/settings-json.ts';
import { isObject } from '../../../lib/json-values.ts';
import { accountOf, changeAccount, liveOption, modeOf } from '../../account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { optional, required } from '../../declare/parameter.ts';
import { accountNumber, choice, file } from '../../declare/values.ts';
import { Failure, UsageError } from '../../failure.ts';
import { mistakesIn, readJson, settingsKeys } from '../../settings-file.ts';

export const command = databaseCommand({
  purpose: 'Replace settings of an account.',
  details: [
    'The file is JSON with one or more of `business`, `policy`, `receiving_accounts`, `csv_mappings`, `compatibility` and `webhook_url_events`. Each part in it replaces the stored one; `null` restores the default. A file with a mistake changes nothing.',
    'It accepts what `opentill accounts settings` prints. The `name` in it must be the account’s: `opentill accounts rename` changes it.',
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
  json: objectOf(settingsKeys, 'account_settings'),
  examples: [
    ['opentill accounts configure 1 --file settings.json', 'Configure test mode'],
    ['opentill accounts configure 1 --live --file -', 'Configure live mode from standard input'],
    ['opentill accounts configure 1 --compatibility v3', 'Accept clients of other v3 services unchanged'],
  ],
  async run({ account: number, file, compatibility, live }, { output, ...database }) {
    const { name } = await accountOf(database.store, number);
    const parts = { ...(file && (await partsIn(file, name))), ...(compatibility && { compatibility }) };
    if (Object.keys(parts).length === 0)
      throw new UsageError('accounts configure takes --file, --compatibility or both');
    const mode = modeOf(live);
    const { after } = await changeAccount(
      database,
      { account: number, mode },
      { type: 'configure_account', parts },
    );
    output.record(representSettings(after, mode), `account ${number} is configured for ${mode} mode`);
  },
});

/** The parts in the file, which may also have the `object` and the `name` of settings that were shown. */
async function partsIn(file: string, accountName: string): Promise<SettingsParts> {
  const given = await readJson(file);
  const { object: _, name = accountName, ...parts } = isObject(given) ? given : {};
  const read = readSettings(isObject(given) ? parts : given);
  const problems = [
    ...('problems' in read ? read.problems : []),
    ...(name === accountName ? [] : [{ pointer: '/name', detail: 'is changed by opentill accounts rename' }]),
  ];
  if ('problems' in read || problems.length > 0) throw mistakesIn(file, problems);
  if (Object.keys(read.settings).length > 0) return read.settings;
  throw new Failure(`${file} has none of the parts that opentill accounts settings shows`);
}
