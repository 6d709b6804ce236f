import { MAX_LOGO_BYTES, MAX_LOGO_PIXELS, readLogo } from '../../../accounts/logo.ts';
import { settingsCommand } from '../../account-settings/command.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { file } from '../../declare/values.ts';
import { mistakesIn, readBytes } from '../../json-file.ts';
import { placeOptions } from '../../place.ts';

export const command = settingsCommand({
  purpose: 'Set the logo that payers see.',
  details: [
    `The file is a PNG or JPEG image of at most ${MAX_LOGO_BYTES / 1024} KiB and ${MAX_LOGO_PIXELS} × ${MAX_LOGO_PIXELS} pixels, without animation. It takes the place of the one before.`,
  ],
  arguments: { file: required(file('logo.png'), 'The file to read; `-` is standard input.') },
  options: placeOptions,
  json: objectOf(
    {
      media_type: 'Type of the image: `image/png` or `image/jpeg`.',
      width: 'Width in pixels, as it is shown: Exif data may turn the image.',
      height: 'Height in pixels, as it is shown.',
      bytes: 'Size of the image.',
    },
    'logo',
  ),
  examples: [
    ['opentill accounts set-logo logo.png', 'The first account has a logo in test mode'],
    ['opentill accounts set-logo logo.png --live --account 2', 'Account 2 has one in live mode'],
    [
      'opentill accounts set-logo logo.png --url https://pay.example',
      'The account and mode of `OPENTILL_API_KEY` have one',
    ],
  ],
  async run({ file, account, live }, { settings, output }) {
    const logo = readLogo(await readBytes(file, MAX_LOGO_BYTES));
    if ('problems' in logo) throw mistakesIn(file, logo.problems);
    output.record(await settings.setLogo({ account, live }, logo), 'the logo is set');
  },
});
