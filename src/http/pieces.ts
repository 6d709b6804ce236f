/**
 * Pieces of large answers: the kernel takes a millisecond for a megabyte, and more where the other end is on the same
 * machine. A piece is written when the client has taken those before it and its tenant has its turn: a few pieces of all in
 * one turn of the event loop, so that whatever others ask comes in between.
 */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { tenantName } from '../checkout/tenant.ts';
import { clientOf } from '../lib/client-address.ts';
import { GeneratedReadable } from '../lib/generated-readable.ts';
import { createPace } from '../lib/rate-limit.ts';
import { JSON_TYPE } from './answer.ts';
import { createTurns, unlimited } from './turns.ts';

export const PIECE_BYTES = 64 * 1024;
const PIECES_A_TURN = 4;

/** True for an answer that is sent in pieces. */
export const isLarge = ({ length }: string | Buffer): boolean => length > PIECE_BYTES;

export type Bytes = readonly Uint8Array[];

export const lengthOf = (bytes: Bytes): number => bytes.reduce((sum, { length }) => sum + length, 0);

export type Pieces = ReturnType<typeof createPieces>;

/** Bytes of answers that are still to be written. */
const unsent = new WeakMap<ServerResponse, number>();

/** Bytes of an answer that is made, and of which nothing is known to the connection yet. */
export const unsentOf = (response: ServerResponse): number => unsent.get(response) ?? 0;

/**
 * Bytes of large answers that go to an account and mode, or to an address without a key, in a second. Twenty clients that
 * export share them: what others wait beside them grows with the bytes.
 */
const BYTES_PER_SECOND = 16 * 2 ** 20;

export function createPieces(
  pace = createPace(BYTES_PER_SECOND, Number.POSITIVE_INFINITY, () => performance.now()),
) {
  // Each answer waits with one piece at most, and there are no more answers than connections.
  const turns = createTurns(unlimited, { atOnce: PIECES_A_TURN });

  /** Resolves when this caller may send so many bytes. */
  async function ownTurn(caller: string, length: number): Promise<void> {
    const waitMs = pace.take(caller, length);
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    await new Promise<void>((resolve) => turns(caller, () => resolve()));
  }

  /** Resolves when this caller has had the turns for so many bytes. */
  async function turnsFor(caller: string, length: number): Promise<void> {
    for (let left = length; left > 0; left -= PIECE_BYTES) await ownTurn(caller, Math.min(left, PIECE_BYTES));
  }

  /** The bytes, one piece in each turn of this caller: a tenant, or the address of somebody without a key. */
  async function* inTurns(
    response: ServerResponse,
    caller: string,
    bytes: Bytes,
  ): AsyncGenerator<Uint8Array> {
    let left = lengthOf(bytes);
    try {
      for (const piece of cut(bytes)) {
        unsent.set(response, left);
        await ownTurn(caller, piece.length);
        left -= piece.length;
        unsent.set(response, left);
        yield piece;
      }
    } finally {
      unsent.delete(response);
    }
  }

  return { inTurns, turnsFor };
}

/** Pieces no longer than they may be; short parts share one. */
function* cut(bytes: Bytes): Generator<Uint8Array> {
  let short: Uint8Array[] = [];
  let length = 0;
  for (const part of bytes) {
    for (let start = 0; start < part.length; start += PIECE_BYTES) {
      const next = part.subarray(start, start + PIECE_BYTES);
      if (length + next.length > PIECE_BYTES) {
        yield joined(short);
        short = [];
        length = 0;
      }
      short.push(next);
      length += next.length;
    }
  }
  if (length > 0) yield joined(short);
}

const joined = (parts: readonly Uint8Array[]): Uint8Array =>
  parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);

declare module 'fastify' {
  interface FastifyInstance {
    pieces: Pieces;
  }
}

/** Has large answers of the routes behind it sent in pieces. */
export function sendInPieces(scope: FastifyInstance): void {
  scope.addHook('onSend', (request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isWhole || !isLarge(payload) || request.method === 'HEAD') return done(null, payload);
    done(null, paced(request, reply, [typeof payload === 'string' ? Buffer.from(payload) : payload]));
  });
}

/**
 * Sends JSON that is there as bytes. Somebody in the process takes the bytes themselves: joined, they would be a copy that
 * waits for the collector.
 */
export async function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Bytes,
): Promise<FastifyReply> {
  reply.type(JSON_TYPE);
  const length = lengthOf(bytes);
  const taker = request.principal?.inProcess;
  if (taker) {
    await request.server.pieces.turnsFor(callerOf(request), length);
    taker.take(bytes);
    return reply.send('');
  }
  if (length <= PIECE_BYTES || request.method === 'HEAD') return reply.send(Buffer.concat(bytes));
  return reply.send(paced(request, reply, bytes));
}

const callerOf = ({ principal, ip }: FastifyRequest): string =>
  principal ? tenantName(principal.tenant) : clientOf(ip);

function paced(request: FastifyRequest, reply: FastifyReply, bytes: Bytes): Readable {
  reply.header('content-length', lengthOf(bytes));
  return new GeneratedReadable(request.server.pieces.inTurns(reply.raw, callerOf(request), bytes));
}
