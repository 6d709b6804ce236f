/** Sends a webhook once and says what came of it. When to try again, and what to keep of it, others decide. */
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { timestamp } from '../checkout/present.ts';
import type { ClaimedDelivery } from '../store/store.ts';
import { parseRetryAfter } from './backoff.ts';
import { failureOf, failureOfStatus } from './failure.ts';
import { guardedLookup, isForbidden, literalAddress, type NetworkRules, type Resolve } from './guard.ts';
import { signatureHeaders } from './sign.ts';

export type SendResult = {
  /** `gone`: the receiver wants no more of this delivery (410). */
  readonly outcome: 'delivered' | 'failed' | 'gone';
  /** As far as an answer came: it may have broken off after its status. */
  readonly httpStatus: number | null;
  /** A short class such as `timeout`; null where it was delivered. */
  readonly error: string | null;
  readonly retryAfterMs: number | null;
};

type Options = {
  readonly rules: NetworkRules;
  /** Of this service, for the `user-agent`. */
  readonly version: string;
  /** From the call to the end of the answer, all of it: name, connection, waiting for a free socket, slow answers. */
  readonly timeoutMs?: number;
  /** What is read of an answer; nobody looks at it, but reading to the end keeps the connection for the next. */
  readonly maxAnswerBytes?: number;
  /** Connections to one host and port; further deliveries wait for one of them. */
  readonly maxSocketsPerHost?: number;
  /** How names are resolved; the system's way if absent. */
  readonly resolve?: Resolve;
};

/** Shorter than the five seconds after which many servers close an idle connection. */
const IDLE_MS = 4_000;

/**
 * A sender with its pools of connections. A pool hands out a connection only for the host name, port and (for https)
 * TLS name that it was opened for. The guard vets each connection when it is opened, and a connection never changes
 * its other end, so one from the pool needs no second look.
 */
export function createSender(options: Options) {
  const { rules, timeoutMs = 15_000, maxAnswerBytes = 65_536, maxSocketsPerHost = 128 } = options;
  const lookup = guardedLookup(rules, options.resolve);
  const pooling = { keepAlive: true, maxSockets: maxSocketsPerHost, timeout: IDLE_MS };
  const agents = { 'http:': new http.Agent(pooling), 'https:': new https.Agent(pooling) };
  const userAgent = `opentill/${options.version}`;
  let closed = false;

  /**
   * Sends one delivery, signed with `secret`. Never rejects. `nowMs` is real time also for test data whose clock was
   * moved, for receivers compare the signature's time with their own clock.
   */
  async function send(delivery: ClaimedDelivery, secret: string, nowMs: number): Promise<SendResult> {
    const url = URL.parse(delivery.url);
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return failed('bad address');
    const literal = literalAddress(url.hostname);
    if (literal !== null && isForbidden(literal, rules)) return failed('address forbidden');
    try {
      return await exchange(url, literal ?? url.hostname, delivery, secret, nowMs);
    } catch {
      // Only a delivery that cannot be made into a request comes here, such as one without a usable secret.
      return failed('not sendable');
    }
  }

  function exchange(
    url: URL,
    host: string,
    { event }: ClaimedDelivery,
    secret: string,
    nowMs: number,
  ): Promise<SendResult> {
    const protocol = url.protocol as keyof typeof agents;
    const body = Buffer.from(event.body);
    const signatures = signatureHeaders({
      id: event.id,
      body,
      createdAt: timestamp(event.createdAt),
      secret,
      timestampSeconds: Math.floor(nowMs / 1000),
    });
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': userAgent,
      ...signatures,
    };

    return new Promise((resolve) => {
      let request: ClientRequest;
      let status: number | null = null;
      let isSettled = false;

      /** The first call counts. Whatever was not read to its end is cut off. */
      function settle(result: SendResult, isComplete = false): void {
        isSettled = true;
        clearTimeout(timer);
        resolve(result);
        if (!isComplete) request.destroy();
      }

      function read(answer: IncomingMessage): void {
        const result = resultOf(answer, nowMs);
        let bytes = 0;
        status = result.httpStatus;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxAnswerBytes) settle(result);
        });
        answer.on('end', () => settle(result, true));
        answer.on('error', (error) => settle(failed(failureOf(error), status)));
      }

      function start(agent: http.Agent | false): void {
        request = (protocol === 'https:' ? https : http).request({
          method: 'POST',
          host,
          port: url.port,
          path: url.pathname + url.search,
          headers,
          agent,
          lookup,
        });
        request.on('response', read);
        // Without a listener an answer of 101 would never come to an end.
        request.on('upgrade', (_answer, socket) => {
          socket.destroy();
          settle(failed('bad answer', 101));
        });
        request.on('error', (error: NodeJS.ErrnoException) => {
          // The receiver may close an idle connection in the moment in which it is used again. That is nobody's
          // failure, so the delivery is sent once more, on a connection of its own.
          const wasIdle = agent !== false && request.reusedSocket && status === null;
          const isOver = isSettled || closed;
          if (wasIdle && !isOver && failureOf(error) === 'connection closed') start(false);
          else settle(failed(failureOf(error), status));
        });
        request.end(body);
      }

      start(agents[protocol]);
      const timer = setTimeout(() => settle(failed('timeout', status)), timeoutMs);
    });
  }

  return {
    send,
    /** Closes all connections; what is still being sent fails. So let the worker come to rest first. */
    close(): void {
      closed = true;
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function failed(error: string, httpStatus: number | null = null): SendResult {
  return { outcome: 'failed', httpStatus, error, retryAfterMs: null };
}

/** The status decides. Redirects are not followed: they would name an address that no merchant has given. */
function resultOf({ statusCode = 0, headers }: IncomingMessage, nowMs: number): SendResult {
  if (statusCode >= 200 && statusCode < 300) {
    return { outcome: 'delivered', httpStatus: statusCode, error: null, retryAfterMs: null };
  }
  return {
    outcome: statusCode === 410 ? 'gone' : 'failed',
    httpStatus: statusCode,
    error: failureOfStatus(statusCode),
    retryAfterMs: parseRetryAfter(headers['retry-after'], nowMs),
  };
}
