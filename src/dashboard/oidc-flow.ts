/** The cookie of a sign-in at a provider that is under way: it binds what comes back to the browser that has begun. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../lib/json-values.ts';
import type { RealTime } from '../lib/time.ts';
import type { SignInId } from '../users/user.ts';
import { isOwnPath } from './kept.ts';
import type { FlowSecrets } from './oidc.ts';

const NAME = '__Host-opentill-oidc';
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';
const FLOW_SECONDS = 600;

export type Flow = FlowSecrets & {
  readonly purpose: 'sign-in' | 'link' | 'confirm';
  readonly startedAt: RealTime;
  /** The sign-in that it is about; empty for a new one. */
  readonly signIn: SignInId | '';
  /** The screen behind it, or empty. */
  readonly next: string;
};

export function keepFlow(reply: FastifyReply, flow: Flow): void {
  const value = Buffer.from(JSON.stringify(flow)).toString('base64url');
  reply.header('set-cookie', `${NAME}=${value}; ${ATTRIBUTES}; Max-Age=${FLOW_SECONDS}`);
}

export function endFlow(reply: FastifyReply): void {
  reply.header('set-cookie', `${NAME}=; ${ATTRIBUTES}; Max-Age=0`);
}

/** The flow that the browser has begun; null for none, and for one that began too long ago. */
export function flowOf({ headers }: FastifyRequest, now: RealTime): Flow | null {
  const pair = (headers.cookie ?? '').split(';').find((each) => each.trim().startsWith(`${NAME}=`));
  const text = pair?.trim().slice(NAME.length + 1) ?? '';
  try {
    const flow: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return isFlow(flow) && now < flow.startedAt + FLOW_SECONDS * 1000 ? flow : null;
  } catch {
    return null;
  }
}

const isFlow = (flow: unknown): flow is Flow =>
  isObject(flow) &&
  [flow.state, flow.nonce, flow.verifier, flow.signIn, flow.next].every((each) => typeof each === 'string') &&
  typeof flow.startedAt === 'number' &&
  ['sign-in', 'link', 'confirm'].includes(String(flow.purpose)) &&
  (flow.next === '' || isOwnPath(flow.next));
