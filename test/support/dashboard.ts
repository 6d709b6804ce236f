/** A browser without JavaScript in front of the dashboard: it keeps the cookie, and sends forms as the pages have them. */
import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import type { Store } from '../../src/store/store.ts';
import { linkAddress, newLink } from '../../src/users/links.ts';
import type { Role } from '../../src/users/roles.ts';
import type { User } from '../../src/users/user.ts';
import { changeUser, inviteUser } from './users.ts';

export type Page = {
  readonly status: number;
  readonly html: string;
  readonly location: string | null;
  readonly headers: Headers;
};

type Fields = Readonly<Record<string, string>>;

export type UploadedFile = { readonly name: string; readonly content: string | Uint8Array<ArrayBuffer> };

export type Visitor = ReturnType<typeof createVisitor>;

/** `url` is the address of the service. */
export function createVisitor(url: string, { cookie: first = '' } = {}) {
  let cookie = first;

  async function send(path: string, init: RequestInit & { readonly headers?: Fields }): Promise<Page> {
    const address = path.startsWith('http') ? path : url + path;
    const all = {
      ...(cookie === '' ? {} : { cookie }),
      'sec-fetch-site': 'same-origin',
      ...init.headers,
    };
    // An empty one is left out.
    const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    const response = await fetch(address, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      cookie = pair.endsWith('=') ? '' : pair;
    }
    const location = response.headers.get('location');
    return { status: response.status, html: await response.text(), location, headers: response.headers };
  }

  const visitor = {
    cookie: () => cookie,
    get: (path: string, headers: Fields = {}) => send(path, { headers }),
    /** Sends fields as they are. */
    post: (path: string, fields: Fields | URLSearchParams, headers: Fields = {}) =>
      send(path, { method: 'POST', body: new URLSearchParams(fields), headers }),
    /** Sends the form of the page whose action ends with this, with what it has by itself. */
    submit(page: Page, action: string, fields: Fields = {}): Promise<Page> {
      const form = formIn(page, action);
      return visitor.post(form.action, { ...form.fields, ...fields });
    },
    /** The same without some of its fields: checkboxes that are no longer checked. */
    submitWithout(page: Page, action: string, left: readonly string[], fields: Fields = {}): Promise<Page> {
      const form = formIn(page, action);
      const kept = Object.entries(form.fields).filter(([name]) => !left.includes(name));
      return visitor.post(form.action, { ...Object.fromEntries(kept), ...fields });
    },
    /** Sends the form with a file, behind its fields as in the page. Without one, it sends that nobody has chosen any. */
    upload(page: Page, action: string, file: UploadedFile | null, fields: Fields = {}): Promise<Page> {
      const form = formIn(page, action);
      const body = new FormData();
      for (const [name, value] of Object.entries({ ...form.fields, ...fields }))
        if (name !== 'file') body.append(name, value);
      const { name = '', content = '' } = file ?? {};
      body.append('file', new Blob([content], { type: 'application/octet-stream' }), name);
      return send(form.action, { method: 'POST', body });
    },
    /** Follows redirects. */
    async follow(page: Page | Promise<Page>): Promise<Page> {
      let current = await page;
      for (let i = 0; i < 5 && current.location !== null; i++) current = await visitor.get(current.location);
      return current;
    },
  };
  return visitor;
}

/** The form of a page with its fields as a browser would send them. */
export function formIn(
  { html }: Pick<Page, 'html'>,
  action: string,
): { action: string; fields: Record<string, string> } {
  const forms = [...html.matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)];
  const found = forms.find(([, address = '']) => decoded(address).endsWith(action));
  assert.ok(found, `no form ${action} among ${forms.map(([, address]) => address).join(', ') || 'none'}`);
  const [, address = '', content = ''] = found;
  const fields: Record<string, string> = {};
  for (const [tag] of content.matchAll(/<input\b[^>]*>/g)) {
    const name = /\bname="([^"]*)"/.exec(tag)?.[1];
    const isLeftOut = / type="checkbox"/.test(tag) && !/ checked/.test(tag);
    if (name !== undefined && !isLeftOut) fields[name] = decoded(/\bvalue="([^"]*)"/.exec(tag)?.[1] ?? '');
  }
  for (const [, name = '', options = ''] of content.matchAll(
    /<select\b[^>]*\bname="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g,
  )) {
    const chosen =
      /<option value="([^"]*)" selected>/.exec(options) ?? /<option value="([^"]*)"/.exec(options);
    fields[name] = decoded(chosen?.[1] ?? '');
  }
  for (const [, name = '', text = ''] of content.matchAll(
    /<textarea\b[^>]*\bname="([^"]*)"[^>]*>([\s\S]*?)<\/textarea>/g,
  )) {
    fields[name] = decoded(text.replace(/^\n/, ''));
  }
  return { action: decoded(address), fields };
}

const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The sentence that a reader sees, without its tags. */
export const textOf = ({ html }: Pick<Page, 'html'>): string =>
  decoded(html.replace(/<head>[\s\S]*<\/head>/, '').replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();

export const PASSWORD = 'four words of a test';

type Given = {
  readonly role?: Role;
  readonly account?: number;
  readonly email?: string;
  readonly name?: string;
  readonly isOperator?: true;
};

/** Invites somebody and gives their link. */
export async function invite(
  store: Store,
  url: string,
  given: Given = {},
): Promise<{ user: User; link: string }> {
  const user = await inviteUser(store, given);
  return { user, link: await resetLink(store, url, user) };
}

/** A new link for somebody. */
export async function resetLink(store: Store, url: string, { id }: Pick<User, 'id'>): Promise<string> {
  const now = Date.now();
  const { link, secret } = newLink(now);
  await changeUser(store, id, { type: 'reset_user', account: null, link, now });
  return linkAddress(url, id, secret);
}

/** Somebody who has accepted an invitation, and is signed in. */
export async function signedInVisitor(
  { service: { store }, url }: { readonly service: { readonly store: Store }; readonly url: string },
  given: Given = {},
): Promise<{ visitor: Visitor; user: User }> {
  const { user, link } = await invite(store, url, given);
  const visitor = createVisitor(url);
  const page = await visitor.get(link);
  const answer = await visitor.submit(page, link.slice(url.length), { password: PASSWORD });
  assert.equal(answer.status, 303, textOf(answer));
  return { visitor, user };
}

/** The code that an authenticator app shows at this time. */
export const totpCode = (secret: string, at: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });
