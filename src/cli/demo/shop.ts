/** The shop's side of the API, as far as a demo shows it: each call says what it asked for and what came back. */
import { answer, request } from './print.ts';

export type Shop = {
  /** Address of the server. */
  readonly url: string;
  /** Id and secret, with a colon between. */
  readonly key: string;
};

/** A resource of the API. */
export type Resource = Readonly<Record<string, unknown>> & { readonly id: string; readonly url: string };

/** A step that did not go as it should. */
export class StepFailed extends Error {
  override name = 'StepFailed';
}

/** Calls the API and shows both sides of it. */
export async function call(
  shop: Shop,
  method: string,
  path: string,
  { body, shown }: { readonly body?: object; readonly shown: readonly string[] },
): Promise<Resource> {
  request(method, shop.url + path, body);
  const { status, message, data } = await send(shop, method, path, body);
  answer(status, message, data, shown);
  return data;
}

/** Calls the API and shows nothing. A text is sent as a file is, everything else as JSON. */
export async function send<T = Resource>(
  { url, key }: Shop,
  method: string,
  path: string,
  body?: object | string,
) {
  const isFile = typeof body === 'string';
  const type = isFile ? 'application/octet-stream' : 'application/json';
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(key).toString('base64')}`,
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new StepFailed(`${method} ${path} was answered with ${response.status} ${text}`);
  const { message, data } = JSON.parse(text) as { message: string; data: T };
  return { status: response.status, message, data };
}

export function expectField(resource: Resource, name: string, wanted: unknown): void {
  expect(name, resource[name], wanted);
}

/** Fails unless the two are the same as JSON; `what` is the subject of the sentence that says so. */
export function expect(what: string, found: unknown, wanted: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (is !== should) throw new StepFailed(`${what} is ${is} instead of ${should}`);
}
