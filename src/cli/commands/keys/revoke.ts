import { changeApiKey } from '../../api-key.ts';
import { databaseCommand } from '../../declare/access.ts';
import { required } from '../../declare/parameter.ts';
import { idOf } from '../../declare/values.ts';
import { Failure } from '../../failure.ts';
import { printable } from '../../printable.ts';

export const command = databaseCommand({
  purpose: 'Revoke an API key immediately.',
  arguments: { key: required(idOf('ak', 'an API key'), 'The API key, `ak_…`.') },
  examples: [['opentill keys revoke ak_test_0123456789abcdef', 'The key is refused from now on']],
  async run({ key: id }, { store, execute, output }) {
    const known = await store.apiKeys.fetch(id);
    const command = { type: 'revoke_api_key', at: Date.now() } as const;
    const revoked = known && (await changeApiKey({ store, execute }, known.tenant, id, command));
    if (!revoked?.isChanged) throw new Failure(`there is no active key ${printable(id)}`);
    output.line(`${id} is revoked`);
  },
});
