/** Proof anew of who somebody is, before what moves money, keys or people. The form that asked for it goes along. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../accounts/api-key.ts';
import { isRefusal } from '../checkout/refusals.ts';
import { type Html, html } from '../lib/html.ts';
import type { User } from '../users/user.ts';
import { BAD_PASSKEY } from '../users/user-commands.ts';
import type { Mistake } from './api.ts';
import { newCookieSecret, setCookie } from './cookie.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { tokenField } from './document.ts';
import { executeOnUser, type OwnCommand } from './execute.ts';
import { type Form, field, hidden, mistake, otherMistakes } from './form.ts';
import { TYPED_SECRETS } from './kept.ts';
import type { Outcome } from './outcome.ts';
import { passkeyForm } from './passkeys.ts';
import { codeField, PAUSED } from './sign-in-forms.ts';
import { signInBy, type Visitor } from './visitor.ts';

type Asked = { readonly request: FastifyRequest; readonly visitor: Visitor; readonly form: Form };

const OWN_FIELDS = [
  'confirm_password',
  'confirm_code',
  'confirm_passkey',
  'new_password',
  'form_user',
  'form_token',
  ...TYPED_SECRETS,
];

/** Outcome of asking for a proof: the visitor, whose sign-in has a new secret, or the screen that asks. */
export type Proof = { readonly visitor: Visitor } | { readonly outcome: Outcome };

/** Takes the proof that the form brings; else gives the screen that asks for it. */
export async function confirmIn(
  dependencies: DashboardDependencies,
  asked: Asked & { readonly reply: FastifyReply },
): Promise<Proof> {
  const { request, reply, visitor, form } = asked;
  const again = async (mistakes: readonly Mistake[]): Promise<Proof> => ({
    outcome: await confirmScreen(dependencies, asked, mistakes),
  });
  const secret = newCookieSecret();
  const command = await commandOf(dependencies, request, visitor, form, hashSecret(secret));
  if (command === null) return again([]);
  if (command === 'bad passkey') return again(mistake(BAD_PASSKEY));
  const decision = await executeOnUser(dependencies, request, visitor.user.id, command);
  if (isRefusal(decision)) return again(mistake(decision.detail));
  if (decision.kind !== 'change')
    return again(mistake(decision.kind === 'paused' ? PAUSED : 'The password or the code is wrong.'));
  const cookie = { ...visitor.cookie, secret };
  setCookie(reply, cookie);
  const { user } = decision;
  const signIn = signInBy(user, secret);
  return { visitor: { user, signIn, cookie, formToken: signIn.formToken, isConfirmed: true } };
}

/** Command for the proof in a form; null where it brings nothing yet. */
async function commandOf(
  { passwords, passkeys }: DashboardDependencies,
  { ip }: FastifyRequest,
  { user, signIn: { id: signIn } }: Visitor,
  { confirm_password: password, confirm_code: code = '', confirm_passkey: answer }: Form,
  secretHash: string,
): Promise<OwnCommand | 'bad passkey' | null> {
  if (answer !== undefined && passkeys !== null) {
    const used = await passkeys.used(answer, user);
    return used === null ? 'bad passkey' : { type: 'confirm_by_passkey', signIn, secretHash, ...used };
  }
  if (password === undefined) return null;
  const isRight = await passwords.matches(password, user.password, ip);
  return { type: 'confirm', signIn, code, secretHash, verified: isRight ? user.password : null };
}

/**
 * Ways in which the visitor can prove who they are; there may be none. An account of the provider is none any more once the
 * settings name another provider, and passkeys are none at an address that no browser binds them to.
 */
export const waysOf = (
  { passkeys, provider }: Pick<DashboardDependencies, 'passkeys' | 'provider'>,
  user: User,
) => ({
  byPassword: user.password !== null,
  byPasskey: user.passkeys.length > 0 && passkeys !== null,
  byProvider: user.identity !== undefined && provider?.knows(user.identity) === true,
});

export const hasWay = (...given: Parameters<typeof waysOf>): boolean =>
  Object.values(waysOf(...given)).some((is) => is);

/** The way back for a user who has none left. */
export const wayBack = ({ id }: User): Html =>
  html`Ask an owner of your account for a new link, or whoever runs the service to run <code>opentill users reset ${id}</code> on the server. The link leads to a new password.`;

async function confirmScreen(
  dependencies: DashboardDependencies,
  { request, visitor, form }: Asked,
  mistakes: readonly Mistake[],
): Promise<Outcome> {
  const { basePath, passkeys, provider } = dependencies;
  const { user } = visitor;
  const ways = waysOf(dependencies, user);
  if (!hasWay(dependencies, user))
    return {
      title: 'Is it you?',
      main: html`<p>This needs a proof of who you are, and there is no way left in which you could give it: you have no password and no passkey that works here, and nobody signs in any more with the account of a provider that you have connected. Nothing was changed.</p>
<p>${wayBack(user)}</p>`,
    };
  const action = basePath + request.url;
  const options = ways.byPasskey && passkeys !== null && (await passkeys.request());
  const given = Object.entries(form)
    .filter(([name]) => !OWN_FIELDS.includes(name))
    .map(([name, value]) => hidden(name, value));
  const fields = html`${tokenField(visitor)}${given}`;
  const byPasskey = html`${fields}<button>Go on with a passkey</button>`;
  return {
    status: mistakes.length > 0 ? 422 : 200,
    title: 'Is it you?',
    main: html`<p>Prove it to go on. Nobody asks again for ten minutes.</p>
${otherMistakes(mistakes)}
${options && passkeyForm('get', { action, name: 'confirm_passkey', options }, byPasskey)}
${
  ways.byProvider &&
  provider !== null &&
  html`<p><a href="${basePath}/dashboard/oidc/confirm" target="_blank" rel="noopener">Prove it with ${provider.name}</a> in a new window, and then:</p>
<form method="post" action="${action}">${fields}<button class="quiet">I have done so, go on</button></form>`
}
${
  ways.byPassword &&
  html`<form method="post" action="${action}">
${fields}
${field({ name: 'confirm_password', label: 'Password', type: 'password', autocomplete: 'current-password', required: true })}
${user.totp !== null && codeField('confirm_code')}
<button>Go on</button>
</form>`
}`,
  };
}
