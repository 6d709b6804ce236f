import { accountOption, liveOption, modeOf } from '../../account.ts';
import { apiKeyKeys, listApiKeys } from '../../api-key.ts';
import { databaseCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';
import { printable } from '../../printable.ts';

export const command = databaseCommand({
  purpose: 'List the API keys, without secrets.',
  details: ['Those of one account and mode, active and revoked ones, newest first.'],
  options: { account: accountOption, live: liveOption },
  json: listOf(apiKeyKeys, 'api_key'),
  examples: [
    ['opentill keys list', 'The keys of test mode'],
    ['opentill keys list --account 2 --live', 'The keys of account 2 for live mode'],
  ],
  async run({ account, live }, { output, ...database }) {
    let isEmpty = true;
    for await (const key of listApiKeys(database, { account, mode: modeOf(live) })) {
      const { id, permissions, name, revoked_at } = key;
      const state = revoked_at === null ? 'active' : `revoked ${revoked_at}`;
      output.record(key, [id, permissions.join(','), printable(name) || '-', state].join('  '));
      isEmpty = false;
    }
    if (isEmpty) output.remark('there are no API keys; opentill keys create creates one');
  },
});
