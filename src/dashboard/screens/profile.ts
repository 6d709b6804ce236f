/** The visitor's own name, password, second factor, and the browsers in which they are signed in. */
import { emailKey } from '../../checkout/customer.ts';
import { isRefusal, type Refusal } from '../../checkout/refusals.ts';
import { type Content, type Html, html } from '../../lib/html.ts';
import { keepsPasskey } from '../../users/sign-in-rules.ts';
import {
  EMAIL_LENGTH,
  type Identity,
  type SignIn,
  type SignInId,
  USER_NAME_LENGTH,
  type User,
} from '../../users/user.ts';
import { IDENTITY_STAYS, PASSKEY_STAYS, type UserDecision } from '../../users/user-commands.ts';
import type { Mistake } from '../api.ts';
import { hasWay, wayBack } from '../confirm.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { executeOnUser, type OwnCommand } from '../execute.ts';
import { type Form, field, hidden, mistake, otherMistakes } from '../form.ts';
import { doneIf, type Notice } from '../notices.ts';
import { type Outcome, refused } from '../outcome.ts';
import { emailMistakes, newPasswordField, passwordMistakes } from '../personal.ts';
import { accountNamesOf } from '../place.ts';
import type { Declare, OwnVisit } from '../screen.ts';
import { PAUSED } from '../sign-in-forms.ts';
import { table } from '../table.ts';
import { timeOf } from '../texts.ts';
import type { Visitor } from '../visitor.ts';

