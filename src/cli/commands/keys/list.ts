import { apiKeyKeys } from '../../api-keys/api-keys.ts';
import { keysCommand } from '../../api-keys/command.ts';
import { listOf } from '../../declare/json.ts';
import { placeOptions } from '../../place.ts';
import { printable } from '../../printable.ts';

export const command = keysCommand({
  purpose: 'List the API keys, without secrets.',
  details: ['Those of one account and mode, active and revoked ones, newest first.'],
  options: placeOptions,
  json: listOf(apiKeyKeys, 'api_key'),
  examples: [
    ['opentill keys list', 'The keys of test mode'],
    ['opentill keys list --account 2 --live', 'The keys of account 2 for live mode'],
    [
      'opentill keys list --url https://pay.example',
      'The keys of the account and mode of `OPENTILL_API_KEY`',
    ],
  ],
  async run({ account, live }, { keys, output }) {
    let isEmpty = true;
    for await (const key of keys.list({ account, live })) {
      const { id, permissions, name, revoked_at } = key;
      const state = revoked_at === null ? 'active' : `revoked ${revoked_at}`;
      output.record(key, [id, permissions.join(','), printable(name) || '-', state].join('  '));
      isEmpty = false;
    }
    if (isEmpty) output.remark('there are no API keys; opentill keys create creates one');
  },
});
