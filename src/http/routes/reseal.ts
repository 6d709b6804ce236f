/** Encrypts the credentials of all accounts anew, for those who operate the installation and have replaced the key. */
import { setImmediate } from 'node:timers/promises';
import { placesOf, resealAt } from '../../accounts/reseal.ts';
import { isRefusal } from '../../checkout/refusals.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { installation } from '../../users/user.ts';
import type { Origin } from '../../writer/command.ts';
import { originOn, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { success } from '../envelope.ts';
import { RequestError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { operation } from '../operation.ts';

/** Credentials that one request encrypts anew: each is a change of its account, and others want to write as well. */
export const MAX_RESEALED = 200;

export function resealRoutes(api: Api, dependencies: Dependencies): void {
  const { store, execute, now, vault } = dependencies;

  /** Puts what is under the previous key under the current one, as far as one request may. */
  async function reseal(origin: Origin) {
    const counts = { resealed: 0, current: 0, previous: 0, unknown: 0 };
    for (const { account, ...place } of placesOf(await store.accounts.list())) {
      const { tenant, rail } = place;
      // To look at many takes long.
      await setImmediate();
      const { [rail]: sealed } = account.railCredentials[tenant.mode];
      const result =
        counts.resealed < MAX_RESEALED || sealed === undefined
          ? await resealAt(place, account, vault, (command) => change(origin, tenant, command))
          : { wasResealed: false, sealedUnder: vault.keyOf(sealed, place) };
      if (result === null) continue;
      counts[result.sealedUnder]++;
      if (result.wasResealed) counts.resealed++;
    }
    return counts;
  }

  async function change(
    origin: Origin,
    tenant: Tenant,
    command: Parameters<Parameters<typeof resealAt>[3]>[0],
  ) {
    const own = { ...origin, tenant, idempotency: null };
    const { result } = await execute({ subject: 'account', origin: own, command, now: await now(tenant) });
    if (isRefusal(result) || result.kind === 'replay')
      throw new Error(`credentials of account ${tenant.account} were not encrypted anew`);
    return result.value;
  }

  api.post(
    '/installation_credentials/reseal',
    operation(
      {
        operation: 'INSTALLATION_CREDENTIALS.RESEAL',
        tag: 'Installation',
        permission: 'accounts',
        liveOnly: true,
        noBody: true,
        summary: 'Encrypt credentials anew',
        description: `Puts the credentials of all accounts at their rails, in both modes, under \`CREDENTIALS_KEY\`, as far as they are under \`CREDENTIALS_KEY_PREVIOUS\`: ${MAX_RESEALED} in one request. Send it once all servers have restarted with both keys, and again while \`previous\` is not 0. Who set the credentials, and when, stays. Each change is in the log of its account.`,
        answers: 'ResealedCredentials',
        errors: ['no_credentials_key'],
      },
      {},
    ),
    async (request, reply) => {
      const origin = originOn(installation, request);
      schemaProblems(request);
      if (origin.idempotency !== null) {
        const earlier = await execute({ subject: 'repetition', origin });
        const { result } = earlier;
        if (!isRefusal(result) || result.reason !== 'not_found') return sendResult(reply, earlier);
      }
      if (!vault.canSeal) throw new RequestError('no_credentials_key');
      const data = JSON.stringify({ object: 'resealed_credentials', ...(await reseal(origin)) });
      const answer = () => success('INSTALLATION_CREDENTIALS.RESEAL', data);
      return sendResult(reply, await execute({ subject: 'answer', origin }, answer));
    },
  );
}
