/** Who has changed something, in words. */
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
  const users = await store.dashboardUsers.listOf(account);
  const names = new Map<string, string>(users.map(({ id, name, email }) => [id, name || email || id]));
  return (actor) => names.get(actor) ?? others.get(actor) ?? actor;
}
