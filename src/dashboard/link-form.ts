/** The screen of a link: whoever opens it sets a password, or accepts an invitation by their account at the provider. */
import { html } from '../lib/html.ts';
import { readLinkToken } from '../users/links.ts';
import { EMAIL_LENGTH, isInvited, USER_NAME_LENGTH, type User } from '../users/user.ts';
import type { Mistake } from './api.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { type Form, field, otherMistakes } from './form.ts';
import type { Outcome } from './outcome.ts';
import { newPasswordField } from './personal.ts';
import { plainWarning } from './sign-in-forms.ts';

export const linkIsGone: Outcome = {
  status: 404,
  title: 'The link is no longer good',
  main: 'It was used already, has expired, or is not complete. Ask whoever gave it to you for a new one.',
};

export const asOperator = html`<p>You become an <strong>operator of the installation</strong> as well: you create and rename accounts, and read the log of the installation.</p>`;

/** The link of the token, with its user and the hash of its secret; null for one that is no longer good. */
export async function openedLink(
  { store, realNow }: Pick<DashboardDependencies, 'store' | 'realNow'>,
  token: string | undefined,
): Promise<{ readonly user: User; readonly hash: string } | null> {
  const named = readLinkToken(token ?? '');
  const user = named && (await store.dashboardUsers.fetch(named.id));
  if (named === null || user === null) return null;
  const { link } = user;
  return link?.hash === named.hash && realNow() < link.until ? { user, hash: named.hash } : null;
}

/** Words of the rules for somebody who cannot come by the link as they would. */
export const takenMistake = (detail: string, pointer: '' | '/email'): Mistake => ({
  message: `${detail} If it is you, sign in, and open the link again.`,
  pointer,
});

export function linkScreen(
  dependencies: DashboardDependencies,
  { user, token }: { readonly user: User; readonly token: string },
  form: Form,
  mistakes: readonly Mistake[] = [],
): Outcome {
  const { basePath, provider } = dependencies;
  const isNew = isInvited(user);
  const { name = user.name, email = user.email } = form;
  const here = `${basePath}/dashboard/link/${token}`;
  const words = isNew
    ? 'Choose a password, and you are signed in.'
    : 'Choose a new password. You are signed out everywhere else. A second factor, passkeys and the account of a provider are removed, and have to be set up anew.';
  return {
    status: mistakes.length > 0 ? 422 : 200,
    title: isNew ? 'Welcome' : 'A new password',
    main: html`${plainWarning(dependencies)}${otherMistakes(mistakes, ['name', 'email', 'password'])}
<p>${words}</p>
${isNew && user.isOperator && asOperator}
<form method="post" action="${here}">
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
${
  isNew &&
  provider !== null &&
  html`<p class="hint">Or sign in by your account at ${provider.name} from now on, without a password here.</p>
<button class="quiet" formaction="${here}/oidc" formnovalidate>Go on with ${provider.name}</button>`
}
</form>`,
  };
}
