/** Signing in: the password, then the second factor if there is one. */
import type { FastifyRequest } from 'fastify';
import { hashSecret } from '../../accounts/api-key.ts';
import { emailKey } from '../../checkout/customer.ts';
import { isRefusal } from '../../checkout/refusals.ts';
import { newId } from '../../lib/id.ts';
import { BROWSER_LENGTH, type SignIn, type User } from '../../users/user.ts';
import { BAD_PASSKEY, type NewSignIn } from '../../users/user-changes.ts';
import { clearCookie, formTokenOf, newCookieSecret, setCookie } from '../cookie.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { executeOnUser } from '../execute.ts';
import type { Declare } from '../screen.ts';
import { arrived, codeScreen, goOnIn, goOnTo, mistake, PAUSED, signInScreen } from '../sign-in-forms.ts';
import { anyVisitor } from '../visitor.ts';

const WRONG = mistake('The e-mail address or the password is wrong.');

export function signInScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath, store, passwords, passkeys } = dependencies;

  declare({ method: 'GET', path: '/sign-in', needs: 'nothing' }, async ({ request, query }) => {
    const visitor = await anyVisitor(dependencies, request);
    if (visitor !== null && visitor.signIn.confirmedAt !== null) return { goTo: '' };
    return signInScreen(dependencies, goOnTo(query.next));
  });

  declare({ method: 'POST', path: '/sign-in', needs: 'nothing' }, async ({ request, reply, form }) => {
    const goOn = goOnIn(form);
    const again = (mistakes: typeof WRONG) => signInScreen(dependencies, goOn, mistakes, form.email);
    const email = emailKey(form.email ?? '');
    const user = email === '' ? null : await store.dashboardUsers.fetchByEmail(email);
    // Of nobody as well, so that the time does not tell whether there is such a user.
    const isRight = await passwords.matches(form.password ?? '', user?.password ?? null);
    if (user === null) return again(WRONG);
    const secret = newCookieSecret();
    const decision = await executeOnUser(dependencies, request, user.id, {
      type: 'sign_in',
      verified: isRight ? user.password : null,
      signIn: newSignIn(dependencies, request, secret),
    });
    if (isRefusal(decision) || decision.kind === 'failed') return again(WRONG);
    if (decision.kind === 'paused') return again(mistake(PAUSED));
    const signIn = signInBy(decision.user, secret);
    setCookie(reply, { user: user.id, signIn: signIn.id, secret });
    if (signIn.confirmedAt === null) return codeScreen(goOn, basePath);
    return arrived(form, formTokenOf(secret), basePath);
  });

  declare({ method: 'POST', path: '/code', needs: 'nothing' }, async ({ request, reply, form }) => {
    const goOn = goOnIn(form);
    const visitor = await anyVisitor(dependencies, request);
    if (visitor === null || visitor.signIn.confirmedAt !== null) return signInScreen(dependencies, goOn);
    const { user, signIn } = visitor;
    const secret = newCookieSecret();
    const decision = await executeOnUser(dependencies, request, user.id, {
      type: 'give_code',
      signIn: signIn.id,
      code: form.code ?? '',
      secretHash: hashSecret(secret),
    });
    if (isRefusal(decision)) return signInScreen(dependencies, goOn, mistake(decision.detail));
    if (decision.kind === 'paused') return codeScreen(goOn, basePath, mistake(PAUSED));
    if (decision.kind === 'failed')
      return codeScreen(goOn, basePath, [
        { message: 'The code is wrong, or was used already.', pointer: '/code' },
      ]);
    setCookie(reply, { user: user.id, signIn: signIn.id, secret });
    return arrived(form, formTokenOf(secret), basePath);
  });

  declare({ method: 'POST', path: '/passkey', needs: 'nothing' }, async ({ request, reply, form }) => {
    const { passkey: field = '' } = form;
    const id = passkeys?.named(field) ?? null;
    const user = id && (await store.dashboardUsers.fetch(id));
    const used = user && passkeys && (await passkeys.used(field, user));
    const secret = newCookieSecret();
    const signIn = newSignIn(dependencies, request, secret);
    const decision =
      used &&
      (await executeOnUser(dependencies, request, user.id, { type: 'sign_in_by_passkey', signIn, ...used }));
    if (!decision || isRefusal(decision))
      return signInScreen(dependencies, goOnIn(form), mistake(BAD_PASSKEY));
    setCookie(reply, { user: decision.user.id, signIn: signIn.id, secret });
    return arrived(form, formTokenOf(secret), basePath);
  });

  declare({ method: 'POST', path: '/sign-out', needs: 'sign-in' }, async ({ request, reply, visitor }) => {
    const { user, signIn } = visitor;
    await executeOnUser(dependencies, request, user.id, { type: 'sign_out', signIn: signIn.id });
    clearCookie(reply);
    return { goTo: '/sign-in', done: 'signed-out' };
  });
}

/** The sign-in that is to be made of a request. */
export function newSignIn(
  { realNow }: Pick<DashboardDependencies, 'realNow'>,
  { ip, headers }: FastifyRequest,
  secret: string,
): NewSignIn {
  const browser = (headers['user-agent'] ?? '').slice(0, BROWSER_LENGTH);
  return { id: newId('sgn', realNow()), secretHash: hashSecret(secret), address: ip, browser };
}

/** The sign-in that was made with the secret. */
export function signInBy({ signIns }: User, secret: string): SignIn {
  const hash = hashSecret(secret);
  const found = signIns.find(({ secretHash }) => secretHash === hash);
  if (found === undefined) throw new Error('the sign-in that was just made is not there');
  return found;
}
