import { databaseCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';
import { printable } from '../../printable.ts';

export const command = databaseCommand({
  purpose: 'List the API keys, without secrets.',
  json: listOf({
    id: 'The API key, `ak_…`.',
    account: 'Number of its account.',
    mode: '`test` or `live`.',
    permissions: 'Permissions of the key.',
    name: 'Its name.',
    created_at: 'Time of creation.',
    revoked_at: 'Time of revocation, or null.',
  }),
  examples: [['opentill keys list', 'The keys of all accounts']],
  async run(_input, { store, output }) {
    for (const { id, tenant, permissions, name, createdAt, revokedAt } of await store.apiKeys.listAll()) {
      const revoked_at = revokedAt === null ? null : new Date(revokedAt).toISOString();
      const state = revoked_at === null ? 'active' : `revoked ${revoked_at}`;
      const created_at = new Date(createdAt).toISOString();
      output.record(
        { id, ...tenant, permissions, name, created_at, revoked_at },
        [id, `account ${tenant.account}`, permissions.join(','), printable(name) || '-', state].join('  '),
      );
    }
  },
});
