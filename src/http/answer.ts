/** Answers: how they are sent, and the headers of requests that they depend on. */

import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../accounts/account.ts';
import { isRefusal } from '../checkout/refusals.ts';
import { type Tenant, tenantName } from '../checkout/tenant.ts';
import type { Condition } from '../lib/condition.ts';
import type { Answer, IdempotencyKey, Store } from '../store/store.ts';
import type { Origin } from '../writer/command.ts';
import type { Executed } from '../writer/writer.ts';
import type { Principal } from './auth.ts';
import type { Dependencies } from './dependencies.ts';
import { fieldsError, RequestError, refusalError } from './errors.ts';

/** Sends the answer that the route has made of a command's result, or the stored one; a refusal becomes an error. */
export function sendResult(reply: FastifyReply, { result, answer }: Executed<unknown>): FastifyReply {
  if (isRefusal(result)) throw refusalError(result);
  if (answer === null) throw new Error('a route has to say how it answers');
  if (result.kind === 'replay') reply.header('idempotent-replayed', 'true');
  return sendAnswer(reply, answer);
}

/** The stored answer to a repeated request, or its refusal, before any work is done. Null for a new request. */
export async function answerBefore(
  execute: Dependencies['execute'],
  origin: Origin,
): Promise<Executed<never> | null> {
  if (origin.idempotency === null) return null;
  const earlier = await execute({ subject: 'repetition', origin });
  const { result } = earlier;
  const isNew = isRefusal(result) && result.reason === 'not_found';
  return isNew ? null : earlier;
}

export function sendAnswer(reply: FastifyReply, { statusCode, headers, body }: Answer): FastifyReply {
  return reply.code(statusCode).headers(headers).type(JSON_TYPE).send(body);
}

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** Headers that every answer has. */
export const commonHeaders = (requestId: string) => ({ ...securityHeaders, 'x-request-id': requestId });

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Origin of the commands of this request. */
export function originOf(request: FastifyRequest): Origin {
  const { keyId, tenant } = principalOf(request);
  return { tenant, actor: keyId, requestId: request.id, idempotency: idempotencyOf(request) };
}

/**
 * Origin of commands on another tenant than the caller's: the installation, or another account. Answers are kept there for
 * the callers of all accounts, so that an idempotency key is that of its account and mode.
 */
export function originOn(tenant: Tenant, request: FastifyRequest): Origin {
  const { tenant: own, idempotency, ...who } = originOf(request);
  const key = idempotency && { ...idempotency, key: `${tenantName(own)} ${idempotency.key}` };
  return { ...who, tenant, idempotency: key };
}

/** The account of the caller's key. */
export async function accountOf(
  store: Pick<Store, 'accounts'>,
  { account: number }: Tenant,
): Promise<Account> {
  const account = await store.accounts.fetch(number);
  if (account === null) throw new Error(`there is a key of account ${number}, but no such account`);
  return account;
}

export function principalOf(request: FastifyRequest): Principal {
  const { principal } = request;
  // Only a route outside the authenticated part could come here: our bug, not the caller's.
  if (principal === null) throw new Error(`${request.routeOptions.url} asks for a caller, but is open`);
  return principal;
}

/** The Idempotency-Key header, quoted (as a structured field) or bare. */
function idempotencyOf(request: FastifyRequest): IdempotencyKey | null {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  const text = String(header);
  const key = text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  if (key.length < 1 || key.length > 255 || !/^[\x20-\x7e]+$/.test(key)) {
    throw fieldsError([
      { pointer: '/Idempotency-Key', detail: 'must have 1 to 255 printable ASCII characters' },
    ]);
  }
  return {
    key,
    operation: `${request.method} ${pathOf(request)}`,
    requestHash: hash('sha256', request.bodyBytes ?? ''),
  };
}

/** The path in the form of the route: a client may have escaped characters without need. */
function pathOf(request: FastifyRequest): string {
  const params = request.params as Record<string, string>;
  return String(request.routeOptions.url).replace(/:(\w+)/g, (_match, name: string) => params[name] ?? '');
}

/**
 * The version that If-Match asks for: null for none or any, -1 for what no version can match. A command knows one
 * version; of several (RFC 9110 section 13.1.1 lets any of them match) it gets the one that the session is at.
 */
export async function ifVersionOf(
  request: FastifyRequest,
  current: () => Promise<{ readonly version: number } | null>,
): Promise<number | null> {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  const versions = header.split(',').flatMap((each) => {
    const version = /^"(\d{1,15})"$/.exec(each.trim())?.[1];
    return version === undefined ? [] : [Number(version)];
  });
  if (versions.length <= 1) return versions[0] ?? -1;
  const session = await current();
  return versions.find((each) => each === session?.version) ?? -1;
}

/** The condition that the request names; nothing for none. If-Match compares strongly: no weak tag can match. */
export function conditionOf({ headers }: FastifyRequest): { readonly condition?: Condition } {
  const [match, noneMatch] = [headers['if-match'], headers['if-none-match']];
  if (match === undefined && noneMatch === undefined) return {};
  const wanted = (header: string, tag: RegExp) =>
    header.trim() === '*' ? '*' : header.split(',').flatMap((each) => tag.exec(each.trim())?.[1] ?? []);
  return {
    condition: {
      ...(match !== undefined && { match: wanted(match, /^"([^"]*)"$/) }),
      ...(noneMatch !== undefined && { noneMatch: wanted(noneMatch, /^(?:W\/)?"([^"]*)"$/) }),
    },
  };
}

/** True if the client already has this version (If-None-Match, compared weakly as RFC 9110 section 13.1.2 wants). */
export function isKnown(request: FastifyRequest, etag: string): boolean {
  const header = request.headers['if-none-match'];
  if (header === undefined) return false;
  return header.split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()));
}

export function notFound(detail: string): RequestError {
  return new RequestError('not_found', [{ reason: 'not_found', message: detail, remarks: '' }]);
}
