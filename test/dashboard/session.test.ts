/** A session in the dashboard: what is shown of it, and every action, by role. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import { type Role, roleNames } from '../../src/users/roles.ts';
import { awaitTransfer, configure, entries, imported } from '../api/bank.ts';
import { settled } from '../api/endpoint.ts';
import { startReceiver } from '../api/receiver.ts';
import { advance, createSession, type Data, fetchSession, order, pay, succeeded } from '../api/shop.ts';
import { refundsAreHeardOf } from '../api/subjects.ts';
import { texts } from '../pages/script-carriers.ts';
import { formIn, PASSWORD, type Page, signedInVisitor, textOf, type Visitor } from '../support/dashboard.ts';
import { numbersOf } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { changeUser } from '../support/users.ts';

const MINUTE = 60_000;
const LIST = '/dashboard/1/test/sessions';

const ends: Array<() => Promise<void> | void> = [];
const context = { after: (hook: () => Promise<void> | void) => void ends.push(hook) };
let till: TestService;
let laterMs = 0;
const visitors = new Map<Role, Visitor>();
const as = (role: Role): Visitor => visitors.get(role) ?? assert.fail(role);

before(async () => {
  till = await startService(context, { realNow: () => Date.now() + laterMs });
  for (const role of roleNames) {
    const { visitor } = await signedInVisitor(till, {
      role,
      email: `${role}@example.com`,
      name: `The ${role}`,
    });
    visitors.set(role, visitor);
  }
});
after(async () => {
  for (const end of ends) await end();
});

const pathOf = ({ id }: Data, rest = '') => `${LIST}/${id}${rest}`;
/** A session over 32.00 EUR. */
const unpaid = (fields: object = {}) => createSession(till, { ...order, amount: undefined, ...fields });
async function paid(fields: object = {}, payment: object = {}): Promise<Data> {
  return pay(till, (await unpaid(fields)).id, payment);
}
const refundsOf = async ({ id }: Data): Promise<Data[]> =>
  succeeded(await till.call('GET', `/v3/payin/${id}`)).refunds;

/** The token that forms of the visitor have. */
const tokenOf = async (visitor: Visitor): Promise<string> =>
  formIn(await visitor.get('/dashboard/profile'), '/sign-out').fields.form_token ?? '';

