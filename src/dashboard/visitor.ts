/** Visitors: whoever is signed in, found by the cookie of a request. */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { hashSecret } from '../accounts/api-key.ts';
import { isConfirmed, openSignIn, type SignIn, type User } from '../users/user.ts';
import { type Cookie, cookieOf } from './cookie.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { executeOnUser } from './execute.ts';

export type Visitor = {
  readonly user: User;
  readonly signIn: SignIn;
  readonly cookie: Cookie;
  /** The token that forms of the visitor have. */
  readonly formToken: string;
  /** True if the visitor has proved lately who they are, as what moves money, keys or people needs. */
  readonly isConfirmed: boolean;
};

/** Time between two notes of when and from where somebody was last seen: each of them is a change. */
const NOTED_EVERY_MS = 5 * 60_000;

/** The visitor, also one whose second factor is still to come; null for nobody. */
export async function anyVisitor(
  dependencies: DashboardDependencies,
  request: FastifyRequest,
): Promise<Visitor | null> {
  const cookie = cookieOf(request);
  if (cookie === null) return null;
  const user = await dependencies.store.dashboardUsers.fetch(cookie.user);
  const now = dependencies.realNow();
  const signIn = user === null ? undefined : openSignIn(user, cookie.signIn, now);
  if (user === null || signIn === undefined || !isSecretOf(signIn, cookie)) return null;
  return {
    user,
    signIn,
    cookie,
    formToken: signIn.formToken,
    isConfirmed: isConfirmed(signIn, now),
  };
}

/** Visitor who is signed in as a whole; null for anybody else. Notes from time to time that they were here. */
export async function visitorOf(
  dependencies: DashboardDependencies,
  request: FastifyRequest,
): Promise<Visitor | null> {
  const visitor = await anyVisitor(dependencies, request);
  if (visitor === null || !visitor.signIn.isWhole) return null;
  const { signIn } = visitor;
  if (dependencies.realNow() - signIn.seenAt >= NOTED_EVERY_MS) {
    const command = { type: 'see_sign_in', signIn: signIn.id, address: request.ip } as const;
    // Nobody waits for it: screens can be read while nothing can be written.
    executeOnUser(dependencies, request, visitor.user.id, command).catch((error) =>
      request.log.warn({ err: error, request_id: request.id }, 'it was not noted who was seen'),
    );
  }
  return visitor;
}

const isSecretOf = ({ secretHash }: SignIn, { secret }: Cookie): boolean =>
  timingSafeEqual(Buffer.from(secretHash), Buffer.from(hashSecret(secret)));

/** True if the form was made for this visitor. */
export function hasFormToken({ body }: FastifyRequest, visitor: Visitor): boolean {
  const given = Object(body).form_token;
  const [one, other] = [Buffer.from(typeof given === 'string' ? given : ''), Buffer.from(visitor.formToken)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The sign-in that was made with the secret. */
export function signInBy({ signIns }: User, secret: string): SignIn {
  const hash = hashSecret(secret);
  const found = signIns.find(({ secretHash }) => secretHash === hash);
  if (found === undefined) throw new Error('the sign-in that was just made is not there');
  return found;
}
