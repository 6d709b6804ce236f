import { readSettings } from '../../../accounts/settings-json.ts';
import { accountOf, liveOption, modeOf } from '../../account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { required } from '../../declare/parameter.ts';
import { accountNumber, file } from '../../declare/values.ts';
import { Failure } from '../../failure.ts';
import { mistakesIn, readJson } from '../../settings-file.ts';

export const command = databaseCommand({
  purpose: 'Replace settings of an account with those in a file.',
  details: [
    'The file is JSON with one or more of `business`, `policy`, `receiving_accounts` and `csv_mappings`. Each part in it replaces the stored one; `null` restores the default. A file with a mistake changes nothing.',
  ],
  arguments: { account: required(accountNumber, 'Number of the account.') },
  options: {
    file: required(file('settings.json'), 'The file to read; `-` is standard input.'),
    live: liveOption,
  },
  examples: [
    ['opentill accounts configure 1 --file settings.json', 'Configure test mode'],
    ['opentill accounts configure 1 --live --file -', 'Configure live mode from standard input'],
  ],
  async run({ account: number, file, live }, { store, output }) {
    const account = await accountOf(store, number);
    const read = readSettings(await readJson(file));
    if ('problems' in read) throw mistakesIn(file, read.problems);
    if (Object.keys(read.settings).length === 0)
      throw new Failure(`${file} has none of the parts that opentill accounts settings shows`);
    const mode = modeOf(live);
    const settings = { ...account.settings[mode], ...read.settings };
    await store.accounts.configure({ account: number, mode }, settings);
    output.line(`account ${number} is configured for ${mode} mode`);
  },
});
