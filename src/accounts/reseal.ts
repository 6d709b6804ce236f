/** Seals stored credentials anew under the current key, beside servers that go on using and setting them. */
import type { Place, SealedUnder, Vault } from '../methods/credentials.ts';
import type { Account } from './account.ts';
import { credentialsAt, type RailCredentialsCommand } from './rail-credentials-changes.ts';

/** Tries for credentials that a server sets at the same moment, each time under the previous key. */
const MAX_TRIES = 5;

export type Resealed = { readonly wasResealed: boolean; readonly sealedUnder: SealedUnder };

/** Gives the writer a command on the account of a place. */
type Change = (
  command: RailCredentialsCommand,
) => Promise<{ readonly before: Account; readonly after: Account }>;

/** Puts credentials that are under the previous key under the current one; null if somebody removes them meanwhile. */
export async function resealAt(
  place: Place,
  known: Account,
  vault: Vault,
  change: Change,
): Promise<Resealed | null> {
  const { tenant, rail } = place;
  let account = known;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const sealed = credentialsAt(account.railCredentials[tenant.mode], rail);
    if (sealed === null) return null;
    const secrets = vault.open(sealed, place);
    const sealedUnder = vault.keyOf(sealed, place);
    if (secrets === null || sealedUnder === 'current') return { wasResealed: false, sealedUnder };
    const to = vault.seal(secrets, place);
    const { before, after } = await change({
      type: 'reseal_rail_credentials',
      rail,
      from: sealed.secrets,
      to,
    });
    if (after !== before) return { wasResealed: true, sealedUnder: 'current' };
    account = after;
  }
  return { wasResealed: false, sealedUnder: 'previous' };
}

/** Places of the credentials of these accounts. */
export const placesOf = (
  accounts: readonly Account[],
): ReadonlyArray<Place & { readonly account: Account }> =>
  accounts.flatMap((account) =>
    (['test', 'live'] as const).flatMap((mode) =>
      Object.keys(account.railCredentials[mode]).map((rail) => ({
        ...{ account, rail },
        tenant: { account: account.number, mode },
      })),
    ),
  );
