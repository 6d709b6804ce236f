/** Who has changed something, in words. */
import { installation, MAX_USERS } from '../users/user.ts';
import type { DashboardDependencies } from './dependencies.ts';

const others: ReadonlyMap<string, string> = new Map([
  ['payer', 'a payer'],
  ['time', 'time'],
  ['rail', 'a rail'],
  ['operator', 'the operator, on the command line'],
]);

/** Names for actors: users of the account have theirs, and API keys their ids. */
export async function actorsOf(
  { store }: Pick<DashboardDependencies, 'store'>,
  account: number,
): Promise<(actor: string) => string> {
  const { rows } = await store.dashboardUsers.list(installation, { account }, { limit: MAX_USERS });
  const names = new Map<string, string>(rows.map(({ id, name, email }) => [id, name || email || id]));
  return (actor) => names.get(actor) ?? others.get(actor) ?? actor;
}