export function profileScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath, store, passwords, provider } = dependencies;
  const to = (path: string) => `${basePath}/dashboard/profile${path}`;
  const change = ({ request, visitor }: OwnVisit, command: OwnCommand): Promise<UserDecision | Refusal> =>
    executeOnUser(dependencies, request, visitor.user.id, command);

  function profile(
    { visitor, query }: OwnVisit,
    form: Form = {},
    mistakes: readonly Mistake[] = [],
  ): Outcome {
    const { user, signIn } = visitor;
    const token = tokenField(visitor);
    return {
      status: mistakes.length > 0 ? 422 : 200,
      title: 'Your profile',
      main: html`${otherMistakes(mistakes, ['name', 'email', 'current_password', 'new_password'])}
${query.done === OTHER_WAYS && otherWays(visitor, token)}
<section><h2>Name and address</h2>
<form method="post" action="${to('/name')}">${token}
${field({ name: 'name', label: 'Name', value: form.name ?? user.name, autocomplete: 'name', required: true, maxlength: USER_NAME_LENGTH }, mistakes)}
${field({ name: 'email', label: 'E-mail address', type: 'email', value: form.email ?? user.email, autocomplete: 'username', required: true, maxlength: EMAIL_LENGTH }, mistakes)}
<button>Save</button>
</form></section>
<section><h2>Password</h2>
${
  user.password === null
    ? html`<p>${hasWay(dependencies, user) ? 'You have none, and sign in without one.' : html`You have none, and no other way to sign in again once you are signed out. ${wayBack(user)}`}</p>
<p><a class="button" href="${to('/first-password')}">Set a password</a></p>`
    : html`<form method="post" action="${to('/password')}">${token}
${field({ name: 'current_password', label: 'Current password', type: 'password', autocomplete: 'current-password', required: true }, mistakes)}
${newPasswordField('new_password', 'New password', mistakes)}
<button>Change the password</button>
</form>`
}</section>
<section><h2>Second factor</h2>
${
  user.totp === null
    ? html`<p>A code from an authenticator app, asked for behind the password.</p>
<p><a class="button" href="${to('/second-factor')}">Set up a second factor</a></p>`
    : html`<p>An authenticator app is set up. ${user.recoveryCodes.length} recovery codes are left.</p>
<div class="row"><form method="post" action="${to('/recovery-codes')}">${token}<button class="quiet">New recovery codes</button></form>
<form method="post" action="${to('/second-factor/remove')}">${token}<button class="quiet">Remove the second factor</button></form></div>`
}</section>
${passkeySection(user, token)}
${identitySection(visitor, token)}
<section><h2>Where you are signed in</h2>
${table(
  'Where you are signed in',
  ['Browser', 'Address', 'Since', 'Last seen', ''],
  user.signIns.toReversed().map((each) => signInCells(each, signIn, token)),
)}
${
  user.signIns.length > 1 &&
  html`<form method="post" action="${to('/sign-out-others')}">${token}<button class="quiet">Sign out everywhere else</button></form>`
}</section>`,
    };
  }

  function passkeySection(user: User, token: Html): Html {
    const keepsLast = keepsPasskey(user);
    const removeForm = (id: string) =>
      html`<form method="post" action="${to('/passkeys/remove')}">${token}${hidden('id', id)}<button class="quiet">Remove</button></form>`;
    return html`<section id="passkeys"><h2>Passkeys</h2>
${
  user.passkeys.length > 0 &&
  table(
    'Your passkeys',
    ['Name', 'Added', 'Last used', ''],
    user.passkeys.map(({ id, name, createdAt, usedAt }) => [
      name,
      timeOf(createdAt),
      usedAt === 0 ? 'never' : timeOf(usedAt),
      keepsLast ? '' : removeForm(id),
    ]),
  )
}
${keepsLast && html`<p class="hint">${PASSKEY_STAYS}</p>`}
<p><a class="button" href="${to('/passkeys')}">Add a passkey</a></p></section>`;
  }

  /** Ways in that a new password does not close: a password is often changed because somebody else may know it. */
  function otherWays({ user: { identity, passkeys } }: Visitor, token: Html): Html {
    return html`<section><h2>Other ways to sign in</h2>
<p>They were not changed with the password. Remove what is not yours.</p>
${identity && html`<p>Your account of ${hostOf(identity)}, connected ${timeOf(identity.linkedAt)}.</p>${disconnectForm(token)}`}
${passkeys.length > 0 && html`<p><a href="#passkeys">Passkeys: ${passkeys.length}</a></p>`}</section>`;
  }

  const disconnectForm = (token: Html): Html =>
    html`<form method="post" action="${to('/identity/remove')}">${token}<button class="quiet">Disconnect it</button></form>`;

  /** An account of a provider that the settings named before can be disconnected, and nobody signs in with it. */
  function identitySection({ user: { identity, password } }: Visitor, token: Html): Html | false {
    if (provider === null && identity === undefined) return false;
    const isCurrent = identity !== undefined && provider?.knows(identity) === true;
    return html`<section><h2>${provider?.name ?? 'Account of a provider'}</h2>
${isCurrent && html`<p>You can sign in with your account there, since ${timeOf(identity.linkedAt)}.</p>`}
${identity && !isCurrent && html`<p>You have connected an account of ${hostOf(identity)}, with which nobody signs in here now.</p>`}
${identity && (password === null ? html`<p class="hint">${IDENTITY_STAYS}</p>` : disconnectForm(token))}
${
  provider !== null &&
  !isCurrent &&
  html`<p>Connect your account there, and you can sign in with it.</p>
<form method="post" action="${to('/identity')}">${token}<button class="quiet">Connect an account of ${provider.name}</button></form>`
}</section>`;
  }

  const newPasswordMistakes = async (password: string, user: User) =>
    passwordMistakes('new_password', password, { ...user, accounts: await accountNamesOf(store, user) });

  function signInCells(each: SignIn, own: SignIn, token: Html): Content[] {
    const button = html`<form method="post" action="${to('/sign-out')}">${token}${hidden('sign_in', each.id)}<button class="quiet">Sign out</button></form>`;
    return [
      browserNamed(each.browser),
      each.address,
      timeOf(each.createdAt),
      timeOf(each.seenAt),
      each.id === own.id ? 'this browser' : button,
    ];
  }

  declare({ method: 'GET', path: '/profile', needs: 'sign-in' }, (visit) => profile(visit));

  declare({ method: 'POST', path: '/profile/name', needs: 'own-confirmed' }, async (visit) => {
    const { form } = visit;
    const name = (form.name ?? '').trim();
    const email = emailKey(form.email ?? '');
    const mistakes = emailMistakes({ name, email });
    if (mistakes.length > 0) return profile(visit, form, mistakes);
    const decision = await change(visit, { type: 'rename_user', name, email });
    if (isRefusal(decision)) return profile(visit, form, [{ message: decision.detail, pointer: '/email' }]);
    return { goTo: '/profile', done: doneIf(decision.kind === 'change', 'renamed') };
  });

  declare({ method: 'POST', path: '/profile/password', needs: 'sign-in' }, async (visit) => {
    const { current_password: current = '', new_password: next = '' } = visit.form;
    const { user, signIn } = visit.visitor;
    const mistakes = await newPasswordMistakes(next, user);
    if (mistakes.length > 0) return profile(visit, {}, mistakes);
    const isRight = await passwords.matches(current, user.password, visit.request.ip);
    const decision = await change(visit, {
      type: 'change_password',
      verified: isRight ? user.password : null,
      password: await passwords.hash(next, visit.request.ip),
      signIn: signIn.id,
    });
    if (!isRefusal(decision) && decision.kind === 'change') {
      const { identity, passkeys } = decision.user;
      const hasOthers = identity !== undefined || passkeys.length > 0;
      return { goTo: '/profile', done: hasOthers ? OTHER_WAYS : 'password' };
    }
    const isPaused = !isRefusal(decision) && decision.kind === 'paused';
    const message = isPaused ? PAUSED : 'This is not your current password.';
    return profile(visit, {}, [{ message, pointer: '/current_password' }]);
  });

  function firstPassword({ visitor }: OwnVisit, mistakes: readonly Mistake[] = []): Outcome {
    if (visitor.user.password !== null) return { goTo: '/profile' };
    return {
      status: mistakes.length > 0 ? 422 : 200,
      title: 'Set a password',
      main: html`${otherMistakes(mistakes, ['new_password'])}
<p>You sign in as <strong>${visitor.user.email}</strong> with it.</p>
<form method="post" action="${to('/first-password')}">${tokenField(visitor)}
${newPasswordField('new_password', 'Password', mistakes)}
<button>Set the password</button>
</form>`,
    };
  }

  declare({ method: 'GET', path: '/profile/first-password', needs: 'own-confirmed' }, (visit) =>
    firstPassword(visit),
  );

  declare({ method: 'POST', path: '/profile/first-password', needs: 'own-confirmed' }, async (visit) => {
    const { new_password: next } = visit.form;
    const { user, signIn } = visit.visitor;
    // A proof of who somebody is has come in between, and a password does not go along.
    if (next === undefined) return firstPassword(visit);
    const mistakes = await newPasswordMistakes(next, user);
    if (mistakes.length > 0) return firstPassword(visit, mistakes);
    const password = await passwords.hash(next, visit.request.ip);
    const decision = await change(visit, { type: 'set_first_password', password, signIn: signIn.id });
    if (isRefusal(decision)) return firstPassword(visit, [{ message: decision.detail, pointer: '' }]);
    return { goTo: '/profile', done: 'first-password' };
  });

  declare({ method: 'POST', path: '/profile/sign-out', needs: 'sign-in' }, async (visit) => {
    const signIn = (visit.form.sign_in ?? '') as SignInId;
    return signedOut(await change(visit, { type: 'sign_out', signIn }), 'sign-in-ended');
  });

  declare({ method: 'POST', path: '/profile/sign-out-others', needs: 'sign-in' }, async (visit) => {
    const { id: signIn } = visit.visitor.signIn;
    return signedOut(await change(visit, { type: 'sign_out_others', signIn }), 'others-signed-out');
  });
}

/** The way on behind a form that signs out elsewhere. */
const signedOut = (decision: UserDecision | Refusal, done: Notice): Outcome =>
  isRefusal(decision)
    ? refused(422, mistake(decision.detail))
    : { goTo: '/profile', done: doneIf(decision.kind === 'change', done) };

/** The notice behind a new password of who can sign in otherwise as well. */
const OTHER_WAYS = 'password-other-ways';

const hostOf = ({ issuer }: Identity): string => URL.parse(issuer)?.host ?? issuer;

/** Names by which browsers tell of themselves; one that tells of several is the first of these. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const systems = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'];

/** Name of a browser as a reader knows it (`Firefox on Linux`), or all that it says. */
function browserNamed(agent: string): string {
  const [, name] = browsers.find(([token]) => agent.includes(`${token}/`)) ?? [];
  const system = systems.find((each) => agent.includes(each));
  if (name === undefined) return agent || 'Unknown';
  return system === undefined ? name : `${name} on ${system}`;
}
