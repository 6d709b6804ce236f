import { placesOf } from '../../../accounts/reseal.ts';
import { databaseCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';
import { exitStatus, Failure } from '../../failure.ts';
import { vaultOf } from '../../rail-credentials/in-database.ts';
import { railCredentialsKeys } from '../../rail-credentials/rail-credentials.ts';
import { reseal } from '../../reseal.ts';

export const command = databaseCommand({
  purpose: 'Encrypt the credentials of all accounts anew under `CREDENTIALS_KEY`.',
  details: [
    'It changes those that are still under `CREDENTIALS_KEY_PREVIOUS`, of both modes, and can be repeated. Servers may run meanwhile: what is set at the same moment is never overwritten. Each change is on record as the operator’s.',
    'Run it with the settings of the servers, once all of them have restarted with both keys. A server without the new key cannot read what is encrypted under it.',
    'The exit status is 1 if some credentials are not under `CREDENTIALS_KEY` afterwards.',
  ],
  variables: ['CREDENTIALS_KEY', 'CREDENTIALS_KEY_PREVIOUS'],
  json: listOf({
    account: 'Number of the account.',
    mode: '`test` or `live`.',
    rail: railCredentialsKeys.id,
    was_resealed: 'True if they were encrypted anew.',
    encryption_key: railCredentialsKeys.encryption_key,
  }),
  examples: [
    ['opentill credentials reseal', 'Before `CREDENTIALS_KEY_PREVIOUS` is removed from the settings'],
  ],
  async run(_input, { output, ...database }) {
    const vault = vaultOf(process.env);
    if (!vault.canSeal)
      throw new Failure('CREDENTIALS_KEY is not set; run this with the settings of the server');
    const counts = { resealed: 0, current: 0, previous: 0, unknown: 0 };
    for (const { tenant, rail } of placesOf(await database.store.accounts.list())) {
      const result = await reseal(database, vault, tenant, rail);
      if (result === null) continue;
      const { wasResealed, sealedUnder } = result;
      counts[sealedUnder]++;
      if (wasResealed) counts.resealed++;
      const told = wasResealed ? ['encrypted anew'] : sealedUnder === 'current' ? [] : [`key:${sealedUnder}`];
      output.record(
        { ...tenant, rail, was_resealed: wasResealed, encryption_key: sealedUnder },
        told.map((each) => `account ${tenant.account}  ${tenant.mode}  ${rail}  ${each}`),
      );
    }
    const { resealed, current, previous, unknown } = counts;
    const all = current + previous + unknown;
    if (all === 0) output.remark('no account has credentials of its own');
    else output.line(`${resealed} encrypted anew; under CREDENTIALS_KEY: ${current} of ${all}`);
    if (unknown > 0)
      output.remark(
        `${unknown} cannot be read; set CREDENTIALS_KEY_PREVIOUS to the key that they were set with, or set them again`,
      );
    if (previous > 0)
      output.remark(
        `${previous} stay under CREDENTIALS_KEY_PREVIOUS, because a server sets them again and again; give the current key to all servers, and repeat this`,
      );
    if (current < all) process.exitCode = exitStatus.failure;
  },
});
