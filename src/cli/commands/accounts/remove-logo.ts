import { settingsCommand } from '../../account-settings/command.ts';
import { placeOptions } from '../../place.ts';

export const command = settingsCommand({
  purpose: 'Remove the logo that payers see.',
  details: ['Payers see the first letter of the name of the account again.'],
  options: placeOptions,
  examples: [['opentill accounts remove-logo --live', 'The first account has no logo in live mode']],
  async run({ account, live }, { settings, output }) {
    await settings.removeLogo({ account, live });
    output.line('the logo is removed');
  },
});
