/** Pages of lists, newest first. */
import type { FastifyReply } from 'fastify';
import type { PageRequest } from '../store/page.ts';
import { JSON_TYPE } from './answer.ts';
import { listEnvelope } from './envelope.ts';
import { fieldsError } from './errors.ts';

export const DEFAULT_LIMIT = 20;

export function pageOf({
  limit,
  after,
  before,
}: {
  limit?: number;
  after?: string;
  before?: string;
}): PageRequest {
  if (after !== undefined && before !== undefined) {
    throw fieldsError([{ pointer: '/before', detail: 'cannot be given together with after' }], 'bad_query');
  }
  return {
    limit: limit ?? DEFAULT_LIMIT,
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
}

/** `next_cursor` continues in the direction of the page: to older rows, or with `before` to newer ones. */
export function sendList<T extends { readonly id: string }>(
  reply: FastifyReply,
  operation: string,
  rows: readonly T[],
  present: (row: T) => string,
  { page, hasMore }: { page: PageRequest; hasMore: boolean },
): FastifyReply {
  const edge = page.before === undefined ? rows.at(-1) : rows[0];
  const cursor = hasMore && edge ? edge.id : null;
  return reply.type(JSON_TYPE).send(listEnvelope(operation, rows.map(present), hasMore, cursor));
}
