import { isObject } from '../../../lib/json-values.ts';
import { type Patch, settingsKeys } from '../../account-settings/account-settings.ts';
import { settingsCommand } from '../../account-settings/command.ts';
import { objectOf } from '../../declare/json.ts';
import { optional } from '../../declare/parameter.ts';
import { choice, file } from '../../declare/values.ts';
import { Failure, UsageError } from '../../failure.ts';
import { nameOf, readJson } from '../../json-file.ts';
import { placeOptions } from '../../place.ts';

export const command = settingsCommand({
  purpose: 'Change settings of an account.',
  details: [
    'The file is JSON with one or more of `business`, `branding`, `policy`, `csv_mappings`, `compatibility` and `webhook_url_events`: a merge patch, as over the API. Parts and fields that are left out keep their values; `null` restores the default of a field or of a whole part, and removes a CSV mapping. A file with a mistake changes nothing.',
    'It accepts what `opentill accounts settings` prints. The `name` is of both modes, so that in test mode it has to be the account’s.',
  ],
  options: {
    file: optional(file('settings.json'), 'The file to read; `-` is standard input.'),
    compatibility: optional(
      choice('how', 'strict', 'v3'),
      'Compatibility mode: `v3` is for clients of other v3 services.',
    ),
    ...placeOptions,
  },
  json: objectOf(settingsKeys, 'account_settings'),
  examples: [
    ['opentill accounts configure --file settings.json', 'Configure test mode'],
    ['opentill accounts configure --live --file -', 'Configure live mode from standard input'],
    ['opentill accounts configure --compatibility v3', 'Accept clients of other v3 services unchanged'],
    [
      'opentill accounts configure --file settings.json --url https://pay.example',
      'Configure the account and mode of `OPENTILL_API_KEY`',
    ],
  ],
  async run({ file, compatibility, account, live }, { settings, output }) {
    if (file === undefined && compatibility === undefined)
      throw new UsageError('accounts configure takes --file, --compatibility or both');
    const patch: Patch = {
      file: file ?? '-',
      async read() {
        const content = file === undefined ? {} : await partsIn(file);
        return isObject(content) && compatibility !== undefined ? { ...content, compatibility } : content;
      },
    };
    output.record(await settings.change({ account, live }, patch), 'the settings are changed');
  },
});

/** The content of the file, unless it has nothing to change. */
async function partsIn(file: string): Promise<unknown> {
  const content = await readJson(file);
  const { object: _, ...parts } = isObject(content) ? content : { content };
  if (Object.keys(parts).length > 0) return content;
  throw new Failure(`${nameOf(file)} has none of the parts that opentill accounts settings shows`);
}