suite('what is shown', () => {
  test('is all that is known of a session', async () => {
    const session = await paid({
      billing_details: { name: 'Bill', address: { city: 'Bern', country: 'CH' } },
      webhook_url: 'https://shop.example.com/webhooks/opentill',
    });
    const page = await as('read_only').get(pathOf(session));
    assert.equal(page.status, 200);
    const text = textOf(page);
    for (const part of [
      'order-1001',
      '€32.00',
      'completed',
      'Ada Lovelace',
      'ada@example.com',
      '+44 2079460000',
      'Bill, Bern, CH',
      'order_id A-1001',
      'additional_info {"note":"ring twice"}',
      'Widget 2 €12.50 €25.00',
      'https://shop.example.com/webhooks/opentill',
      session.url,
      session.payment_attempts[0].id,
      'The session was paid.',
      `report by ${till.key.id}`,
      `create by ${till.key.id}`,
    ]) {
      assert.ok(text.includes(part), part);
    }
    assert.match(page.html, new RegExp(`href="${LIST}\\?customer=${session.customer}"`));
    assert.match(page.html, /<a href="\/dashboard\/1\/test\/sessions" aria-current="page">/);
  });

  test('has a code with the address of an active session', async () => {
    const page = await as('read_only').get(pathOf(await unpaid()));
    assert.match(page.html, /Code to scan<\/summary><p class="qr"><svg/);
    assert.match(textOf(page), /The payer has not tried to pay yet/);
  });

  test('says who did what, by name where it is a user of the account', async () => {
    const session = await unpaid();
    const page = await as('support').get(pathOf(session));
    const answer = await as('support').submit(page, '/expire');
    assert.equal(answer.location, `${pathOf(session)}?done=session-expired`);
    const shown = await as('read_only').follow(answer);
    assert.match(
      textOf(shown),
      /Nobody can pay it any more.* expire by The support req_\S+ .*The session was expired\./,
    );
    // Somebody who has left the account is told of by their id.
    const { visitor, user } = await signedInVisitor(till, { account: 1, email: 'gone@example.com' });
    const other = await unpaid();
    await visitor.submit(await visitor.get(pathOf(other)), '/expire');
    await changeUser(till.service.store, user.id, { type: 'remove_role', account: 1, now: Date.now() });
    assert.ok(textOf(await as('owner').get(pathOf(other))).includes(`expire by ${user.id}`));
  });

  test('shows what the bank or the provider has said, once for each change', async () => {
    await configure(till);
    const { id, reference } = await awaitTransfer(till);
    await imported(till, [{ amount: 2500, reference }]);
    const [entry] = await entries(till);
    const text = textOf(await as('read_only').get(`${LIST}/${id}`));
    const evidence = `Evidence: bank entry ${entry.id} of the statement ${entry.statement}`;
    assert.equal(text.split(evidence).length - 1, 1, text);
    const paid = await unpaid();
    await pay(till, paid.id, { payment_id: 'of-the-sandbox' });
    const told = textOf(await as('read_only').get(pathOf(paid)));
    assert.match(told, /Evidence: of-the-sandbox at sandbox/);
    assert.doesNotMatch(told, /found by asking/);
    succeeded(await till.call('POST', '/v3/refund', { body: { payin: paid.id, amount: 100 } }), 201);
    await refundsAreHeardOf(till);
    assert.match(
      textOf(await as('read_only').get(pathOf(paid))),
      /Evidence: \S+ at sandbox, found by asking/,
    );
  });

  test('goes on from page to page of a long history', async () => {
    const session = await unpaid();
    for (let i = 0; i < 40; i++)
      for (const outcome of ['requires_action', 'processing', 'failed'])
        await pay(till, session.id, { outcome, payment_id: `p${i}` });
    let page = await as('owner').get(pathOf(session));
    let pages = 1;
    for (; !textOf(page).includes('The session was created.'); pages++) {
      assert.equal(page.html.match(/The session was|is now:|was started/g)?.length, 100);
      page = await as('owner').get(
        /<a href="([^"]*\?after=evt_[^"]*)">Older/.exec(page.html)?.[1] ?? assert.fail(),
      );
    }
    assert.ok(pages > 1);
    assert.match(textOf(page), / create by \S+ req_\S+ The session was created\./);
  });
});

type Action = { readonly path: string; readonly roles: readonly Role[]; readonly state: 'unpaid' | 'paid' };

/** Every action with the roles that may do it. */
const actions: readonly Action[] = [
  { path: '/expire', roles: ['owner', 'support'], state: 'unpaid' },
  { path: '/items', roles: ['owner'], state: 'unpaid' },
  { path: '/pay', roles: ['owner'], state: 'unpaid' },
  { path: '/refund', roles: ['owner', 'finance'], state: 'paid' },
  { path: '/resend', roles: ['owner', 'support'], state: 'paid' },
];

suite('actions', () => {
  let failing: Data;

  before(async () => {
    const receiver = await startReceiver(context, () => 500);
    failing = await paid({ webhook_url: receiver.url });
    await receiver.received(1);
    await advance(till, 30 * 86_400);
  });

  for (const { path, roles, state } of actions) {
    for (const role of roleNames) {
      const isAllowed = roles.includes(role);
      test(`${path} is ${isAllowed ? 'shown to' : 'refused to'} ${role}`, async () => {
        const session = state === 'paid' ? failing : await unpaid();
        const visitor = as(role);
        const page = await visitor.get(pathOf(session));
        assert.equal(page.html.includes(`${session.id}${path}"`), isAllowed);
        if (isAllowed) return;
        const form = await visitor.post(pathOf(session, path), {
          form_token: await tokenOf(visitor),
          version: '"1"',
        });
        assert.equal(form.status, 403);
        assert.match(textOf(form), /Your role does not allow this/);
        if (path !== '/expire' && path !== '/resend') {
          assert.equal((await visitor.get(pathOf(session, path))).status, 403);
        }
        assert.equal((await fetchSession(till, session.id)).status, session.status);
      });
    }
  }

  for (const role of roleNames) {
    const isAllowed = role === 'owner';
    test(`a new session is ${isAllowed ? 'for' : 'refused to'} ${role}`, async () => {
      assert.equal((await as(role).get(LIST)).html.includes(`${LIST}/new`), isAllowed);
      assert.equal((await as(role).get(`${LIST}/new`)).status, isAllowed ? 200 : 403);
      if (!isAllowed) {
        const answer = await as(role).post(`${LIST}/new`, { form_token: await tokenOf(as(role)) });
        assert.equal(answer.status, 403);
      }
    });
  }

  test('need the token of their form', async () => {
    const session = await unpaid();
    for (const path of ['/expire', '/items', '/pay', '/refund', '/resend']) {
      assert.equal((await as('owner').post(pathOf(session, path), { once: 'x' })).status, 403, path);
    }
  });

  test('failed webhooks are sent again, each once', async () => {
    const page = await as('support').get(pathOf(failing));
    assert.match(
      textOf(page),
      /The session was created\. failed webhook to http\S+ answered 500, 12 attempts/,
    );
    const answers = await Promise.all([1, 2].map(() => as('support').submit(page, '/resend')));
    for (const { location } of answers) assert.equal(location, `${pathOf(failing)}?done=webhooks-resent`);
    const again = await as('support').get(pathOf(failing));
    assert.doesNotMatch(textOf(again), /failed webhook/);
    assert.match(
      textOf(again),
      /The session was created\. pending webhook to http\S+ answered 500, 1[23] attempts/,
    );
  });

  test('a webhook that cannot be sent again is told of, and stops none of the others', async () => {
    const receiver = await startReceiver(context, () => 500);
    const body = { url: receiver.url, events: ['checkout.created'] };
    const endpoint = succeeded(await till.call('POST', '/v3/webhook_endpoint', { body }), 201);
    const session = await unpaid({ webhook_url: receiver.url });
    // What ends it is told behind what the endpoint was told.
    await till.call('POST', `/v3/checkout/${session.id}/expire`);
    await receiver.received(2);
    await advance(till, 30 * 86_400);
    const disabled = { body: { status: 'disabled' } };
    succeeded(await till.call('PUT', `/v3/webhook_endpoint/${endpoint.id}`, disabled));
    const page = await as('support').get(pathOf(session));
    const count = page.html.match(/>failed</g)?.length ?? 0;
    assert.ok(count > 2);
    const answer = await as('support').submit(page, '/resend');
    assert.ok(answer.status >= 400 && answer.status < 500);
    assert.match(answer.html, /role="alert"><p>[^<]*disabled/);
    assert.equal(answer.html.match(/>failed</g)?.length, 1);
    assert.equal(answer.html.match(/>pending</g)?.length, count - 1);
  });

  test('all webhooks that have failed are sent again, also those that are older than a hundred others', async (t) => {
    const service = await startService(t);
    const { visitor } = await signedInVisitor(service, { role: 'support' });
    let status = 410;
    const receiver = await startReceiver(t, () => status);
    const session = await createSession(service, { webhook_url: receiver.url });
    const change = (count: number) =>
      service.call('PUT', `/v3/checkout/${session.id}`, { body: { metadata: { count } } });
    const failed = 105;
    for (let count = 1; count < failed; count++) succeeded(await change(count));
    await receiver.received(failed);
    status = 200;
    for (let count = 0; count < 101; count++) succeeded(await change(failed + count));
    await receiver.received(failed + 101);
    await settled(service);
    const page = await visitor.get(pathOf(session));
    const newest: Data[] = succeeded(
      await service.call('GET', `/v3/webhook_delivery?checkout=${session.id}&limit=100`),
    );
    assert.ok(newest.every((each) => each.status === 'delivered'));
    const answer = await visitor.submit(page, '/resend');
    assert.equal(answer.location, `${pathOf(session)}?done=webhooks-resent`);
    await receiver.received(2 * failed + 101);
    const again = receiver.deliveries.slice(failed + 101).map(({ event }) => event.version);
    assert.deepEqual(
      again,
      Array.from({ length: failed }, (_, index) => index + 1),
      'each, in the order of what happened',
    );
    assert.doesNotMatch((await visitor.get(pathOf(session))).html, /Send the failed webhooks again/);
  });

  test('webhooks that are more than one request sends again go on from where it has ended', async (t) => {
    const service = await startService(t);
    const { visitor } = await signedInVisitor(service, { role: 'support' });
    const receiver = await startReceiver(t, () => 410);
    const session = await createSession(service, { webhook_url: receiver.url });
    await receiver.received(1);
    await settled(service);
    // More than the four transactions of a request; all share one millisecond.
    await service.database.query(
      `INSERT INTO delivery (account, live, id, event, subject, sequence, receiver, url, created_at, state, attempts,
         round_start, due_at, tried_at, last_status, last_error)
       SELECT account, live, substr(id, 1, 14) || CAST(1000000000000000 + number AS text), event, subject, sequence,
         receiver, url, created_at, state, attempts, round_start, due_at, tried_at, last_status, last_error
       FROM delivery, ${numbersOf(service.database, 0, 2004)} WHERE subject = ?`,
      session.id,
    );
    const first = await visitor.submit(await visitor.get(pathOf(session)), '/resend');
    assert.match(textOf(first), /There are more 2000 webhooks are sent again so far\./);
    const last = await visitor.submit(first, '/resend');
    assert.equal(last.location, `${pathOf(session)}?done=webhooks-resent`);
  });

  test('a session is expired as it was seen alone, and told so to who does it twice', async () => {
    const session = await unpaid();
    const [page, other] = [await as('owner').get(pathOf(session)), await as('support').get(pathOf(session))];
    await pay(till, session.id, { outcome: 'failed' });
    const late = await as('owner').submit(page, '/expire');
    assert.equal(late.status, 422);
    assert.match(
      textOf(late),
      /The session has changed meanwhile: see what it is now\. It was not expired\./,
    );
    assert.equal((await fetchSession(till, session.id)).status, 'active');
    for (const [role, form] of [
      ['owner', late],
      ['owner', late],
      ['support', other],
    ] as const) {
      const answer = await as(role).submit(form, '/expire');
      assert.equal(answer.location, `${pathOf(session)}?done=session-expired`);
    }
    assert.equal((await fetchSession(till, session.id)).status, 'expired');
  });

  test('an end is refused in the words of the API', async () => {
    const session = await unpaid();
    const page = await as('owner').get(pathOf(session));
    await pay(till, session.id, { outcome: 'processing' });
    const late = await as('owner').submit(page, '/expire');
    assert.equal(late.status, 422);
    const answer = await as('owner').submit(late, '/expire');
    assert.ok(answer.status >= 400 && answer.status < 500);
    assert.match(answer.html, /role="alert"><p>[^<]*payment[^<]*in progress/i);
    assert.equal((await fetchSession(till, session.id)).status, 'active');
  });
});

