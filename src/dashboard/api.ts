/** The API as the dashboard uses it: in the same process, on behalf of whoever is signed in. */
import type { Readable } from 'node:stream';
import type { Tenant } from '../checkout/tenant.ts';
import type { OwnRequest } from '../http/dispatch.ts';
import type { AskOwn } from '../http/in-process.ts';
import type { Rights } from '../users/roles.ts';
import type { UserId } from '../users/user.ts';

/** A mistake as the API tells it: its sentence, and the JSON pointer of the field, which may be empty. */
export type Mistake = { readonly message: string; readonly pointer: string };

export type ApiAnswer<T> =
  | {
      readonly ok: true;
      readonly status: number;
      readonly data: T;
      readonly nextCursor: string | null;
      readonly etag: string;
    }
  | { readonly ok: false; readonly status: number; readonly mistakes: readonly Mistake[] };

export type ApiRefusal = Extract<ApiAnswer<unknown>, { readonly ok: false }>;

export type ApiFile = { readonly type: string; readonly etag: string; readonly bytes: Buffer };

/** Result of several answers of the API, or the first refusal among them. */
export type Told<T> = { readonly ok: true; readonly data: T } | ApiRefusal;

export type ApiCaller = ReturnType<typeof apiFor>;

type Given = {
  readonly ask: AskOwn;
  readonly user: UserId;
  readonly tenant: Tenant;
  readonly rights: Rights;
  readonly requestId: string;
};

/** The API for one request of a user to the dashboard. */
export function apiFor({ ask, ...asker }: Given) {
  async function call<T>(request: OwnRequest): Promise<ApiAnswer<T>> {
    const { status, headers, pieces } = await ask(asker, request);
    const bytes = joined(pieces);
    if (status >= 400) return refusalIn(status, bytes);
    const json = bytes.length === 0 ? {} : JSON.parse(bytes.toString());
    return {
      ok: true,
      status,
      data: json.data,
      nextCursor: json.next_cursor ?? null,
      etag: String(headers.etag ?? ''),
    };
  }

  return {
    get: <T>(url: string) => call<T>({ method: 'GET', url }),
    /** A file, with its type and version. */
    async file(url: string): Promise<Told<ApiFile>> {
      const { status, headers, pieces } = await ask(asker, { method: 'GET', url });
      const bytes = joined(pieces);
      if (status >= 400) return refusalIn(status, bytes);
      const [type, etag] = [headers['content-type'], headers.etag].map((value) => String(value ?? ''));
      return { ok: true, data: { type: type ?? '', etag: etag ?? '', bytes } };
    },
    /** The bytes of an answer, for a thread that reads them: they are handed over without a copy. */
    async pieces(url: string): Promise<Told<readonly Uint8Array[]>> {
      const { status, pieces } = await ask(asker, { method: 'GET', url });
      return status >= 400 ? refusalIn(status, joined(pieces)) : { ok: true, data: pieces };
    },
    /** Sends a file as it comes. */
    upload: <T>(url: string, content: Readable | Buffer, headers?: OwnRequest['headers']) =>
      call<T>({ method: 'POST', url, body: content, ...(headers === undefined ? {} : { headers }) }),
    /** Any other method. `headers` such as `If-Match`. */
    send: <T>(
      method: Exclude<OwnRequest['method'], 'GET'>,
      url: string,
      body?: object,
      headers?: OwnRequest['headers'],
    ) => call<T>({ method, url, body, ...(headers === undefined ? {} : { headers }) }),
  };
}

function joined(pieces: readonly Uint8Array[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined
    ? Buffer.from(only.buffer, only.byteOffset, only.length)
    : Buffer.concat(pieces);
}

type ErrorBody = {
  readonly errors?: ReadonlyArray<{ readonly message: string; readonly remarks: string }>;
};

const refusalIn = (status: number, bytes: Buffer): ApiRefusal => ({
  ok: false,
  status,
  mistakes: mistakesIn(JSON.parse(bytes.toString())),
});

function mistakesIn({ errors = [] }: ErrorBody): Mistake[] {
  return errors.map(({ message, remarks }) => ({ message, pointer: remarks }));
}

/** Mistakes of a form: in our own words where there are some for a place, and in those of the API elsewhere. */
export function mistakesOf(answer: ApiAnswer<unknown>, own: readonly Mistake[] = []): readonly Mistake[] {
  const told = answer.ok ? [] : answer.mistakes;
  return [...own, ...told.filter(({ pointer }) => !own.some((each) => each.pointer === pointer))];
}
