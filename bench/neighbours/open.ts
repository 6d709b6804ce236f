/** Routes that need no key, and requests to them as dear as anybody may make them. */

import * as dashboard from '../../src/dashboard/assets.ts';
import { accentSheet } from '../../src/pages/accent.ts';
import { script, stylesheet } from '../../src/pages/assets.ts';
import { shownForm } from '../../test/support/pay-form.ts';
import type { Running } from '../processes.ts';
import type { Asked } from './attack.ts';
import { create, paid, SECRET } from './bench.ts';

/** Sessions that somebody has the address of. */
export type Links = {
  /** Paths of pages with forms that were shown: more than are sent while it is measured. */
  readonly payable: readonly { readonly path: string; readonly form: string }[];
  /** Path of a page that is paid, with as many items as there may be. */
  readonly paid: string;
};

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };
const WORD = '0123456789abcdefghjkmnpqrs';
const LARGE = JSON.stringify({ invoice_currency: 'EUR', metadata: { note: 'x'.repeat(200 * 2 ** 10) } });

const get = (...paths: readonly string[]): Asked[] => paths.map((path) => ({ method: 'GET', path }));
const at =
  (rest: string) =>
  ({ payable }: Links) =>
    get(...payable.map(({ path }) => path + rest));
const form =
  (action: string) =>
  ({ payable }: Links) =>
    payable.map(({ path, form }) => ({
      method: 'POST',
      path: `${path}/${action}`,
      headers: FORM,
      body: form,
    }));

const LINK = `usr_${'0'.repeat(26)}.${'0'.repeat(40)}`;
const signingIn = (action: string): Asked[] => [
  {
    method: 'POST',
    path: `/dashboard/${action}`,
    headers: FORM,
    body: new URLSearchParams({
      email: 'nobody@example.com',
      password: 'x'.repeat(200),
      code: WORD,
    }).toString(),
  },
];

/** Requests by the route's name as the router prints it. */
export const openRoutes: Readonly<Record<string, (links: Links) => readonly Asked[]>> = {
  'GET /': () => get('/'),
  'GET /docs': () => get('/docs'),
  'GET /docs/': () => get('/docs/'),
  'GET /docs/errors': () => get('/docs/errors'),
  'GET /openapi.json': () => get('/openapi.json'),
  'GET /metrics': () => get('/metrics'),
  'GET /readyz': () => get('/readyz'),
  'GET /livez': () => get('/livez'),
  'GET /transaction/:token': ({ payable, paid }) => get(...payable.map(({ path }) => path), paid),
  'GET /transaction/:token/receipt': ({ paid }) => get(`${paid}/receipt`),
  'GET /transaction/:token/receipt.pdf': ({ paid }) =>
    get(...['en', 'ja', 'ar', 'de'].map((tag) => `${paid}/receipt.pdf?lang=${tag}`)),
  'GET /transaction/:token/invoice.pdf': at('/invoice.pdf'),
  'GET /transaction/:token/return': at('/return'),
  'GET /transaction/:token/go': at('/go'),
  // A name that there is none of costs the look at the row as well.
  'GET /transaction/:token/logo/:name': at('/logo/0123456789abcdef-1000x1000.png'),
  'GET /transaction/:token/events': at('/events'),
  'GET /transaction/:token/pay': at('/pay'),
  'POST /transaction/:token/pay': form('pay'),
  'GET /transaction/:token/step': at('/step'),
  'POST /transaction/:token/step': form('step'),
  'GET /transaction/:token/cancel_attempt': at('/cancel_attempt'),
  'POST /transaction/:token/cancel_attempt': form('cancel_attempt'),
  'GET /*': () => get('/transaction/none/at/all'),
  'GET /receipt/:code': () => get(`/receipt/${WORD}`),
  [`GET ${stylesheet.path}`]: () => get(stylesheet.path),
  [`GET ${script.path}`]: () => get(script.path),
  [`GET ${dashboard.stylesheet.path}`]: () => get(dashboard.stylesheet.path),
  [`GET ${dashboard.script.path}`]: () => get(dashboard.script.path),
  'GET /dashboard/sign-in': () => get('/dashboard/sign-in'),
  'GET /dashboard/oidc': () => get('/dashboard/oidc'),
  'GET /dashboard/oidc/callback': () => get('/dashboard/oidc/callback?code=x&state=y'),
  'GET /dashboard/link/:token': () => get(`/dashboard/link/${LINK}`),
  // A password is hashed, whoever's it is.
  'POST /dashboard/sign-in': () => signingIn('sign-in'),
  'POST /dashboard/code': () => signingIn('code'),
  'POST /dashboard/passkey': () => signingIn('passkey'),
  'POST /dashboard/link/:token': () => signingIn(`link/${LINK}`),
  'POST /dashboard/link/:token/oidc': () => signingIn(`link/${LINK}/oidc`),
  'POST /dashboard/go-on': () => signingIn('go-on'),
  // Each color is another stylesheet to make.
  'GET /assets/:name': () =>
    get(
      ...Array.from({ length: 500 }, (_, index) => accentSheet(`#${(0xabc000 + index).toString(16)}`).path),
    ),
  'POST /notices/stripe': () => [
    {
      method: 'POST',
      path: '/notices/stripe',
      headers: { ...JSON_TYPE, 'stripe-signature': `t=1,v1=${'0'.repeat(64)}` },
      body: LARGE,
    },
  ],
  'POST /notices/stripe/:account/:mode': () => [
    {
      method: 'POST',
      path: '/notices/stripe/1/test',
      headers: { ...JSON_TYPE, 'stripe-signature': `t=1,v1=${'0'.repeat(64)}` },
      body: LARGE,
    },
  ],
};

/** Requests that find no route, or no caller. */
export const strangers: Readonly<Record<string, readonly Asked[]>> = {
  'no such path': get('/wp-login.php'),
  'no such token': get('/transaction/none'),
  'list without a key': get('/v3/checkout?limit=100'),
  'list with a wrong key': [
    {
      method: 'GET',
      path: '/v3/checkout?limit=100',
      headers: { authorization: `Bearer sk_test_${WORD}` },
    },
  ],
  'large body without a key': [{ method: 'POST', path: '/v3/checkout', headers: JSON_TYPE, body: LARGE }],
};

const LINKS = 1_200;

export async function makeLinks(service: Running): Promise<Links> {
  const payable = [];
  for (let made = 0; made < LINKS; made++) {
    const { url } = await create(service, SECRET);
    const fields = { ...(await shownForm(url)), method: 'card', outcome: 'succeeds', decision: 'fail' };
    payable.push({ path: new URL(url).pathname, form: new URLSearchParams(fields).toString() });
  }
  const items = Array.from({ length: 100 }, (_, index) => ({
    name: `${index} ${'Größe 大小 размер '.repeat(12)}`.slice(0, 200),
    quantity: 1,
    unit_price: 100,
  }));
  return { payable, paid: await paid(service, SECRET, { items }) };
}
