/** Actors: names for those who have changed something. */
import { type Content, html } from '../lib/html.ts';
import { installation, isUserId, MAX_USERS } from '../users/user.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { type Place, pathIn } from './place.ts';

const others: ReadonlyMap<string, string> = new Map([
  ['payer', 'the payer'],
  ['time', 'time'],
  ['rail', 'the payment provider'],
  ['operator', 'the operator, on the command line'],
]);

/** An actor by name; `href` leads to a user among the members, for those who may see them. */
export type Actor = { readonly name: string; readonly href: string | null };
export type Actors = (actor: string) => Actor;

/** Names for actors: users of the account have theirs, and API keys their ids. */
export async function actorsOf(
  { store, basePath }: Pick<DashboardDependencies, 'store' | 'basePath'>,
  { account: { number: account }, tenant, may }: Place,
): Promise<Actors> {
  const { rows } = await store.dashboardUsers.list(installation, { account }, { limit: MAX_USERS });
  const members = may('MEMBER.LIST') ? `${basePath}${pathIn(tenant, 'members')}` : null;
  return (actor) => {
    const user = rows.find(({ id }) => id === actor);
    if (user === undefined) return { name: others.get(actor) ?? actor, href: null };
    return { name: user.name || user.email || user.id, href: members && `${members}#${user.id}` };
  };
}

/** Names for actors in the log of the installation: of users whichever accounts they work for. */
export async function usersNamed(
  { store }: Pick<DashboardDependencies, 'store'>,
  ids: readonly string[],
): Promise<Actors> {
  const found = await Promise.all(
    [...new Set(ids)].filter(isUserId).map((id) => store.dashboardUsers.fetch(id)),
  );
  return (actor) => {
    const user = found.find((each) => each?.id === actor);
    return { name: user?.name || user?.email || (others.get(actor) ?? actor), href: null };
  };
}

/** The name as a way to the member. */
export const actorLink = ({ name, href }: Actor): Content =>
  href === null ? name : html`<a href="${href}">${name}</a>`;
