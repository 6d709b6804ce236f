/** The client of a service that is killed meanwhile. */
import type { Store } from '../../../src/store/store.ts';
import { asSent } from '../../support/client.ts';
import type { Server } from '../../support/process.ts';
import type { OtherService } from '../../support/service.ts';
import type { Request } from './changes.ts';

export const bootstrapKey = 'ak_test_first:sk_test_first';
/** The keys of all requests, which may manage keys as well. */
export const keys = {
  test: { id: 'ak_test_steps', secret: 'sk_test_steps' },
  live: { id: 'ak_live_steps', secret: 'sk_live_steps' },
};
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;
const authorizationOf = ({ id, secret }: { readonly id: string; readonly secret: string }) =>
  basic(`${id}:${secret}`);
const authorization = authorizationOf(keys.test);
export const bootstrapAuthorization = basic(bootstrapKey);

export type Answer = {
  readonly status: number;
  readonly text: string;
  readonly etag: string | null;
  readonly replayed: boolean;
};

export const isSuccess = (answer: Answer | null): answer is Answer => answer !== null && answer.status < 300;

/** Null if no answer came. */
export async function send(url: string, { method, path, body, key, mode }: Request): Promise<Answer | null> {
  const { type = '', content = '' } = asSent(body);
  const headers = {
    authorization: authorizationOf(keys[mode ?? 'test']),
    'content-type': type,
    'idempotency-key': key,
  };
  try {
    const response = await fetch(url + path, { method, headers, body: content });
    return {
      status: response.status,
      text: await response.text(),
      etag: response.headers.get('etag'),
      replayed: response.headers.has('idempotent-replayed'),
    };
  } catch {
    return null;
  }
}

/** The service as those who prepare something see it. */
export function asService({ url }: Server, store: Store): OtherService {
  return {
    url,
    key: { ...keys.test, authorization },
    account: { number: 1 },
    service: { store },
    async call(method, path, { body, headers = {} } = {}) {
      const { type, content = null } = asSent(body);
      const typed = type === undefined ? {} : { 'content-type': type };
      const response = await fetch(url + path, {
        method,
        headers: { authorization, ...typed, ...headers },
        body: content,
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: text === '' ? null : JSON.parse(text),
      };
    },
  };
}
