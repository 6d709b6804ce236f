/** The cookie of a sign-in. Its name lets browsers take it only from this host, over HTTPS or from this machine. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../accounts/api-key.ts';
import { ID_LENGTH, randomText } from '../lib/id.ts';
import type { SignInId, UserId } from '../users/user.ts';

const NAME = '__Host-opentill';
const SECRET_LENGTH = 40;
const TOKEN = new RegExp(
  `^${NAME}=(usr_\\w{${ID_LENGTH}})\\.(sgn_\\w{${ID_LENGTH}})\\.([0-9a-z]{${SECRET_LENGTH}})$`,
);

const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';

export type Cookie = { readonly user: UserId; readonly signIn: SignInId; readonly secret: string };

export const newCookieSecret = (): string => randomText(SECRET_LENGTH);

export function cookieOf({ headers }: FastifyRequest): Cookie | null {
  const all = (headers.cookie ?? '').split(';').map((each) => TOKEN.exec(each.trim()));
  const [, user, signIn, secret] = all.find((each) => each !== null) ?? [];
  if (user === undefined || signIn === undefined || secret === undefined) return null;
  return { user: user as UserId, signIn: signIn as SignInId, secret };
}

/** Without an end: browsers forget it with their session, and the service ends the sign-in by its own clock. */
export function setCookie(reply: FastifyReply, { user, signIn, secret }: Cookie): void {
  reply.header('set-cookie', `${NAME}=${user}.${signIn}.${secret}; ${ATTRIBUTES}`);
}

export function clearCookie(reply: FastifyReply): void {
  reply.header('set-cookie', `${NAME}=; ${ATTRIBUTES}; Max-Age=0`);
}

/**
 * The token that every form of a new sign-in has: another site neither knows it nor can read it. It follows from the
 * secret, which it does not tell.
 */
export const newFormToken = (secret: string): string => hashSecret(`form ${secret}`);
