/** All accounts that the visitor has a role on, for somebody who has more of them than a screen lists at its top. */
import { html } from '../../lib/html.ts';
import { accountsOf, roleOn } from '../../users/user.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { accountsAt, pathIn } from '../place.ts';
import type { Declare } from '../screen.ts';
import { table } from '../table.ts';
import { roleTitles } from './members.ts';

const PAGE = 100;

export function ownAccountScreens(
  declare: Declare,
  { basePath, store }: Pick<DashboardDependencies, 'basePath' | 'store'>,
): void {
  declare({ method: 'GET', path: '/profile/accounts', needs: 'sign-in' }, async ({ visitor, query }) => {
    const after = Number(query.after ?? 0);
    const left = accountsOf(visitor.user).filter((number) => number > after);
    const numbers = left.slice(0, PAGE);
    const rows = (await accountsAt(store, numbers)).map(({ number, name }) => {
      const role = roleOn(visitor.user, number);
      const href = `${basePath}${pathIn({ account: number, mode: 'live' }, 'overview')}`;
      return [html`<a href="${href}">${name}</a>`, number, role === undefined ? 'none' : roleTitles[role]];
    });
    const last = numbers.at(-1);
    return {
      title: 'Your accounts',
      main: html`<section>${table('Your accounts', ['Name', 'Number', 'Your role'], rows, 'There is no account here.')}
${left.length > PAGE && last !== undefined && html`<p><a href="${basePath}/dashboard/profile/accounts?after=${last}">More accounts</a></p>`}</section>`,
    };
  });
}
