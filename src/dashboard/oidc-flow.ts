/**
 * The cookie of a sign-in at a provider that is under way: it binds what comes back to the browser that has begun. Its mark
 * shows that the service has begun it, and what for, so that nobody writes one of their own.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomText } from '../lib/id.ts';
import { isObject } from '../lib/json-values.ts';
import type { RealTime } from '../lib/time.ts';
import type { Store } from '../store/store.ts';
import type { SignInId } from '../users/user.ts';
import { isOwnPath } from './kept.ts';
import type { FlowSecrets } from './oidc.ts';

const NAME = '__Host-opentill-oidc';
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';
const FLOW_SECONDS = 600;

/** Base-32 characters of the secret that marks are made under, 5 random bits each. */
const SECRET_LENGTH = 52;

export type Flow = FlowSecrets & {
  readonly purpose: 'sign-in' | 'link' | 'confirm' | 'accept';
  readonly startedAt: RealTime;
  /** The sign-in that it is about; empty for a new one. */
  readonly signIn: SignInId | '';
  /** The screen behind it, or empty. */
  readonly next: string;
  /** The invitation that is accepted by it, and how its user would be called. */
  readonly accepts?: { readonly token: string; readonly name: string; readonly email: string };
};

export function flowsOf({ secrets }: Pick<Store, 'secrets'>) {
  /** All processes of the installation have the same secret. */
  async function markOf(content: string): Promise<Buffer> {
    const secret = await secrets.keep('oidc_flows', randomText(SECRET_LENGTH));
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'opentill flows of OpenID Connect', 32));
    return createHmac('sha256', key).update(content).digest();
  }

  return {
    async keep(reply: FastifyReply, flow: Flow): Promise<void> {
      const content = Buffer.from(JSON.stringify(flow)).toString('base64url');
      const value = `${content}.${(await markOf(content)).toString('base64url')}`;
      reply.header('set-cookie', `${NAME}=${value}; ${ATTRIBUTES}; Max-Age=${FLOW_SECONDS}`);
    },

    end(reply: FastifyReply): void {
      reply.header('set-cookie', `${NAME}=; ${ATTRIBUTES}; Max-Age=0`);
    },

    /** The flow that the browser has begun; null for none, for one that is not ours, and for one that began too long ago. */
    async of({ headers }: FastifyRequest, now: RealTime): Promise<Flow | null> {
      const pair = (headers.cookie ?? '').split(';').find((each) => each.trim().startsWith(`${NAME}=`));
      const [content = '', mark = ''] = (pair ?? '').trim().slice(`${NAME}=`.length).split('.');
      if (content === '' || !isSame(Buffer.from(mark, 'base64url'), await markOf(content))) return null;
      const flow: unknown = JSON.parse(Buffer.from(content, 'base64url').toString());
      return isFlow(flow) && now < flow.startedAt + FLOW_SECONDS * 1000 ? flow : null;
    },
  };
}

const isSame = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

const isFlow = (flow: unknown): flow is Flow =>
  isObject(flow) &&
  [flow.state, flow.nonce, flow.verifier, flow.signIn, flow.next].every((each) => typeof each === 'string') &&
  typeof flow.startedAt === 'number' &&
  ['sign-in', 'link', 'confirm', 'accept'].includes(String(flow.purpose)) &&
  (flow.purpose === 'accept' ? isAccepting(flow.accepts) : flow.accepts === undefined) &&
  (flow.next === '' || isOwnPath(flow.next));

const isAccepting = (accepts: unknown): boolean =>
  isObject(accepts) && [accepts.token, accepts.name, accepts.email].every((each) => typeof each === 'string');
