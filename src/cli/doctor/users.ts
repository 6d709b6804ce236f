/** Users of the dashboard who cannot sign in any more, since the settings name another provider than theirs, or none. */
import { isOfProvider } from '../../dashboard/oidc.ts';
import { advised, type Finding } from '../../lib/finding.ts';
import type { Store } from '../../store/store.ts';
import type { User } from '../../users/user.ts';
import type { Values } from './settings.ts';

const PAGE = 100;

/** Users who are named; of more, the others are counted. */
const NAMED = 10;

export async function examineUsers(
  { dashboardUsers }: Pick<Store, 'dashboardUsers'>,
  { OIDC_ISSUER: issuer }: Values,
): Promise<readonly Finding[]> {
  // Without a valid setting nobody can tell: its mistake has a finding of its own.
  if (issuer === undefined) return [];
  let count = 0;
  const named: string[] = [];
  for (let cursor = {}; ; ) {
    const { rows, hasMore } = await dashboardUsers.listAll({ limit: PAGE, ...cursor });
    const out = rows.filter((user) => isShutOut(user, issuer));
    count += out.length;
    named.push(...out.slice(0, NAMED - named.length).map(({ id }) => id));
    const last = rows.at(-1);
    if (!hasMore || last === undefined) break;
    cursor = { after: last.id };
  }
  if (count === 0) return [];
  const those = `${named.join(', ')}${count > named.length ? ` and ${count - named.length} more` : ''}`;
  const who =
    count === 1
      ? '1 user has neither a password nor a passkey, and signs in'
      : `${count} users have neither a password nor a passkey, and sign in`;
  return [
    advised(
      `${who} with a provider that OIDC_ISSUER does not name: ${those}.`,
      'Set OIDC_ISSUER as it was before, or make each of them a new link: opentill users reset.',
    ),
  ];
}

const isShutOut = ({ password, passkeys, identity }: User, issuer: string): boolean =>
  password === null && passkeys.length === 0 && identity !== undefined && !isOfProvider(identity, issuer);
