/** Attacks on pages: names that carry script, guessed addresses, forms of other sites. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { accentSheet } from '../../src/pages/accent.ts';
import { jpeg, png } from '../support/image.ts';
import { shownForm } from '../support/pay-form.ts';
import { openTill, type Till } from './till.ts';

const payloads = [
  '<script>window.hacked=1</script>',
  '"><img src=x onerror="window.hacked=1">',
  "'><svg onload='window.hacked=1'>",
  '</title><script>window.hacked=1</script>',
  '</main></body><script src=//evil.example/x.js></script>',
  '<iframe srcdoc="<script>parent.hacked=1</script>">',
  '{{constructor.constructor("window.hacked=1")()}}',
  '#{window.hacked=1}',
  '&lt;script&gt;window.hacked=1&lt;/script&gt;',
  'javascript:window.hacked=1',
  '\u202e<b onmouseover=hacked=1>reversed</b>',
];

let till: Till;
before(async () => {
  till = await openTill({ payee: `Shop ${payloads[0]} ${payloads[1]} ${payloads[3]}` });
});
after(() => till.close());

test('scripts in names, descriptions and metadata are shown as text and never run', async () => {
  const page = await till.page();
  const hosts = new Set<string>();
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host);
  });
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  const items = payloads.map((payload) => ({
    name: payload,
    description: payload,
    quantity: 1,
    unit_price: 100,
  }));
  const described = await till.session({ items, metadata: { note: payloads[0] }, reference_id: payloads[1] });
  await till.pay(described.id, { payment_id: payloads[1] });
  const single = await till.session({
    items: undefined,
    amount: 500,
    transaction_description: payloads.join(' '),
    success_url: 'https://shop.example/?q="><script>window.hacked=1</script>',
    cancel_url: "https://shop.example/'onmouseover='window.hacked=1",
  });
  const partly = await till.session({ items, success_url: 'https://shop.example/#javascript:1' });
  await till.pay(partly.id, { amount: 100, payment_id: payloads[2] });
  for (const url of [described.url, `${described.url}/receipt`, single.url, partly.url]) {
    await page.goto(url);
    const text = (await page.locator('body').textContent()) ?? '';
    for (const payload of payloads) assert.ok(text.includes(payload), `${url} shows ${payload}`);
    assert.equal(await page.evaluate('window.hacked'), undefined, url);
    assert.equal(await page.locator('body script, img, iframe, svg[onload], [onerror]').count(), 0, url);
    for (const link of await page.locator('a').all()) {
      assert.match((await link.getAttribute('href')) ?? '', /^(https?:\/\/|\/transaction\/|\?lang=)/);
    }
  }
  assert.deepEqual(problems, []);
  assert.deepEqual([...hosts], [new URL(till.base).host], 'no request goes to another host');
});

test('a token opens only what is its own', async () => {
  const [session, other] = [await till.session(), await till.session()];
  const token = session.url.slice(session.url.lastIndexOf('/') + 1);
  const wrongSecret = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
  const otherSecret = token.slice(0, -26) + other.url.slice(-26);
  const otherMode = token.replace('t', 'v');
  const otherAccount = `9${token}`;
  const bodies = new Set<string>();
  for (const guess of [
    wrongSecret,
    otherSecret,
    otherMode,
    otherAccount,
    session.id,
    'x',
    'a'.repeat(200),
    '%00',
  ]) {
    for (const rest of ['', '/receipt', '/receipt.pdf', '/invoice.pdf', '/go', '/return', '/events']) {
      const answer = await fetch(`${till.base}/transaction/${guess}${rest}`);
      assert.equal(answer.status, 404, `${guess}${rest}`);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/, `${guess}${rest}`);
      bodies.add(await answer.text());
    }
    const posted = await fetch(`${till.base}/transaction/${guess}/pay`, {
      method: 'POST',
      body: new URLSearchParams(),
    });
    assert.equal(posted.status, 404, guess);
  }
  assert.equal(bodies.size, 1, 'nothing tells one wrong token from another');
});

test('forms of other sites are refused', async () => {
  const session = await till.session();
  const fields = { ...(await shownForm(session.url)), method: 'card', outcome: 'succeeds' };
  for (const site of ['cross-site', 'same-site']) {
    for (const action of ['pay', 'step', 'cancel_attempt']) {
      const answer = await fetch(`${session.url}/${action}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { 'sec-fetch-site': site },
      });
      assert.equal(answer.status, 403);
      assert.match(await answer.text(), /This request was refused/);
    }
  }
  // The same from a browser: a page of another host that posts to ours.
  const page = await till.page();
  const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
  const evil = `<form method="post" action="${session.url}/pay">${inputs.join('')}<button>Win</button></form>`;
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(evil),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
  const [answer] = await Promise.all([page.waitForResponse('**/pay'), page.getByRole('button').click()]);
  assert.equal(answer.status(), 403);
  server.close();
  assert.equal((await till.fetch(session.id)).amount_paid, 0);
});

test('pages tell browsers to be strict', async () => {
  const session = await till.session();
  const { headers } = await fetch(session.url);
  const policy = headers.get('content-security-policy') ?? '';
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]) {
    assert.ok(policy.includes(part), part);
  }
  assert.doesNotMatch(policy, /unsafe|\*/);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
});

test('no answer is for scripts of other sites', async () => {
  const session = await till.session();
  const { authorization } = till;
  const headers = { origin: 'https://evil.example', authorization };
  const preflight = {
    ...headers,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': '*',
  };
  for (const url of [
    session.url,
    `${till.base}/v3/checkout/${session.id}`,
    `${till.base}/metrics`,
    `${till.base}/none`,
  ]) {
    for (const [method, sent] of [
      ['GET', headers],
      ['POST', headers],
      ['OPTIONS', preflight],
    ] as const) {
      const answer = await fetch(url, { method, headers: sent });
      await answer.arrayBuffer();
      const named = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(named, [], `${method} ${url}`);
      if (method === 'OPTIONS') assert.ok(answer.status >= 400, `${url} ${answer.status}`);
    }
  }
});

test('only forms are accepted, and small ones', async () => {
  const session = await till.session();
  const post = (body: string, type: string) =>
    fetch(`${session.url}/pay`, { method: 'POST', body, headers: { 'content-type': type } });
  for (const [status, body, type] of [
    [415, '{}', 'application/json'],
    [415, 'once=1', 'text/plain'],
    [413, `once=${'x'.repeat(5_000)}`, 'application/x-www-form-urlencoded'],
    [400, 'once[a]=1&__proto__=2&method=card', 'application/x-www-form-urlencoded'],
  ] as const) {
    const answer = await post(body, type);
    assert.equal(answer.status, status, type);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
  }
});

test('a logo is served to whoever has a link to a session of its account, under its own name alone', async () => {
  const image = png({ width: 320, height: 96 });
  await till.api('PUT', '/logo', image);
  const session = await till.session();
  const page = await fetch(session.url);
  const [, path = ''] = / src="([^"]+\/logo\/[^"]+)"/.exec(await page.text()) ?? [];
  assert.match(path, /^\/transaction\/\w+\/logo\/[0-9a-f]{16}-320x96\.png$/);
  const answer = await fetch(till.base + path);
  assert.equal(answer.status, 200);
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), image);
  assert.equal(answer.headers.get('content-type'), 'image/png');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const policy = page.headers.get('content-security-policy');
  assert.match(policy ?? '', /img-src 'self' data:;/);
  assert.equal(answer.headers.get('content-security-policy'), policy);
  const live = await till.session({}, 'live');
  const others = [
    path.replace(/logo\/\w/, 'logo/x'),
    path.replace('320x96', '96x320'),
    path.replace('.png', '.jpg'),
    path.replace(/logo\/.*/, 'logo/'),
    path.replace(/logo\/.*/, 'logo/..%2Freceipt'),
    path.replace(/transaction\/\w+/, 'transaction/unknown'),
    path.replace(/\/transaction\/\w+/, new URL(live.url).pathname),
  ];
  for (const other of others) {
    const none = await fetch(till.base + other);
    assert.equal(none.status, 404, other);
    assert.match(none.headers.get('content-type') ?? '', /^text\/html/);
    assert.equal(none.headers.get('cache-control'), 'no-store');
  }
  // The next one has another address; that of the one before leads nowhere.
  await till.api('PUT', '/logo', jpeg());
  assert.equal((await fetch(till.base + path)).status, 404);
  const next = / src="([^"]+\/logo\/[^"]+)"/.exec(await (await fetch(session.url)).text());
  assert.equal((await fetch(till.base + next?.[1])).headers.get('content-type'), 'image/jpeg');
  await till.ask('DELETE', '/logo');
  assert.equal((await fetch(till.base + next?.[1])).status, 404);
  assert.doesNotMatch(await (await fetch(session.url)).text(), /<img/);
});

test('a client that asks too often is told to wait', async () => {
  const other = await openTill({ browser: false, rateLimit: 5 });
  const session = await other.session();
  const answers = await Promise.all(Array.from({ length: 30 }, () => fetch(session.url)));
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0);
  assert.equal(refused[0]?.headers.get('retry-after'), '1');
  assert.match((await refused[0]?.text()) ?? '', /too many requests/);
  await other.close();
});

test('stylesheet and script are small and may be kept for good', async () => {
  const session = await till.session();
  const text = await (await fetch(session.url)).text();
  assert.ok(Buffer.byteLength(text) < 16_384, `the page has ${Buffer.byteLength(text)} bytes`);
  const [css, js] = await Promise.all(
    [/href="(\/assets\/\w+\.css)"/, /src="(\/assets\/\w+\.js)"/].map(async (pattern) => {
      const answer = await fetch(till.base + (pattern.exec(text)?.[1] ?? ''));
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('cache-control') ?? '', /max-age=31536000, immutable/);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      return { type: answer.headers.get('content-type'), bytes: (await answer.arrayBuffer()).byteLength };
    }),
  );
  assert.match(css?.type ?? '', /^text\/css/);
  assert.match(js?.type ?? '', /^text\/javascript/);
  const bytes = (css?.bytes ?? Infinity) + accentSheet('#e8590c').body.length;
  assert.ok(bytes <= 10_240, `the stylesheets have ${bytes} bytes`);
  assert.ok((js?.bytes ?? Infinity) <= 15_360, `the script has ${js?.bytes} bytes`);
});
