/** Sends a webhook once and reports the result. Others decide when to retry and what to keep. */

import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import https from 'node:https';
import { timestamp } from '../checkout/representation.ts';
import type { EventRow } from '../events/event.ts';
import { http } from '../lib/node-http.ts';
import type { RealTime } from '../lib/time.ts';
import { parseRetryAfter } from './backoff.ts';
import { failureOf, failureOfStatus } from './failure.ts';
import {
  guardedLookup,
  isForbidden,
  isWeb,
  literalAddress,
  type NetworkRules,
  type Resolve,
} from './guard.ts';
import { createResolve } from './resolve.ts';
import { signatureHeaders } from './sign.ts';

export type Sending = {
  readonly url: string;
  readonly event: EventRow;
  /** All valid secrets, newest first. */
  readonly secrets: readonly [string, ...string[]];
};

export type SendResult = {
  /** `gone`: the receiver wants no more of this delivery (410). */
  readonly outcome: 'delivered' | 'failed' | 'gone';
  /** Status of the answer, which may have broken off after it. */
  readonly httpStatus: number | null;
  /** Failure class such as `timeout`; null if delivered. */
  readonly error: string | null;
  readonly retryAfterMs: number | null;
  /** Duration of the call by a monotonic clock, in whole milliseconds. */
  readonly durationMs: number;
  /** Beginning of the answer's body, as text for people; empty if there was none. */
  readonly answer: string;
};

/** The result without its duration. */
type Outcome = Omit<SendResult, 'durationMs'>;

type Options = {
  readonly rules: NetworkRules;
  /** Version of this service, for the `user-agent`. */
  readonly version: string;
  /** Time limit of the whole call: resolution, connection, waiting for a free socket, slow answers. */
  readonly timeoutMs?: number;
  /**
   * Bytes read of an answer. Little of it is kept, but reading to the end keeps the connection for the next delivery.
   */
  readonly maxAnswerBytes?: number;
  /** Connections to one host and port; further deliveries wait for one of them. */
  readonly maxSocketsPerHost?: number;
  /** Resolver of names; `createResolve` if absent. */
  readonly resolve?: Resolve;
};

/** Shorter than the five seconds after which many servers close an idle connection. */
const IDLE_MS = 4_000;

/** Provisional answers (1xx) accepted, at most; each of them costs as much as an answer. */
const MAX_INFORMATION = 10;

/** Bytes of an answer that are kept: enough for an error message. */
const KEPT_BYTES = 1_024;

/**
 * Time limit for each but the last address of a name. By default, Node.js gives up after half a second, so that a
 * distant receiver could never be reached if its name also has an address of a family that this network lacks.
 */
const CONNECT_MS = 2_500;

/**
 * Creates a sender with its pools of connections. A pool hands out a connection only for the host name, port and (for
 * https) TLS name that it was opened for. The guard vets each connection when it is opened, and a connection never
 * changes its other end, so a pooled connection needs no second check.
 */
