/** The forms of signing in, and where somebody goes on behind them. */
import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../lib/html.ts';
import type { UserId } from '../users/user.ts';
import type { Mistake } from './api.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { tokenField } from './document.ts';
import { type Form, field, hidden, mistake, otherMistakes } from './form.ts';
import { isOwnPath, KEPT, keptField, readKept, resendForm } from './kept.ts';
import type { Provider } from './oidc.ts';
import type { Outcome } from './outcome.ts';
import { passkeyForm } from './passkeys.ts';

export const PAUSED = 'Too many wrong passwords or codes came in a row. Wait for a minute.';

/**
 * The way on behind a sign-in: the fields of a form that say so, and the query of a link. A form that is kept stays in its
 * page, and is too long for a link.
 */
export type GoOn = { readonly fields: Html | false; readonly query: string; readonly isKept?: true };

export const nowhere: GoOn = { fields: false, query: '' };

/** The end of a sign-in in a window of its own. */
export const SIGNED_IN = '/dashboard/signed-in';

const keeping = (fields: Html | false): GoOn =>
  fields === false ? nowhere : { ...goOnTo(SIGNED_IN), fields, isKept: true };

export const goOnTo = (path: string | undefined): GoOn =>
  isOwnPath(path)
    ? { fields: hidden('next', path), query: `?${new URLSearchParams({ next: path })}` }
    : nowhere;

export function goOnIn(form: Form): GoOn {
  const kept = readKept(form[KEPT]);
  return kept === null ? goOnTo(form.next) : keeping(keptField(kept.path, kept.form, kept.user));
}

/** The first screen behind the sign-in, or the form that was kept. */
export function arrived(form: Form, user: UserId, formToken: string, basePath: string): Outcome {
  const kept = readKept(form[KEPT]);
  if (kept === null || kept.user !== user)
    return { goTo: isOwnPath(form.next) ? form.next.slice('/dashboard'.length) : '' };
  return {
    title: 'Go on',
    main: html`<p>You are signed in again. What you had typed is kept.</p>
${resendForm(kept, basePath, tokenField({ formToken, user: { id: user } }))}`,
  };
}

/** The screen for a request of somebody who is not signed in, which leads back to what they wanted. */
export async function signedOutScreen(
  dependencies: Shown,
  { method, url }: FastifyRequest,
  form: Form,
): Promise<Outcome> {
  const isForm = method === 'POST';
  const goOn = isForm ? keeping(keptField(url, form, form.form_user ?? '')) : goOnTo(url);
  const mistakes = isForm ? mistake('You were signed out meanwhile. Nothing was changed.') : [];
  return { ...(await signInScreen(dependencies, goOn, mistakes)), status: 401 };
}

type Shown = Pick<DashboardDependencies, 'basePath' | 'passkeys' | 'provider' | 'isPlain'>;

/** Warning before a form is sent that could not lead in. */
export const plainWarning = ({ isPlain }: Pick<DashboardDependencies, 'isPlain'>): Html | false =>
  isPlain &&
  html`<p class="alert" role="alert">The service is reached over HTTP: your browser keeps no sign-in. Ask the operator for HTTPS first.</p>`;

export async function signInScreen(
  shown: Shown,
  goOn: GoOn,
  mistakes: readonly Mistake[] = [],
  email = '',
): Promise<Outcome> {
  const { basePath, passkeys, provider } = shown;
  const request = passkeys && (await passkeys.request());
  return {
    status: mistakes.length > 0 ? 422 : 200,
    title: 'Sign in',
    main: html`${plainWarning(shown)}${otherMistakes(mistakes)}
<form method="post" action="${basePath}/dashboard/sign-in">
${goOn.fields}
${field({ name: 'email', label: 'E-mail address', type: 'email', value: email, autocomplete: 'username', required: true })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', required: true })}
<button>Sign in</button>
</form>
${request && passkeyForm('get', { action: `${basePath}/dashboard/passkey`, name: 'passkey', options: request }, html`${goOn.fields}<button class="quiet">Sign in with a passkey</button>`)}
${provider !== null && byProvider(provider, goOn, basePath)}
<p class="hint">If you cannot sign in, ask an owner of your account for a new link, or run <code>opentill users reset</code> on the server.</p>`,
  };
}

/** A form that is kept stays in this window, and the provider is in another one. */
function byProvider(
  { name }: Pick<Provider, 'name'>,
  { fields, query, isKept }: GoOn,
  basePath: string,
): Html {
  const address = `${basePath}/dashboard/oidc${query}`;
  if (!isKept) return html`<p><a class="button quiet" href="${address}">Sign in with ${name}</a></p>`;
  return html`<p><a href="${address}" target="_blank" rel="noopener">Sign in with ${name}</a> in a new window, and then:</p>
<form method="post" action="${basePath}/dashboard/go-on">${fields}<button class="quiet">I have done so, go on</button></form>`;
}

export function codeScreen(goOn: GoOn, basePath: string, mistakes: readonly Mistake[] = []): Outcome {
  return {
    status: mistakes.length > 0 ? 422 : 200,
    title: 'Second factor',
    main: html`${otherMistakes(mistakes, ['code'])}
<form method="post" action="${basePath}/dashboard/code">
${goOn.fields}
${codeField('code', mistakes)}
<button>Sign in</button>
</form>`,
  };
}

export const codeField = (name: string, mistakes: readonly Mistake[] = []): Html =>
  field(
    {
      name,
      label: 'Code',
      autocomplete: 'one-time-code',
      required: true,
      hint: 'Six digits from your authenticator app, or one of your recovery codes.',
    },
    mistakes,
  );
