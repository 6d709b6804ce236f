/** Links: an invitation, or the way back of somebody who cannot sign in. */
import { emailKey } from '../../checkout/customer.ts';
import { isRefusal } from '../../checkout/refusals.ts';
import { html } from '../../lib/html.ts';
import { readLinkToken } from '../../users/links.ts';
import { accountsOf, isInvited, type User } from '../../users/user.ts';
import { newCookieSecret, setCookie } from '../cookie.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { executeOnUser } from '../execute.ts';
import { mistake } from '../form.ts';
import { asOperator, linkIsGone, linkScreen, openedLink, takenMistake } from '../link-form.ts';
import { type Outcome, refused } from '../outcome.ts';
import { emailMistakes, passwordMistakes } from '../personal.ts';
import { accountNamesOf } from '../place.ts';
import type { Declare } from '../screen.ts';
import { signInBy, type Visitor, visitorOf } from '../visitor.ts';
import { newSignIn } from './sign-in.ts';

export function linkScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath, store, passwords } = dependencies;

  declare({ method: 'GET', path: '/link/:token', needs: 'nothing' }, async ({ request, params }) => {
    const { token = '' } = params;
    const found = await openedLink(dependencies, token);
    if (found === null) return linkIsGone;
    const visitor = isInvited(found.user) ? await visitorOf(dependencies, request) : null;
    return visitor === null
      ? linkScreen(dependencies, { user: found.user, token }, {})
      : joinScreen(found.user, visitor, token);
  });

  /** For somebody who is signed in already: an invitation gives them a role more. */
  async function joinScreen(invitation: User, visitor: Visitor, token: string): Promise<Outcome> {
    const accounts = await Promise.all(accountsOf(invitation).map((each) => store.accounts.fetch(each)));
    const names = accounts.map((account) => account?.name ?? '').join(', ');
    return {
      title: 'An invitation',
      main: html`<p>You are invited to <strong>${names}</strong>, and signed in as <strong>${visitor.user.email}</strong>.</p>
${invitation.isOperator && asOperator}
<div class="row">
<form method="post" action="${basePath}/dashboard/link/${token}/join">${tokenField(visitor)}<button>Join as ${visitor.user.email}</button></form>
<form method="post" action="${basePath}/dashboard/sign-out">${tokenField(visitor)}<button class="quiet">Sign out</button></form>
</div>
<p class="hint">If the link is for somebody else, sign out first and open it again.</p>`,
    };
  }

  declare(
    { method: 'POST', path: '/link/:token/join', needs: 'own-confirmed' },
    async ({ request, visitor, params }) => {
      const named = readLinkToken(params.token ?? '');
      if (named === null) return linkIsGone;
      const command = { type: 'join', invitation: named.id, secretHash: named.hash } as const;
      const decision = await executeOnUser(dependencies, request, visitor.user.id, command);
      if (!isRefusal(decision)) return { goTo: '', done: 'joined' };
      return decision.reason === 'not_found' ? linkIsGone : refused(409, mistake(decision.detail));
    },
  );

  declare(
    { method: 'POST', path: '/link/:token', needs: 'nothing' },
    async ({ request, reply, params, form }) => {
      const { token = '' } = params;
      const found = await openedLink(dependencies, token);
      if (found === null) return linkIsGone;
      const { user, hash } = found;
      const { password = '' } = form;
      const name = (form.name ?? user.name).trim();
      const email = emailKey(form.email ?? user.email);
      const mistakes = [
        ...(isInvited(user) ? emailMistakes({ name, email }) : []),
        ...(await passwordMistakes('password', password, {
          ...{ name, email },
          accounts: await accountNamesOf(store, user),
        })),
      ];
      if (mistakes.length > 0) return linkScreen(dependencies, { user, token }, form, mistakes);
      const secret = newCookieSecret();
      const decision = await executeOnUser(dependencies, request, user.id, {
        type: 'accept_link',
        secretHash: hash,
        name,
        email,
        password: await passwords.hash(password, request.ip),
        signIn: newSignIn(dependencies, request, secret),
      });
      if (isRefusal(decision)) {
        if (decision.reason === 'not_found') return linkIsGone;
        return linkScreen(dependencies, { user, token }, form, [takenMistake(decision.detail, '/email')]);
      }
      const signIn = signInBy(decision.user, secret);
      setCookie(reply, { user: user.id, signIn: signIn.id, secret });
      return { goTo: '', done: 'welcome' };
    },
  );
}
