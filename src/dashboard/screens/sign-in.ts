/** Signing in: the password, then the second factor if there is one. */
import type { FastifyRequest } from 'fastify';
import { hashSecret } from '../../accounts/api-key.ts';
import { emailKey } from '../../checkout/customer.ts';
import { isRefusal } from '../../checkout/refusals.ts';
import { html } from '../../lib/html.ts';
import { newId } from '../../lib/id.ts';
import { createSparing } from '../../lib/sparing.ts';
import { BROWSER_LENGTH, type SignInId, type User, type UserId } from '../../users/user.ts';
import { BAD_PASSKEY, type NewSignIn } from '../../users/user-commands.ts';
import { clearCookie, newCookieSecret, newFormToken, setCookie } from '../cookie.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { executeOnUser } from '../execute.ts';
import { mistake } from '../form.ts';
import { isEmail } from '../personal.ts';
import type { Declare } from '../screen.ts';
import { arrived, codeScreen, goOnIn, goOnTo, PAUSED, signInScreen } from '../sign-in-forms.ts';
import { anyVisitor, signInBy, visitorOf } from '../visitor.ts';

/** It says the same of everybody, so that it does not tell whether there is such a user. */
const WRONG = mistake(
  'The e-mail address or the password is wrong. Behind ten wrong ones in a row, one in a minute is looked at.',
);

/** Time for which sign-ins of a user that are refused stand in the log in one line. */
const LINE_EVERY_MS = 60_000;

export function signInScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath, store, passwords, passkeys } = dependencies;
  const leftOut = createSparing(LINE_EVERY_MS, () => performance.now());

  function note(request: FastifyRequest, user: UserId | null): void {
    const like = leftOut(user ?? '');
    if (like === null) return;
    const others = like > 0 ? { left_out: like } : {};
    request.log.warn({ request_id: request.id, user: user ?? 'unknown', ...others }, 'sign-in refused');
  }

  declare({ method: 'GET', path: '/sign-in', needs: 'nothing' }, async ({ request, query }) => {
    const visitor = await anyVisitor(dependencies, request);
    if (visitor?.signIn.isWhole) return { goTo: '' };
    return signInScreen(dependencies, goOnTo(query.next));
  });

  declare({ method: 'POST', path: '/sign-in', needs: 'nothing' }, async ({ request, reply, form }) => {
    const goOn = goOnIn(form);
    const refusedTo = (asker: FastifyRequest, id: UserId | null) => {
      note(asker, id);
      return signInScreen(dependencies, goOn, WRONG, form.email);
    };
    const email = emailKey(form.email ?? '');
    const user = isEmail(email) ? await store.dashboardUsers.fetchByEmail(email) : null;
    // The password of nobody is compared as well, so that the time does not tell whether there is such a user.
    const isRight = await passwords.matches(form.password ?? '', user?.password ?? null, request.ip);
    if (user === null) return refusedTo(request, null);
    const secret = newCookieSecret();
    const command = {
      type: 'sign_in',
      verified: isRight ? user.password : null,
      signIn: newSignIn(dependencies, request, secret),
      ...(isRight ? await replacedBy(dependencies, request, user) : {}),
    } as const;
    const deciding = executeOnUser(dependencies, request, user.id, command);
    if (!isRight) {
      // It is counted behind the answer, which comes as soon as that to nobody.
      deciding.catch((error) =>
        request.log.warn({ err: error, request_id: request.id }, 'a wrong password was not counted'),
      );
      return refusedTo(request, user.id);
    }
    const decision = await deciding;
    if (isRefusal(decision) || decision.kind !== 'change') return refusedTo(request, user.id);
    const signIn = signInBy(decision.user, secret);
    setCookie(reply, { user: user.id, signIn: signIn.id, secret });
    if (!signIn.isWhole) return codeScreen(goOn, basePath);
    return arrived(form, user.id, signIn.formToken, basePath);
  });

  declare({ method: 'POST', path: '/code', needs: 'nothing' }, async ({ request, reply, form }) => {
    const goOn = goOnIn(form);
    const visitor = await anyVisitor(dependencies, request);
    if (visitor === null || visitor.signIn.isWhole) return signInScreen(dependencies, goOn);
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
    return arrived(form, user.id, signIn.formToken, basePath);
  });

  declare({ method: 'POST', path: '/passkey', needs: 'nothing' }, async ({ request, reply, form }) => {
    const { passkey: field = '' } = form;
    const id = passkeys?.named(field) ?? null;
    const user = id && (await store.dashboardUsers.fetch(id));
    const used = user && passkeys && (await passkeys.used(field, user));
    const secret = newCookieSecret();
    const signIn = newSignIn(dependencies, request, secret);
    const replaced = used ? await replacedBy(dependencies, request, user) : {};
    const decision =
      used &&
      (await executeOnUser(dependencies, request, user.id, {
        type: 'sign_in_by_passkey',
        signIn,
        ...replaced,
        ...used,
      }));
    if (!decision || isRefusal(decision))
      return signInScreen(dependencies, goOnIn(form), mistake(BAD_PASSKEY));
    setCookie(reply, { user: decision.user.id, signIn: signIn.id, secret });
    return arrived(form, decision.user.id, signIn.formToken, basePath);
  });

  /** Behind a sign-in in another window: whoever has sent the form may be signed in now. */
  declare({ method: 'POST', path: '/go-on', needs: 'nothing' }, async ({ request, form }) => {
    const visitor = await visitorOf(dependencies, request);
    return visitor === null
      ? signInScreen(dependencies, goOnIn(form), mistake('You are not signed in yet.'))
      : arrived(form, visitor.user.id, visitor.formToken, basePath);
  });

  declare({ method: 'GET', path: '/signed-in', needs: 'sign-in' }, () => ({
    title: 'You are signed in',
    main: html`<p>Close this window, and go on in the other one.</p>
<p><a href="${basePath}/dashboard">To the dashboard</a></p>`,
  }));

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
  return {
    id: newId('sgn', realNow()),
    secretHash: hashSecret(secret),
    formToken: newFormToken(secret),
    address: ip,
    browser,
  };
}

/** The sign-in that the browser has had, which ends with the new one of this user. */
export async function replacedBy(
  dependencies: DashboardDependencies,
  request: FastifyRequest,
  { id }: User,
): Promise<{ replaces?: SignInId }> {
  const before = await anyVisitor(dependencies, request);
  if (before === null) return {};
  const { signIn } = before;
  if (before.user.id === id) return { replaces: signIn.id };
  await executeOnUser(dependencies, request, before.user.id, { type: 'sign_out', signIn: signIn.id });
  return {};
}
