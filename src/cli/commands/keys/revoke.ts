import { databaseCommand } from '../../declare/access.ts';
import { required } from '../../declare/parameter.ts';
import { idOf } from '../../declare/values.ts';
import { Failure } from '../../failure.ts';

export const command = databaseCommand({
  purpose: 'Revoke an API key immediately.',
  arguments: { key: required(idOf('ak', 'an API key'), 'The API key, `ak_…`.') },
  examples: [['opentill keys revoke ak_test_0123456789abcdef', 'The key is refused from now on']],
  async run({ key }, { store, output }) {
    if (!(await store.apiKeys.revoke(key, Date.now()))) throw new Failure(`there is no active key ${key}`);
    output.line(`${key} is revoked`);
  },
});
