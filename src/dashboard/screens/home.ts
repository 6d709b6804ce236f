/** Where the dashboard begins, and where nothing is. */
import { html } from '../../lib/html.ts';
import { accountsOf } from '../../users/user.ts';
import { navigation } from '../document.ts';
import { doneIn } from '../notices.ts';
import { notFound } from '../outcome.ts';
import { pathIn } from '../place.ts';
import type { Declare } from '../screen.ts';

export function homeScreens(declare: Declare): void {
  declare({ method: 'GET', path: '', needs: 'sign-in' }, ({ visitor, query }) => {
    const [account] = accountsOf(visitor.user);
    const [first] = navigation;
    if (account === undefined && visitor.user.isOperator) return { goTo: '/accounts', ...doneIn(query) };
    if (account === undefined || first === undefined)
      return { title: 'No account', main: html`<p>You have no role on any account.</p>` };
    const path = pathIn({ account, mode: 'live' }, first.screen).slice('/dashboard'.length);
    return { goTo: path, ...doneIn(query) };
  });

  declare({ method: 'GET', path: '/*', needs: 'sign-in' }, () => notFound);
}