export function createSender(options: Options) {
  const { rules, timeoutMs = 15_000, maxAnswerBytes = 65_536, maxSocketsPerHost = 256 } = options;
  const lookup = guardedLookup(rules, options.resolve ?? createResolve());
  const pooling = { keepAlive: true, maxSockets: maxSocketsPerHost, timeout: IDLE_MS };
  const agents = { 'http:': new http.Agent(pooling), 'https:': new https.Agent(pooling) };
  const userAgent = `opentill/${options.version}`;
  let closed = false;

  /**
   * Sends one delivery, signed with each of its secrets. Never rejects. `nowMs` is real time even for test data whose
   * clock was moved, since receivers compare the time of the signature with their own clock.
   */
  async function send(sending: Sending, nowMs: RealTime): Promise<SendResult> {
    const startedAt = performance.now();
    const outcome = await attempt(sending, nowMs);
    return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
  }

  async function attempt(sending: Sending, nowMs: RealTime): Promise<Outcome> {
    const url = URL.parse(sending.url);
    if (!url || !isWeb(url)) return failed('bad address');
    const literal = literalAddress(url.hostname);
    if (literal !== null && isForbidden(literal, rules)) return failed('address forbidden');
    try {
      return await exchange(url, literal ?? url.hostname, sending, nowMs);
    } catch {
      // Only a delivery that cannot become a request gets here, such as one without a usable secret.
      return failed('not sendable');
    }
  }

  function exchange(url: URL, host: string, { event, secrets }: Sending, nowMs: RealTime): Promise<Outcome> {
    const protocol = url.protocol as keyof typeof agents;
    const body = Buffer.from(event.body);
    const signatures = signatureHeaders({
      id: event.id,
      body,
      createdAt: timestamp(event.createdAt),
      secrets,
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
      const kept = createBeginning(KEPT_BYTES);

      /** Settles the result once. The rest of an answer is cut off. */
      function settle(outcome: Outcome, isComplete = false): void {
        isSettled = true;
        clearTimeout(timer);
        resolve({ ...outcome, answer: kept.text() });
        if (!isComplete) request.destroy();
      }

      function read(answer: IncomingMessage): void {
        const outcome = outcomeOf(answer, nowMs);
        let bytes = 0;
        status = outcome.httpStatus;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          kept.add(chunk);
          if (bytes > maxAnswerBytes) settle(outcome);
        });
        answer.on('end', () => settle(outcome, true));
        answer.on('error', (error) => settle(failed(failureOf(error), status)));
      }

      function start(agent: Agent | false): void {
        const options = {
          method: 'POST',
          host,
          port: url.port,
          path: url.pathname + url.search,
          headers,
          agent,
          lookup,
          autoSelectFamilyAttemptTimeout: CONNECT_MS,
        };
        request = (protocol === 'https:' ? https : http).request(options);
        request.on('response', read);
        let informed = 0;
        request.on('information', () => {
          if (++informed > MAX_INFORMATION) settle(failed('bad answer', status));
        });
        // Without a listener, an answer of 101 would never end.
        request.on('upgrade', (_answer, socket) => {
          socket.destroy();
          settle(failed('bad answer', 101));
        });
        request.on('error', (error: NodeJS.ErrnoException) => {
          // The receiver may close an idle connection at the moment of its reuse. That is no failure, so the delivery
          // is sent once more on a new connection.
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
    /** Closes all connections; deliveries in progress fail. So stop the worker first. */
    close(): void {
      closed = true;
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function failed(error: string, httpStatus: number | null = null): Outcome {
  return { outcome: 'failed', httpStatus, error, retryAfterMs: null, answer: '' };
}

/** Result by status. Redirects are not followed: they would lead to an address that no merchant has given. */
function outcomeOf({ statusCode = 0, headers }: IncomingMessage, nowMs: RealTime): Outcome {
  if (statusCode >= 200 && statusCode < 300) {
    return { outcome: 'delivered', httpStatus: statusCode, error: null, retryAfterMs: null, answer: '' };
  }
  return {
    outcome: statusCode === 410 ? 'gone' : 'failed',
    httpStatus: statusCode,
    error: failureOfStatus(statusCode),
    retryAfterMs: parseRetryAfter(headers['retry-after'], nowMs),
    answer: '',
  };
}

/** Characters to remove: PostgreSQL cannot store NUL, and the others could disturb a terminal. */
const CONTROL_CHARACTERS = /[^\P{Cc}\n\t]/gu;

/** Beginning of a body of unknown encoding, as text that can be stored and shown. */
function createBeginning(limitBytes: number) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  return {
    add(chunk: Buffer): void {
      const part = chunk.subarray(0, limitBytes - bytes);
      if (part.length < chunk.length) isCut = true;
      if (part.length === 0) return;
      // The copy releases the rest of the answer from memory.
      chunks.push(Buffer.from(part));
      bytes += part.length;
    },
    text(): string {
      // With `stream`, the decoder holds back a character that was cut in two.
      const decoded = new TextDecoder().decode(Buffer.concat(chunks), { stream: isCut });
      return decoded.replace(CONTROL_CHARACTERS, '\uFFFD');
    },
  };
}
