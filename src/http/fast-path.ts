/**
 * Fast paths: usual requests are answered in front of Fastify, whose life cycle is a third of what they cost. There are no
 * rules here: admission, headers and body come from where the route has them, and whatever is unusual goes on to it.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Arrivals } from './arrivals.ts';
import type { Metrics } from './metrics.ts';
import { isLarge } from './pieces.ts';
import type { Phase } from './routes/operations.ts';

/** True for a request that it answers, or hands on to the route when it has looked. */
export type FastPath = (
  request: IncomingMessage,
  response: ServerResponse,
  toRoute: RequestListener,
) => boolean;

type FastAnswer = {
  readonly statusCode: number;
  /** All but the length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly encoding: 'utf8' | 'latin1';
};

/** Outcome of a look in front of the route; an answer that is null is for the route to give. */
export type Outcome = { readonly answer: FastAnswer | null } | { readonly error: unknown };

/**
 * A request that is being answered. What comes to nothing, or is long, or fails, is left to the route, for which `handOn` keeps
 * what is decided and done already.
 */
type Begun = { readonly answer: Promise<FastAnswer | null>; readonly handOn: (outcome: Outcome) => void };

export type FastPathDependencies = {
  readonly requestId: (request: IncomingMessage) => string;
  readonly phase: () => Phase;
  readonly waitedMs: Arrivals['waitedMs'];
  readonly onAnswered: Metrics['answered'];
};

/** `begin` returns undefined for what is not usual; only plain requests come to it. */
export function createFastPath(
  route: string,
  { phase, waitedMs, onAnswered }: FastPathDependencies,
  begin: (request: IncomingMessage) => Begun | undefined,
): FastPath {
  return (request, response, toRoute) => {
    if (!isPlain(request)) return false;
    const arrivedAt = performance.now() - waitedMs(request);
    const begun = begin(request);
    if (begun === undefined) return false;
    const goOn = (outcome: Outcome) => {
      begun.handOn(outcome);
      toRoute(request, response);
    };
    begun.answer.then(
      (answer) => {
        if (answer === null || isLarge(answer.body) || phase() === 'stopping') return goOn({ answer });
        const { statusCode, headers, body, encoding } = answer;
        response.on('finish', () => onAnswered('GET', route, statusCode, performance.now() - arrivedAt));
        const length = Buffer.byteLength(body, encoding);
        response.writeHead(statusCode, { ...headers, 'content-length': length }).end(body, encoding);
      },
      // The route tells of a failure.
      (error) => goOn({ error }),
    );
    return true;
  };
}

/** True for a request without a body, for all that there is whatever its version. */
function isPlain({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers['if-none-match'] === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  );
}