suite('a refund', () => {
  const open = async (session: Data, visitor = as('finance')) => visitor.get(pathOf(session, '/refund'));

  test('gives back a part, with its reason', async () => {
    const session = await paid();
    const form = await open(session);
    assert.match(textOf(form), /€32\.00 is paid, and €32\.00 can go back/);
    const answer = await as('finance').submit(form, '/refund', { amount: ' 12.5 ', reason: 'It was blue.' });
    assert.equal(answer.location, `${pathOf(session)}?done=refund-created`);
    const [refund, ...more] = await refundsOf(session);
    assert.deepEqual([refund.amount, refund.reason, more.length], [1250, 'It was blue.', 0]);
    const shown = await as('finance').follow(answer);
    assert.match(textOf(shown), /The refund is on its way.*It was blue\..*€12\.50/);
    assert.match(textOf(await open(session)), /€19\.50 can go back/);
  });

  test('gives back all that is left', async () => {
    const session = await paid();
    const { location } = await as('finance').submit(await open(session), '/refund');
    assert.equal(location, `${pathOf(session)}?done=refund-created`);
    assert.deepEqual(
      (await refundsOf(session)).map(({ amount }) => amount),
      [3200],
    );
    assert.doesNotMatch((await as('finance').get(pathOf(session))).html, /\/refund"/);
  });

  test('that is sent twice is made once', async () => {
    const session = await paid();
    const form = await open(session);
    const answers = await Promise.all(
      [1, 2, 3].map(() => as('finance').submit(form, '/refund', { amount: '5' })),
    );
    for (const { location } of answers) assert.equal(location, `${pathOf(session)}?done=refund-created`);
    assert.equal((await refundsOf(session)).length, 1);
  });

  for (const [amount, words] of [
    ['1250', /more than|exceed|refundable|left/i],
    ['12.505', /at most 2 digits/],
    ['12,50', /such as 12\.50/],
    ['-1', /such as 12\.50/],
    ['1e3', /such as 12\.50/],
    ['99999999999999999', /too large/],
    ['0', /amount must be/],
  ] as const) {
    test(`of ${amount} is refused in words, and what was typed is kept`, async () => {
      const session = await paid();
      const answer = await as('finance').submit(await open(session), '/refund', {
        amount,
        reason: 'It was <blue>.',
      });
      assert.ok(answer.status >= 400 && answer.status < 500, String(answer.status));
      assert.match(textOf(answer), words);
      const { fields } = formIn(answer, '/refund');
      assert.deepEqual([fields.amount, fields.reason], [amount, 'It was <blue>.']);
      assert.deepEqual(await refundsOf(session), []);
      // It can be put right and sent again.
      const right = await as('finance').submit(answer, '/refund', { amount: '1' });
      assert.equal(right.status, 303);
    });
  }

  test('whose amount came twice, or not at all, gives nothing back', async () => {
    const session = await paid();
    const { action, fields } = formIn(await open(session), '/refund');
    const { amount: _, ...others } = fields;
    const twice = new URLSearchParams({ ...others, amount: '1' });
    twice.append('amount', '1');
    const answer = await as('finance').post(action, twice);
    assert.equal(answer.status, 400);
    assert.match(textOf(answer), /amount came more than once.*Nothing was changed/);
    const without = await as('finance').post(action, others);
    assert.equal(without.status, 400);
    assert.match(without.html, /id="field-amount-wrong">The form came without its amount/);
    assert.deepEqual(await refundsOf(session), []);
  });

  test('asks who it is after ten minutes, and goes on with the form', async () => {
    const session = await paid();
    laterMs += 11 * MINUTE;
    const form = await open(session);
    const asked = await as('finance').submit(form, '/refund', { amount: '7.25', reason: 'Late' });
    assert.equal(asked.status, 200);
    assert.match(textOf(asked), /Is it you\? Prove it to go on/);
    assert.deepEqual(await refundsOf(session), []);
    const wrong = await as('finance').submit(asked, '/refund', { confirm_password: 'a wrong password' });
    assert.equal(wrong.status, 422);
    assert.deepEqual(await refundsOf(session), []);
    const right = await as('finance').submit(wrong, '/refund', { confirm_password: PASSWORD });
    assert.equal(right.location, `${pathOf(session)}?done=refund-created`);
    assert.deepEqual(
      (await refundsOf(session)).map(({ amount, reason }) => [amount, reason]),
      [[725, 'Late']],
    );
    const next = await as('finance').submit(await open(session), '/refund', { amount: '1' });
    assert.equal(next.status, 303, 'nobody is asked twice within ten minutes');
  });

  test('whose form was sent after the sign-in had ended waits behind the next one', async () => {
    const { visitor } = await signedInVisitor(till, { role: 'finance', email: 'late@example.com' });
    const session = await paid();
    const form = await open(session, visitor);
    await visitor.submit(form, '/sign-out');
    const asked = await visitor.submit(form, '/refund', { amount: '2.50', reason: 'It was <blue>.' });
    assert.equal(asked.status, 401);
    assert.deepEqual(await refundsOf(session), []);
    const kept = await visitor.submit(asked, '/sign-in', { email: 'late@example.com', password: PASSWORD });
    const { location } = await visitor.submit(kept, '/refund');
    assert.equal(location, `${pathOf(session)}?done=refund-created`);
    assert.deepEqual(
      (await refundsOf(session)).map(({ amount, reason }) => [amount, reason]),
      [[250, 'It was <blue>.']],
    );
  });

  test('can be of one of several payments', async () => {
    const session = await paid({}, { amount: 1000 });
    await pay(till, session.id, { amount: 2200 });
    const form = await open(session);
    const [first] = (await fetchSession(till, session.id)).payment_attempts;
    assert.match(textOf(form), /€10\.00/);
    await as('finance').submit(form, '/refund', { payment_attempt: first.id, amount: '3' });
    assert.deepEqual(
      (await refundsOf(session)).map((each) => each.payment_attempt),
      [first.id],
    );
  });
});

suite('a payment of a test', () => {
  test('is made once by a form that is sent twice', async () => {
    const session = await unpaid();
    const form = await as('owner').get(pathOf(session, '/pay'));
    for (let i = 0; i < 2; i++) {
      const { location } = await as('owner').submit(form, '/pay', { amount: '10.00' });
      assert.equal(location, `${pathOf(session)}?done=test-paid`);
    }
    assert.equal((await fetchSession(till, session.id)).amount_paid, 1000);
  });

  test('may fail', async () => {
    const session = await unpaid();
    const form = await as('owner').get(pathOf(session, '/pay'));
    await as('owner').submit(form, '/pay', { outcome: 'failed' });
    const { payment_attempts: attempts } = await fetchSession(till, session.id);
    assert.deepEqual(
      attempts.map(({ status }: Data) => status),
      ['failed'],
    );
  });

  test('is refused in words', async () => {
    const session = await unpaid();
    const form = await as('owner').get(pathOf(session, '/pay'));
    const answer = await as('owner').submit(form, '/pay', { amount: 'ten', outcome: 'lost' });
    assert.match(answer.html, /id="field-amount-wrong">An amount in EUR has/);
    assert.match(answer.html, /id="field-outcome-wrong">outcome must be one of/);
  });

  test('is not there in live mode', async () => {
    const { authorization } = await till.createKey({ mode: 'live' });
    const session = await createSession(till, {}, { authorization });
    const path = `/dashboard/1/live/sessions/${session.id}/pay`;
    const shown = await as('owner').get(path.slice(0, -'/pay'.length));
    assert.equal(shown.status, 200);
    assert.match(shown.html, /\/items"/);
    assert.doesNotMatch(shown.html, /\/pay"/);
    assert.equal((await as('owner').get(path)).status, 404);
    assert.equal((await as('owner').post(path, { form_token: await tokenOf(as('owner')) })).status, 404);
  });
});

suite('where there is no such session', () => {
  const ways = ['', '/refund', '/items', '/pay'];

  test('nothing is shown of another account, another mode, or an id that is none', async () => {
    await createAccount(till.service.store, 'Other Shop', Date.now());
    const { authorization } = await till.createKey({ account: 2 });
    const foreign = await createSession(till, order, { authorization });
    const own = await paid();
    await till.createKey({ mode: 'live' });
    // Whoever has proved lately who they are is not asked for it before they are told.
    const { visitor: owner } = await signedInVisitor(till, { email: 'fresh@example.com' });
    const token = { form_token: await tokenOf(owner), once: 'once', version: '"1"' };
    for (const way of ways) {
      for (const path of [
        pathOf(foreign, way),
        `/dashboard/1/live/sessions/${own.id}${way}`,
        `/dashboard/2/test/sessions/${foreign.id}${way}`,
        `${LIST}/chk_none${way}`,
        `${LIST}/%2e%2e%2fwebhook_endpoint${way}`,
      ]) {
        const page = await owner.get(path);
        assert.equal(page.status, 404, path);
        if (way === '') continue;
        assert.equal((await owner.post(path, token)).status, 404, path);
      }
    }
    for (const way of ['/expire', '/resend']) {
      const { status } = await owner.post(pathOf(foreign, way), token);
      assert.equal(status, 404, way);
    }
  });
});

/** Asserts that a page is made of tags and attributes that our own code writes: whatever else looks like one is text. */
function assertOwnMarkup({ html }: Page, about: string): void {
  const rest = html.replaceAll(
    /<\/?[a-z][a-z0-9]*(?: [a-zA-Z-]+(?:="[^"<]*")?)*\/?>|<!doctype html>/g,
    (tag) => {
      for (const [, name = '', value = ''] of tag.matchAll(/ ([a-zA-Z-]+)(?:="([^"]*)")?/g)) {
        assert.doesNotMatch(name, /^on|^style$|^srcdoc$|^formaction$/, about);
        if (name === 'href' || name === 'action' || name === 'src')
          assert.match(
            value,
            /^(?:\/|https?:\/\/127|#|data:image\/svg\+xml,%3Csvg xmlns=&#39;http:\/\/www\.w3)/,
            about,
          );
      }
      assert.doesNotMatch(
        tag,
        /^<(?:iframe|object|embed|base|img|style|math|portal|frameset|video|audio)\b/,
        about,
      );
      return '';
    },
  );
  assert.doesNotMatch(rest, /</, about);
  assert.equal(html.match(/<script\b/g)?.length, 1, about);
}

suite('script carriers', () => {
  test('are text on every screen, from whatever field they come', async () => {
    for (const text of texts) {
      const session = await paid({
        reference_id: text.slice(0, 128),
        transaction_description: text,
        items: undefined,
        amount: 1000,
        customer_details: { name: text, phone: { calling_code: '1', number: text.slice(0, 32) } },
        billing_details: { name: text, label: text.slice(0, 100) },
        metadata: { [text.slice(0, 40)]: text, nested: { [text.slice(0, 40)]: text } },
      });
      const reason = { payin: session.id, amount: 100, reason: text, remarks: text };
      await till.call('POST', '/v3/refund', { body: reason });
      const [shown, refund] = await Promise.all([
        as('owner').get(pathOf(session)),
        as('owner').get(pathOf(session, '/refund')),
      ]);
      assertOwnMarkup(shown, text);
      assertOwnMarkup(refund, text);
      const query = new URLSearchParams({ q: text, [`metadata[${text}]`]: text, 'created_at[gte]': text });
      assertOwnMarkup(await as('owner').get(`${LIST}?${query}`), text);
    }
    assertOwnMarkup(await as('owner').get(LIST), 'the list');
  });

  test('are text in the fields that they were typed into', async () => {
    const form = await as('owner').get(`${LIST}/new`);
    for (const text of texts) {
      const fields = {
        invoice_currency: text,
        amount: text,
        reference_id: text,
        'customer_details/name': text,
      };
      const more = { 'customer_details/email': text, more: '1' };
      const row = Object.fromEntries(
        ['name', 'quantity', 'unit_price', 'description'].map((name) => [`items/0/${name}`, text]),
      );
      const page = await as('owner').submit(form, '/new', { ...fields, ...more, ...row });
      assertOwnMarkup(page, text);
      assert.equal(formIn(page, '/new').fields['items/0/description'], text.trim());
    }
    const carriers = texts
      .slice(0, 99)
      .map((name) => ({ name, quantity: 1, unit_price: 1, description: name }));
    const session = await unpaid({ items: carriers });
    assertOwnMarkup(await as('owner').get(pathOf(session)), 'items');
    assertOwnMarkup(await as('owner').get(pathOf(session, '/items')), 'items');
  });
});
