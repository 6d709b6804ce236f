/** A browser without JavaScript in front of the dashboard: it keeps the cookie, and sends forms as the pages have them. */
import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import { hashSecret } from '../../src/accounts/api-key.ts';
import { newCookieSecret, newFormToken } from '../../src/dashboard/cookie.ts';
import { newId } from '../../src/lib/id.ts';
import type { Store } from '../../src/store/store.ts';
import { linkAddress, newLink } from '../../src/users/links.ts';
import { createPasswords } from '../../src/users/passwords.ts';
import type { Role } from '../../src/users/roles.ts';
import type { User } from '../../src/users/user.ts';
import { type Asked, createClient } from './client.ts';
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

/** How visitors call their browser. */
const BROWSER = 'node';
const client = createClient('');

/** `url` is the address of the service. */
export function createVisitor(url: string, { cookie: first = '' } = {}) {
  let cookie = first;

  async function send(path: string, asked: Asked): Promise<Page> {
    const all = {
      'user-agent': BROWSER,
      ...(cookie === '' ? {} : { cookie }),
      'sec-fetch-site': 'same-origin',
      ...asked.headers,
    };
    // An empty one is left out.
    const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    const address = path.startsWith('http') ? path : url + path;
    const answer = await client.ask(address, { ...asked, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      cookie = pair.endsWith('=') ? '' : pair;
    }
    const location = answer.headers.get('location');
    return { status: answer.status, html: answer.text, location, headers: answer.headers };
  }

  const visitor = {
    cookie: () => cookie,
    get: (path: string, headers: Fields = {}) => send(path, { method: 'GET', headers }),
    /** Sends fields as they are. */
    post: (path: string, fields: Fields | URLSearchParams, headers: Fields = {}) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      }),
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
    async upload(page: Page, action: string, file: UploadedFile | null, fields: Fields = {}): Promise<Page> {
      const form = formIn(page, action);
      const body = new FormData();
      for (const [name, value] of Object.entries({ ...form.fields, ...fields }))
        if (name !== 'file') body.append(name, value);
      const { name = '', content = '' } = file ?? {};
      body.append('file', new Blob([content], { type: 'application/octet-stream' }), name);
      const response = await fetch(url + form.action, {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: { ...(cookie === '' ? {} : { cookie }), 'sec-fetch-site': 'same-origin' },
      });
      const location = response.headers.get('location');
      return { status: response.status, html: await response.text(), location, headers: response.headers };
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

/** The hash of the password, which takes a processor a moment. */
let hashed: Promise<string> | undefined;

type SignInto = {
  readonly service: { readonly store: Store };
  readonly url: string;
  readonly realNow?: () => number;
};

/**
 * Somebody who has accepted an invitation, and is signed in, as by the form of the link but without it: that is a test of
 * its own.
 */
export async function signedInVisitor(
  { service: { store }, url, realNow = Date.now }: SignInto,
  given: Given = {},
): Promise<{ visitor: Visitor; user: User }> {
  const { id, name, email, link } = await inviteUser(store, given);
  hashed ??= createPasswords().hash(PASSWORD, '127.0.0.1');
  const secret = newCookieSecret();
  const now = realNow();
  const signIn = {
    id: newId('sgn', now),
    secretHash: hashSecret(secret),
    formToken: newFormToken(secret),
    address: '127.0.0.1',
    browser: BROWSER,
  };
  const { user } = await changeUser(store, id, {
    type: 'accept_link',
    secretHash: link?.hash ?? '',
    name,
    email,
    password: await hashed,
    signIn,
    now,
  });
  const cookie = `__Host-opentill=${id}.${signIn.id}.${secret}`;
  return { visitor: createVisitor(url, { cookie }), user };
}

/** The code that an authenticator app shows at this time. */
export const totpCode = (secret: string, at: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });
