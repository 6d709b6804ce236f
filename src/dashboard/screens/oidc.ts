/**
 * Signing in, and proving anew who one is, at a provider of OpenID Connect; connecting one's account there, and accepting an
 * invitation by it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../../accounts/api-key.ts';
import { emailKey } from '../../checkout/customer.ts';
import { isRefusal } from '../../checkout/refusals.ts';
import { html } from '../../lib/html.ts';
import { createSparing } from '../../lib/sparing.ts';
import { isInvited } from '../../users/user.ts';
import { BAD_IDENTITY } from '../../users/user-commands.ts';
import type { Mistake } from '../api.ts';
import { newCookieSecret, setCookie } from '../cookie.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { executeOnUser } from '../execute.ts';
import { mistake } from '../form.ts';
import { isOwnPath } from '../kept.ts';
import { linkIsGone, linkScreen, openedLink, takenMistake } from '../link-form.ts';
import { doneIf } from '../notices.ts';
import { type Confirmed, type Provider, ProviderAway, Unproved } from '../oidc.ts';
import { type Flow, flowsOf } from '../oidc-flow.ts';
import { notFound, type Outcome, refused } from '../outcome.ts';
import { emailMistakes } from '../personal.ts';
import type { Declare } from '../screen.ts';
import { goOnTo, nowhere, signInScreen } from '../sign-in-forms.ts';
import { signInBy, visitorOf } from '../visitor.ts';
import { newSignIn, replacedBy } from './sign-in.ts';

type Asked = { readonly request: FastifyRequest; readonly reply: FastifyReply };
type Began = Pick<Flow, 'purpose' | 'signIn' | 'next' | 'accepts'>;

/** A cookie has 4 KiB at most: with a longer way back, browsers would keep none. */
const MAX_NEXT = 1000;

/** Time for which failures for the same reason stand in the log in one line: anybody can bring them about. */
const LINE_EVERY_MS = 60_000;

export function oidcScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath, store, provider, realNow } = dependencies;
  const flows = flowsOf(store);
  const leftOut = createSparing(LINE_EVERY_MS, () => performance.now());

  /** Begins a flow; gives the address at the provider. */
  async function begun(provider: Provider, { reply }: Asked, began: Began): Promise<string> {
    const { url, secrets } = await provider.begin({ isProof: began.purpose !== 'sign-in' });
    await flows.keep(reply, { ...secrets, ...began, startedAt: realNow() });
    return url;
  }

  /**
   * The words for what went wrong at the provider, which is in the log without anything that is secret. All else is no
   * matter of the provider, and thrown on.
   */
  function troubleOf(error: unknown, { name }: Provider, request: FastifyRequest): string {
    if (!(error instanceof ProviderAway || error instanceof Unproved)) throw error;
    const { message: reason } = error;
    const like = leftOut(reason);
    const others = like !== null && like > 0 ? { left_out: like } : {};
    if (like !== null)
      request.log.warn(
        { request_id: request.id, provider: name, reason, ...others },
        'sign-in at a provider failed',
      );
    return error instanceof ProviderAway
      ? `${name} does not answer as it should. Try again in a moment, or sign in another way.`
      : `${name} has not confirmed who you are. Begin again.`;
  }

  /** A form may lead to no other site, so that a link does. */
  const goOnAt = ({ name }: Provider, url: string, title: string): Outcome => ({
    title,
    main: html`<p>Sign in there with the account that is yours. You come back here.</p>
<p><a class="button" href="${url}">Go on to ${name}</a></p>`,
  });

  const failed = (message: string): Outcome => refused(422, mistake(message));

  declare({ method: 'GET', path: '/oidc', needs: 'nothing' }, async ({ request, reply, query }) => {
    if (provider === null) return notFound;
    const next = isOwnPath(query.next) && query.next.length <= MAX_NEXT ? query.next : '';
    try {
      return { away: await begun(provider, { request, reply }, { purpose: 'sign-in', signIn: '', next }) };
    } catch (error) {
      const message = troubleOf(error, provider, request);
      return signInScreen(dependencies, goOnTo(next), mistake(message));
    }
  });

  declare({ method: 'GET', path: '/oidc/confirm', needs: 'sign-in' }, async ({ request, reply, visitor }) => {
    if (provider === null || !visitor.user.identity || !provider.knows(visitor.user.identity))
      return notFound;
    const began = { purpose: 'confirm', signIn: visitor.signIn.id, next: '' } as const;
    try {
      return { away: await begun(provider, { request, reply }, began) };
    } catch (error) {
      return failed(troubleOf(error, provider, request));
    }
  });

  declare(
    { method: 'POST', path: '/profile/identity', needs: 'own-confirmed' },
    async ({ request, reply, visitor }) => {
      if (provider === null) return notFound;
      const began = { purpose: 'link', signIn: visitor.signIn.id, next: '' } as const;
      try {
        const url = await begun(provider, { request, reply }, began);
        return goOnAt(provider, url, `Connect ${provider.name}`);
      } catch (error) {
        return failed(troubleOf(error, provider, request));
      }
    },
  );

  declare(
    { method: 'POST', path: '/profile/identity/remove', needs: 'own-confirmed' },
    async ({ request, visitor }) => {
      const decision = await executeOnUser(dependencies, request, visitor.user.id, {
        type: 'unlink_identity',
      });
      if (isRefusal(decision)) return failed(decision.detail);
      return { goTo: '/profile', done: doneIf(decision.kind === 'change', 'identity-removed') };
    },
  );

  declare({ method: 'GET', path: '/oidc/callback', needs: 'nothing' }, async (visit) => {
    const { request, reply } = visit;
    if (provider === null) return notFound;
    const flow = await flows.of(request, realNow());
    // A flow ends with the first that comes back, whatever it brings.
    flows.end(reply);
    const again = 'This sign-in was not begun in this browser, or too long ago. Begin again.';
    if (flow === null) return signInScreen(dependencies, nowhere, mistake(again));
    const { state, nonce, verifier, purpose, startedAt } = flow;
    const secrets = { state, nonce, verifier };
    const query = request.url.replace(/^[^?]*/, '');
    const isProof = purpose === 'confirm' || purpose === 'accept';
    let confirmed: Confirmed;
    try {
      confirmed = await provider.finish(query, {
        secrets,
        ...(isProof ? { provenSince: startedAt } : {}),
      });
    } catch (error) {
      const message = troubleOf(error, provider, request);
      if (flow.accepts !== undefined) return acceptAgain(flow.accepts, mistake(message));
      return purpose === 'sign-in'
        ? signInScreen(dependencies, goOnTo(flow.next), mistake(message))
        : failed(message);
    }
    if (flow.accepts !== undefined) return accepted(visit, flow.accepts, confirmed);
    return purpose === 'sign-in'
      ? signedIn(provider, visit, flow, confirmed)
      : forVisitor(visit, flow, confirmed);
  });

  type Accepts = Required<Flow>['accepts'];

  /** The link with what was typed, while it is good: its owner may choose another way. */
  async function acceptAgain(
    { token, name, email }: Accepts,
    mistakes: readonly Mistake[],
  ): Promise<Outcome> {
    const found = await openedLink(dependencies, token);
    return found === null
      ? linkIsGone
      : linkScreen(dependencies, { user: found.user, token }, { name, email }, mistakes);
  }

  declare(
    { method: 'POST', path: '/link/:token/oidc', needs: 'nothing' },
    async ({ request, reply, params, form }) => {
      if (provider === null) return notFound;
      const { token = '' } = params;
      const found = await openedLink(dependencies, token);
      if (found === null || !isInvited(found.user)) return linkIsGone;
      const accepts = { token, name: (form.name ?? '').trim(), email: emailKey(form.email ?? '') };
      const mistakes = emailMistakes(accepts);
      if (mistakes.length > 0) return linkScreen(dependencies, { user: found.user, token }, form, mistakes);
      const began = { purpose: 'accept', signIn: '', next: '', accepts } as const;
      try {
        const url = await begun(provider, { request, reply }, began);
        return goOnAt(provider, url, `Go on with ${provider.name}`);
      } catch (error) {
        return acceptAgain(accepts, mistake(troubleOf(error, provider, request)));
      }
    },
  );

  async function accepted(
    { request, reply }: Asked,
    accepts: Accepts,
    { identity, provenAt }: Confirmed,
  ): Promise<Outcome> {
    const { token, name, email } = accepts;
    const found = await openedLink(dependencies, token);
    if (found === null) return linkIsGone;
    const secret = newCookieSecret();
    const decision = await executeOnUser(dependencies, request, found.user.id, {
      ...{ type: 'accept_link_by_identity', secretHash: found.hash, name, email, identity, provenAt },
      signIn: newSignIn(dependencies, request, secret),
    });
    if (isRefusal(decision)) {
      if (decision.reason === 'not_found') return linkIsGone;
      const isOfEmail = decision.problems.some(({ pointer }) => pointer === '/email');
      return acceptAgain(accepts, [takenMistake(decision.detail, isOfEmail ? '/email' : '')]);
    }
    setCookie(reply, { user: found.user.id, signIn: signInBy(decision.user, secret).id, secret });
    return { goTo: '', done: 'welcome-by-provider' };
  }

  async function signedIn(
    { name }: Provider,
    { request, reply }: Asked,
    { next }: Flow,
    { identity, provenAt }: Confirmed,
  ): Promise<Outcome> {
    const nobody = `Nobody here signs in with this account of ${name}. Sign in another way, and connect it in your profile.`;
    const user = await store.dashboardUsers.fetchByIdentity(identity);
    if (user === null) return signInScreen(dependencies, goOnTo(next), mistake(nobody));
    const secret = newCookieSecret();
    const decision = await executeOnUser(dependencies, request, user.id, {
      type: 'sign_in_by_identity',
      identity,
      provenAt,
      signIn: newSignIn(dependencies, request, secret),
      ...(await replacedBy(dependencies, request, user)),
    });
    if (isRefusal(decision)) return signInScreen(dependencies, goOnTo(next), mistake(nobody));
    setCookie(reply, { user: user.id, signIn: signInBy(decision.user, secret).id, secret });
    return { goTo: next === '' ? '' : next.slice('/dashboard'.length) };
  }

  /** Ends a flow that a sign-in has begun, for that one and no other. */
  async function forVisitor(
    { request, reply }: Asked,
    { purpose, signIn }: Flow,
    { identity, provenAt }: Confirmed,
  ): Promise<Outcome> {
    const visitor = await visitorOf(dependencies, request);
    if (visitor === null || visitor.signIn.id !== signIn)
      return failed('You were signed out meanwhile. Nothing was changed.');
    const { user, cookie } = visitor;
    if (purpose === 'link') {
      const decision = await executeOnUser(dependencies, request, user.id, {
        type: 'link_identity',
        identity,
        signIn: visitor.signIn.id,
      });
      return isRefusal(decision) ? failed(decision.detail) : { goTo: '/profile', done: 'identity-linked' };
    }
    const secret = newCookieSecret();
    const decision = await executeOnUser(dependencies, request, user.id, {
      type: 'confirm_by_identity',
      identity,
      provenAt,
      signIn: visitor.signIn.id,
      secretHash: hashSecret(secret),
    });
    if (isRefusal(decision)) return failed(decision.detail);
    if (decision.kind !== 'change') return failed(BAD_IDENTITY);
    setCookie(reply, { ...cookie, secret });
    return {
      title: 'You have proved who you are',
      main: html`<p>Close this window, and go on in the other one.</p>
<p><a href="${basePath}/dashboard">To the dashboard</a></p>`,
    };
  }
}
