/** Pages of lists, newest first. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageRequest, SerializedPage } from '../store/page.ts';
import { JSON_TYPE } from './answer.ts';
import { listBytes, listEnvelope } from './envelope.ts';
import { sendJson } from './pieces.ts';

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
  return {
    limit: limit ?? DEFAULT_LIMIT,
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
}

export function sendList<T extends { readonly id: string }>(
  reply: FastifyReply,
  operation: string,
  rows: readonly T[],
  present: (row: T) => string,
  /** The page goes on behind `edge` where it was given: a row that it has looked at, and need not have. */
  { page, hasMore, edge }: { page: PageRequest; hasMore: boolean; edge?: string | undefined },
): FastifyReply {
  const ids = edge === undefined ? rows.map(({ id }) => id) : [edge];
  const cursor = cursorOf(ids, page, hasMore);
  return reply.type(JSON_TYPE).send(listEnvelope(operation, rows.map(present), hasMore, cursor));
}

/** Sends a page of rows that are bytes already. */
export function sendSerializedList(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: string,
  { ids, json, hasMore }: SerializedPage<string>,
  page: PageRequest,
): Promise<FastifyReply> {
  return sendJson(request, reply, listBytes(operation, [json], hasMore, cursorOf(ids, page, hasMore)));
}

/** `next_cursor` continues in the direction of the page: to older rows, or with `before` to newer ones. */
function cursorOf(ids: readonly string[], { before }: PageRequest, hasMore: boolean): string | null {
  const edge = before === undefined ? ids.at(-1) : ids[0];
  return hasMore && edge !== undefined ? edge : null;
}
