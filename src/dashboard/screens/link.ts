/** A link: an invitation, or the way back of somebody who cannot sign in. Whoever opens it sets a password. */
import { emailKey } from '../../checkout/customer.ts';
import { isRefusal } from '../../checkout/refusals.ts';
import { html } from '../../lib/html.ts';
import { readLinkToken } from '../../users/links.ts';
import { accountsOf, EMAIL_LENGTH, isInvited, USER_NAME_LENGTH, type User } from '../../users/user.ts';
import type { Mistake } from '../api.ts';
import { newCookieSecret, setCookie } from '../cookie.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { executeOnUser } from '../execute.ts';
import { type Form, field, otherMistakes } from '../form.ts';
import { type Outcome, refused } from '../outcome.ts';
import { emailMistakes, newPasswordField, passwordMistakes } from '../personal.ts';
import type { Declare } from '../screen.ts';
import { mistake, plainWarning } from '../sign-in-forms.ts';
import { signInBy, type Visitor, visitorOf } from '../visitor.ts';
import { newSignIn } from './sign-in.ts';

const gone: Outcome = {
  status: 404,
  title: 'The link is no longer good',
  main: 'It was used already, has expired, or is not complete. Ask whoever gave it to you for a new one.',
};

const asOperator = html`<p>You become an <strong>operator of the installation</strong> as well: you create and rename accounts, and read the log of the installation.</p>`;

export function linkScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath, store, passwords, realNow } = dependencies;

  /** The user whom the link is for, while it is good. */
  async function opened(token: string | undefined): Promise<{ user: User; hash: string } | null> {
    const named = readLinkToken(token ?? '');
    const user = named && (await store.dashboardUsers.fetch(named.id));
    if (named === null || user === null) return null;
    const { link } = user;
    return link?.hash === named.hash && realNow() < link.until ? { user, hash: named.hash } : null;
  }

  function screen(user: User, token: string, form: Form, mistakes: readonly Mistake[] = []): Outcome {
    const isNew = isInvited(user);
    const { name = user.name, email = user.email } = form;
    return {
      status: mistakes.length > 0 ? 422 : 200,
      title: isNew ? 'Welcome' : 'A new password',
      main: html`${plainWarning(dependencies)}${otherMistakes(mistakes, ['name', 'email', 'password'])}
<p>${isNew ? 'Choose a password, and you are signed in.' : 'Choose a new password. You are signed out everywhere else. A second factor, passkeys and the account of a provider are removed, and have to be set up anew.'}</p>
${isNew && user.isOperator && asOperator}
<form method="post" action="${basePath}/dashboard/link/${token}">
${isNew && field({ name: 'name', label: 'Your name', value: name, autocomplete: 'name', required: true, maxlength: USER_NAME_LENGTH }, mistakes)}
${
  isNew
    ? field(
        {
          name: 'email',
          label: 'E-mail address',
          type: 'email',
          value: email,
          autocomplete: 'username',
          required: true,
          maxlength: EMAIL_LENGTH,
        },
        mistakes,
      )
    : html`<p>You sign in as <strong>${user.email}</strong>.</p>`
}
${newPasswordField('password', 'Password', mistakes)}
<button>Set the password</button>
</form>`,
    };
  }

  declare({ method: 'GET', path: '/link/:token', needs: 'nothing' }, async ({ request, params }) => {
    const { token = '' } = params;
    const found = await opened(token);
    if (found === null) return gone;
    const visitor = isInvited(found.user) ? await visitorOf(dependencies, request) : null;
    return visitor === null ? screen(found.user, token, {}) : joinScreen(found.user, visitor, token);
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
      if (named === null) return gone;
      const command = { type: 'join', invitation: named.id, secretHash: named.hash } as const;
      const decision = await executeOnUser(dependencies, request, visitor.user.id, command);
      if (!isRefusal(decision)) return { goTo: '', done: 'joined' };
      return decision.reason === 'not_found' ? gone : refused(409, mistake(decision.detail));
    },
  );

  declare(
    { method: 'POST', path: '/link/:token', needs: 'nothing' },
    async ({ request, reply, params, form }) => {
      const { token = '' } = params;
      const found = await opened(token);
      if (found === null) return gone;
      const { user, hash } = found;
      const { password = '' } = form;
      const name = (form.name ?? user.name).trim();
      const email = emailKey(form.email ?? user.email);
      const mistakes = [
        ...(isInvited(user) ? emailMistakes({ name, email }) : []),
        ...passwordMistakes('password', password, email),
      ];
      if (mistakes.length > 0) return screen(user, token, form, mistakes);
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
        if (decision.reason === 'not_found') return gone;
        const message = `${decision.detail} If it is you, sign in, and open the link again.`;
        return screen(user, token, form, [{ message, pointer: '/email' }]);
      }
      const signIn = signInBy(decision.user, secret);
      setCookie(reply, { user: user.id, signIn: signIn.id, secret });
      return { goTo: '', done: 'welcome' };
    },
  );
}
