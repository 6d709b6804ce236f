/**
 * Client of the API, for the commands that talk to a running server: over HTTP, with an API key. Every failure is one
 * line for the operator, and never repeats the key.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Problem } from '../checkout/refusals.ts';
import { parseRetryAfter } from '../webhooks/backoff.ts';
import { failureOf } from '../webhooks/failure.ts';
import type { ApiKey } from './declare/values.ts';
import { Failure } from './failure.ts';
import { printable } from './printable.ts';

/** An error that the service answered with. */
export class Refused extends Failure {
  override name = 'Refused';
  readonly status: number;
  /** Fields that are wrong, if that is why. */
  readonly problems: readonly Problem[];

  constructor(status: number, message: string, problems: readonly Problem[] = []) {
    super(message);
    this.status = status;
    this.problems = problems;
  }
}

/** Has mistakes in fields told in the words of a command, as it tells those that it finds itself. */
export async function withMistakes<T>(
  asked: Promise<T>,
  failure: (problems: readonly Problem[]) => Error,
): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof Refused && error.problems.length > 0 ? failure(error.problems) : error;
  }
}

/** Error of a server that did not answer, or that is another service. */
export class Unreachable extends Failure {
  override name = 'Unreachable';
}

/** Objects of the API, of which each command knows the fields that it reads. */
export type Data = Readonly<Record<string, unknown>>;
export type Page<T> = {
  readonly data: readonly T[];
  readonly hasMore: boolean;
  readonly cursor: string | null;
};

type Answer = {
  readonly status: number;
  readonly retryAfterMs: number | null;
  /** The list of fields that were ignored, as it came. */
  readonly ignored: string | null;
  readonly text: string;
};

export type Client = ReturnType<typeof createClient>;

const ANSWER_WITHIN_MS = 30_000;
/** Files are read to their end, and all that is in them is worked on, before there is an answer. */
const FILE_WITHIN_MS = 600_000;
/** Waits that the service asks for, one after the other, until it is no use. */
const MOST_WAITS = 60;
const LEAST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 60_000;
/** Pauses before a reading request is repeated that found the service away, as in the middle of a restart. */
const PAUSES_MS = [250, 1000, 2000, 4000, 8000];

/** `base` is the address of the server, without a slash at the end. */
export function createClient(base: string, { key, mode }: ApiKey) {
  const authorization = `Basic ${Buffer.from(key).toString('base64')}`;
  /** A service that has answered once is there, and worth a wait. */
  let isKnown = false;

  /** The whole exchange is to be over in time, or with `stop` only the wait for its beginning. */
  async function request<T>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<T>,
    stop?: AbortSignal,
  ): Promise<T> {
    const inTime = new AbortController();
    const withinMs = init.body instanceof Blob ? FILE_WITHIN_MS : ANSWER_WITHIN_MS;
    const timer = setTimeout(() => inTime.abort(), withinMs);
    const signal = AbortSignal.any([inTime.signal, ...(stop ? [stop] : [])]);
    try {
      const headers = { authorization, ...init.headers };
      return await read(await fetch(`${base}/v3${path}`, { ...init, headers, redirect: 'manual', signal }));
    } catch (error) {
      const why = inTime.signal.aborted ? 'timeout' : failureOf(causeOf(error));
      throw new Unreachable(`${base} does not answer (${why}); is the server running?`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Repeats what may be repeated: what was put off, and reading. */
  async function patient(path: string, init: RequestInit): Promise<Answer> {
    for (let waits = 0, failures = 0; ; ) {
      const again = init.method === 'GET' && isKnown ? PAUSES_MS[failures] : undefined;
      let answer: Answer;
      try {
        answer = await request(path, init, readAnswer);
      } catch (error) {
        if (again === undefined) throw error;
        failures++;
        await pause(again);
        continue;
      }
      if (answer.status === 429 && waits < MOST_WAITS) {
        waits++;
        await pause(answer.retryAfterMs ?? LEAST_WAIT_MS);
      } else if (answer.status >= 500 && again !== undefined) {
        failures++;
        await pause(answer.retryAfterMs ?? again);
      } else return answer;
    }
  }

  async function call(method: string, path: string, body?: object): Promise<Data> {
    const init =
      body === undefined
        ? { headers: unitOf(path) }
        : { headers: { ...unitOf(path), 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const success = successOf(await patient(path, { method, ...init }));
    isKnown = true;
    return success;
  }

  /** The envelope of a success, empty where it has no content; everything else is thrown. */
  function successOf({ status, text }: Answer): Data {
    if (status === 204) return {};
    let envelope: Data | null = null;
    try {
      envelope = JSON.parse(text);
    } catch {
      // A text that is no JSON is not from this service.
    }
    if (envelope?.status === 'success' && status < 300) return envelope;
    if (envelope?.status !== 'error') {
      throw new Unreachable(
        `${base} answered with status ${status}, which opentill does not; is the address right?`,
      );
    }
    if (status === 401) throw new Refused(status, `${base} does not know the API key, or it is revoked`);
    const errors = (envelope.errors ?? []) as readonly ErrorItem[];
    const said = errors.map(({ message }) => String(message)).join(' ') || String(envelope.message);
    const why = `${base} refused the request: ${printable(said).replace(/\.$/, '')}`;
    throw new Refused(status, why, errors.flatMap(problemOf));
  }

  async function page<T = Data>(path: string, query: Readonly<Record<string, string>>): Promise<Page<T>> {
    const { data, has_more, next_cursor } = await call('GET', `${path}?${new URLSearchParams(query)}`);
    return {
      data: data as readonly T[],
      hasMore: has_more === true,
      cursor: typeof next_cursor === 'string' ? next_cursor : null,
    };
  }

  return {
    base,
    mode,
    page,

    async get<T = Data>(path: string): Promise<T> {
      return (await call('GET', path)).data as T;
    },

    /** Without a body where there is none to send. */
    async send<T = Data>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T> {
      return (await call(method, path, body)).data as T;
    },

    /** A request as it is, with whatever is answered. */
    exchange(
      method: string,
      path: string,
      {
        headers = {},
        body,
      }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown },
    ): Promise<Answer> {
      const json = { 'content-type': 'application/json' };
      return patient(path, {
        method,
        headers: body === undefined ? headers : { ...headers, ...json },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    },

    /** A file as it is. */
    async upload<T = Data>(path: string, file: Blob, method: 'POST' | 'PUT' = 'POST'): Promise<T> {
      const headers = { 'content-type': file.type || 'application/octet-stream' };
      const success = successOf(await patient(path, { method, headers, body: file }));
      isKnown = true;
      return success.data as T;
    },

    /** All pages of a list, one at a time. */
    async *pages<T = Data>(path: string, query: Readonly<Record<string, string>> = {}) {
      for (let after: string | null = null; ; ) {
        const next: Page<T> = await page<T>(path, {
          limit: '100',
          ...query,
          ...(after === null ? {} : { after }),
        });
        yield next.data;
        if (!next.hasMore || next.cursor === null) return;
        after = next.cursor;
      }
    },

    /** An answer that goes on for as long as anybody listens. */
    async stream(path: string, headers: Readonly<Record<string, string>>, stop: AbortSignal) {
      const init = { headers: { accept: 'text/event-stream', ...headers } };
      const response = await request(path, init, async (begun) => begun, stop);
      const type = response.headers.get('content-type') ?? '';
      if (response.ok && response.body && type.startsWith('text/event-stream')) return response.body;
      successOf(await readAnswer(response));
      throw new Unreachable(`${base} does not stream events; is it an older opentill?`);
    },
  };
}

/**
 * Commands count minor units, whatever clients of the account count. Only events are read as receivers get them, as they
 * are handed on.
 */
function unitOf(path: string): Readonly<Record<string, string>> {
  return path.startsWith('/event') ? {} : { compatibility: 'strict' };
}

type ErrorItem = { readonly message?: unknown; readonly remarks?: unknown };

/** The field that an error is about, and the rest of its sentence. */
function problemOf({ message, remarks: pointer }: ErrorItem): readonly Problem[] {
  if (typeof message !== 'string' || typeof pointer !== 'string') return [];
  const name = pointer === '' ? 'The body' : pointer.slice(1);
  if (!message.startsWith(`${name} `)) return [];
  return [{ pointer, detail: message.slice(name.length + 1).replace(/\.$/, '') }];
}

/** The reason of an error of `fetch`, which by itself says only that it failed. */
export function causeOf(error: unknown): NodeJS.ErrnoException {
  const { cause = error } = error as Error;
  return cause as NodeJS.ErrnoException;
}

async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const asked = parseRetryAfter(headers.get('retry-after') ?? undefined, Date.now());
  const retryAfterMs = asked === null ? null : Math.min(Math.max(asked, LEAST_WAIT_MS), LONGEST_WAIT_MS);
  return { status, retryAfterMs, ignored: headers.get('ignored-fields'), text: await response.text() };
}
