/** Paying in test mode as payers do: with and without JavaScript, by keyboard, twice, in two windows, too late. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { shownForm } from '../support/pay-form.ts';
import { openTill, type Session, type Till, textIn } from './till.ts';

let till: Till;
before(async () => {
  till = await openTill();
});
afterEach(() => till.closePages());
after(() => till.close());

const heading = (page: Page) => page.locator('#state').textContent();
const alertText = (page: Page) => page.getByRole('alert').textContent();
const attemptsOf = (session: Session) =>
  session.payment_attempts as ReadonlyArray<{ status: string; amount: number }>;

async function choose(page: Page, outcome: string): Promise<void> {
  await page.getByLabel(outcome).check();
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: /^Pay / }).click()]);
}

for (const javaScriptEnabled of [true, false]) {
  const suffix = javaScriptEnabled ? 'with JavaScript' : 'without JavaScript';

  async function open(session: Session): Promise<Page> {
    const page = await till.page({ javaScriptEnabled });
    await page.goto(session.url);
    return page;
  }

  test(`a payment succeeds, ${suffix}`, async () => {
    const session = await till.session();
    const page = await open(session);
    await page.getByLabel('iDEAL').check();
    await choose(page, 'The payment succeeds');
    assert.equal(page.url(), session.url);
    assert.equal(await heading(page), 'Payment received');
    assert.match(await textIn(page, '.payments'), /iDEAL\s*€42\.50/);
    const { status, payment_status, amount_paid, payment_attempts } = await till.fetch(session.id);
    assert.deepEqual([status, payment_status, amount_paid], ['completed', 'paid', 4250]);
    assert.equal((payment_attempts as unknown[]).length, 1);
  });

  test(`a declined payment is told and can be tried again, ${suffix}`, async () => {
    const session = await till.session();
    const page = await open(session);
    await choose(page, 'The payment is declined');
    assert.match((await alertText(page)) ?? '', /declined and you have not been charged/);
    await choose(page, 'The payment succeeds');
    assert.equal(await heading(page), 'Payment received');
    assert.equal((await till.fetch(session.id)).amount_paid, 4250);
  });

  test(`a further step is taken, declined or left, ${suffix}`, async () => {
    const session = await till.session();
    const page = await open(session);
    await choose(page, 'A further step is needed');
    assert.equal(await heading(page), 'One more step');
    await Promise.all([
      page.waitForEvent('load'),
      page.getByRole('button', { name: 'Choose another' }).click(),
    ]);
    assert.equal(await heading(page), 'How would you like to pay?');
    await choose(page, 'A further step is needed');
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Decline' }).click()]);
    assert.match((await alertText(page)) ?? '', /declined/);
    await choose(page, 'A further step is needed');
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Confirm' }).click()]);
    assert.equal(await heading(page), 'Payment received');
    const statuses = attemptsOf(await till.fetch(session.id)).map(({ status }) => status);
    assert.deepEqual(statuses, ['cancelled', 'failed', 'succeeded']);
  });

  test(`a part is paid, then the rest, then it is too much, ${suffix}`, async () => {
    const session = await till.session();
    const page = await open(session);
    await choose(page, 'Only a part is paid');
    assert.equal(await textIn(page, '.amount'), '€21.25');
    assert.match(await textIn(page, '.note'), /We have received €21\.25/);
    await choose(page, 'Too much is paid');
    assert.equal(await heading(page), 'Payment received');
    assert.match(await textIn(page, '.note'), /€2\.13 too much/);
    assert.equal((await till.fetch(session.id)).amount_paid, 4250 + 213);
  });

  test(`a payment that takes a while is waited for, ${suffix}`, async () => {
    const session = await till.session();
    const page = await open(session);
    await choose(page, 'The payment takes a while');
    assert.equal(await heading(page), 'Your payment is in progress');
    await till.advance(10);
    // The page reloads itself after five seconds if there is no script.
    await page.locator('main[data-state=paid]').waitFor({ timeout: 15_000 });
    assert.equal((await till.fetch(session.id)).payment_status, 'paid');
  });
}

test('the whole way by keyboard', async () => {
  const session = await till.session();
  const page = await till.page();
  await page.goto(session.url);
  const focused = () =>
    page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()');
  const until = async (wanted: string) => {
    for (let presses = 0; presses < 20; presses++) {
      if ((await focused()) === wanted) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`the keyboard does not reach ${wanted}`);
  };
  await until('method-card');
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(), 'method-ideal_eur');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'outcome-succeeds');
  await until('Pay €42.50');
  const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
  assert.equal(outline, 'solid');
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
  assert.equal(await heading(page), 'Payment received');
  await until('Return to Acme Coffee');
  assert.match(await textIn(page, '.payments'), /iDEAL/);
});

/** Fields that the form would send, taken from the page. */
async function formOf(session: Session, outcome: string): Promise<URLSearchParams> {
  return new URLSearchParams({ ...(await shownForm(session.url)), method: 'card', outcome });
}

/** The digest of the form, with another amount. */
const shownAs = (form: URLSearchParams, due: string) => form.get('shown')?.replace(/^\d+/, due) ?? '';

const send = (
  session: Session,
  action: string,
  body: URLSearchParams,
  headers: Record<string, string> = {},
) => fetch(`${session.url}/${action}`, { method: 'POST', body, headers, redirect: 'manual' });

test('the same form sent many times books once', async () => {
  for (const outcome of ['succeeds', 'pays_part', 'fails', 'pays_too_much']) {
    const session = await till.session();
    const form = await formOf(session, outcome);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(session, 'pay', form)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]), outcome);
    const { payment_attempts, amount_paid } = await till.fetch(session.id);
    assert.equal((payment_attempts as unknown[]).length, 1, outcome);
    assert.equal(
      amount_paid,
      { succeeds: 4250, pays_part: 2125, fails: 0, pays_too_much: 4675 }[outcome],
      outcome,
    );
  }
});

test('two windows paying at once book once', async () => {
  for (let round = 0; round < 10; round++) {
    const session = await till.session();
    const forms = await Promise.all(Array.from({ length: 5 }, () => formOf(session, 'succeeds')));
    const answers = await Promise.all(forms.map((form) => send(session, 'pay', form)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [303, 409, 409, 409, 409]);
    const { amount_paid } = await till.fetch(session.id);
    assert.equal(amount_paid, 4250);
  }
});

test('a form that was used is not used again with another choice', async () => {
  const session = await till.session();
  const form = await formOf(session, 'fails');
  await send(session, 'pay', form);
  form.set('outcome', 'succeeds');
  const again = await send(session, 'pay', form);
  assert.equal(again.status, 409);
  assert.match(await again.text(), /role="alert">This form was already sent/);
  assert.equal((await till.fetch(session.id)).amount_paid, 0);
});

test('a decision sent twice books once, and a decision on what is over is refused', async () => {
  const session = await till.session();
  await send(session, 'pay', await formOf(session, 'further_step'));
  const [attempt] = (await till.fetch(session.id)).payment_attempts as ReadonlyArray<{ id: string }>;
  const form = new URLSearchParams({ attempt: attempt?.id ?? '', decision: 'succeed' });
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(session, 'step', form)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [303, 303, 303, 303, 303],
  );
  assert.equal((await till.fetch(session.id)).amount_paid, 4250);
  assert.equal((await send(session, 'step', form)).status, 303);
  form.set('decision', 'fail');
  const late = await send(session, 'step', form);
  assert.equal(late.status, 409);
  assert.match(await late.text(), /role="alert">This step is no longer open/);
});

test('a form is refused with the current page if the session has changed since', async () => {
  const cases: Array<readonly [(session: Session) => Promise<unknown>, RegExp, RegExp]> = [
    [({ id }) => till.pay(id), /data-state="paid"/, /could not be started/],
    [({ id }) => till.api('POST', `/checkout/${id}/expire`), /data-state="expired"/, /could not be started/],
    [({ id }) => till.pay(id, { outcome: 'processing' }), /data-state="in_progress"/, /already in progress/],
    [
      ({ id }) => till.api('PUT', `/checkout/${id}`, { payment_methods: ['bancontact_eur'] }),
      /data-state="payable".*name="method" value="bancontact_eur"/s,
      /could not be started/,
    ],
  ];
  for (const [change, state, alert] of cases) {
    const session = await till.session();
    const form = await formOf(session, 'succeeds');
    await change(session);
    const answer = await send(session, 'pay', form);
    const text = await answer.text();
    assert.equal(answer.status, 409);
    assert.match(text, state);
    assert.match(text, alert);
  }
  const busy = await till.session();
  await till.pay(busy.id, { outcome: 'processing' });
  const cancelled = await send(busy, 'cancel_attempt', new URLSearchParams());
  assert.equal(cancelled.status, 409);
  assert.match(await cancelled.text(), /role="alert">A payment is already in progress/);
});

const moreCoffee = { items: [{ name: 'Filter coffee', quantity: 3, unit_price: 2000 }] };

test('a form that was shown with another amount books nothing, says so, and can be sent with the new one', async () => {
  const cases: Array<readonly [string, number, number, (session: Session) => Promise<unknown>]> = [
    ['more', 6000, 0, ({ id }) => till.api('PUT', `/checkout/${id}`, moreCoffee)],
    ['a part was paid', 3250, 1000, ({ id }) => till.pay(id, { amount: 1000 })],
  ];
  for (const [name, due, paidElsewhere, change] of cases) {
    const session = await till.session();
    const old = await formOf(session, 'succeeds');
    await change(session);
    const before = await till.fetch(session.id);
    for (let round = 0; round < 2; round++) {
      const answer = await send(session, 'pay', old);
      const text = await answer.text();
      assert.equal(answer.status, 409, name);
      assert.match(text, /role="alert">The amount has changed\. Please check it and pay again\./, name);
      assert.match(text, new RegExp(`name="shown" value="${due}-`), name);
      assert.deepEqual(await till.fetch(session.id), before, name);
    }
    const again = await send(session, 'pay', await formOf(session, 'succeeds'));
    assert.equal(again.status, 303, name);
    const paid = await till.fetch(session.id);
    assert.deepEqual([paid.status, paid.amount_paid], ['completed', paidElsewhere + due], name);
  }
});

test('a form that was shown with other items of the same total books nothing, and says so', async () => {
  const session = await till.session();
  const old = await formOf(session, 'succeeds');
  await till.api('PUT', `/checkout/${session.id}`, {
    items: [{ name: 'Decaf', quantity: 1, unit_price: 4250 }],
  });
  const before = await till.fetch(session.id);
  const answer = await send(session, 'pay', old);
  const text = await answer.text();
  assert.equal(answer.status, 409);
  assert.match(text, /role="alert">The items have changed\. Please check them and pay again\./);
  assert.match(text, /Decaf/);
  assert.deepEqual(await till.fetch(session.id), before);
  assert.equal((await send(session, 'pay', await formOf(session, 'succeeds'))).status, 303);
  assert.equal((await till.fetch(session.id)).amount_paid, 4250);
});

test('a form is still good after a change of what it does not show', async () => {
  const session = await till.session();
  const form = await formOf(session, 'succeeds');
  await till.api('PUT', `/checkout/${session.id}`, { metadata: { seen_by: 'warehouse' } });
  assert.equal((await send(session, 'pay', form)).status, 303);
  assert.equal((await till.fetch(session.id)).amount_paid, 4250);
});

test('a form that was sent is not sent again with another amount', async () => {
  const session = await till.session();
  const form = await formOf(session, 'pays_part');
  assert.equal((await send(session, 'pay', form)).status, 303);
  // The same form is the same payment, though less is due by now.
  assert.equal((await send(session, 'pay', form)).status, 303);
  form.set('shown', shownAs(form, '2125'));
  const changed = await send(session, 'pay', form);
  assert.equal(changed.status, 409);
  assert.match(await changed.text(), /role="alert">This form was already sent/);
  assert.equal((await till.fetch(session.id)).amount_paid, 2125);
});

test('a payer whose page is older than an update is shown the new amount before it is charged', async () => {
  const session = await till.session();
  // The page is not told of the update without JavaScript.
  const page = await till.page({ javaScriptEnabled: false });
  await page.goto(session.url);
  await till.api('PUT', `/checkout/${session.id}`, moreCoffee);
  await choose(page, 'The payment succeeds');
  assert.equal(await alertText(page), 'The amount has changed. Please check it and pay again.');
  assert.equal(await textIn(page, '.amount'), '€60.00');
  assert.equal(await textIn(page, 'button.primary'), 'Pay €60.00');
  const { amount_paid, payment_attempts } = await till.fetch(session.id);
  assert.deepEqual([amount_paid, payment_attempts], [0, []]);
  await choose(page, 'The payment succeeds');
  assert.equal(await heading(page), 'Payment received');
  assert.equal((await till.fetch(session.id)).amount_paid, 6000);
});

test('a form that lacks something is answered with the page and why', async () => {
  const session = await till.session();
  const good = await formOf(session, 'succeeds');
  for (const [name, value] of [
    ['method', 'cash'],
    ['method', 'paynow_sgd'],
    ['outcome', 'explodes'],
    ['once', ''],
    ['once', 'x'.repeat(300)],
    ['shown', ''],
    ['shown', '4250'],
    ['shown', '4250-x'],
    ['shown', shownAs(good, '')],
    ['shown', shownAs(good, '0')],
    ['shown', shownAs(good, '-4250')],
    ['shown', shownAs(good, '4250.0')],
    ['shown', shownAs(good, '4.25e3')],
    ['shown', shownAs(good, '0x109a')],
    ['shown', shownAs(good, ' 4250')],
    ['shown', shownAs(good, '9'.repeat(16))],
  ] as const) {
    const form = new URLSearchParams(good);
    form.set(name, value);
    const answer = await send(session, 'pay', form);
    assert.equal(answer.status, 400, `${name} ${value}`);
    assert.match(await answer.text(), /role="alert">Please choose/);
  }
  const repeated = new URLSearchParams(good);
  repeated.append('once', 'b'.repeat(26));
  assert.equal((await send(session, 'pay', repeated)).status, 400);
  assert.equal((await send(session, 'step', new URLSearchParams({ decision: 'maybe' }))).status, 400);
  assert.equal((await send(session, 'pay', new URLSearchParams())).status, 400);
  assert.equal(attemptsOf(await till.fetch(session.id)).length, 0);
});

test('a live session cannot be paid with the sandbox', async () => {
  const [testing, live] = [await till.session(), await till.session({}, 'live')];
  await till.configure({ receivingAccounts: [] }, 'live');
  assert.doesNotMatch(await (await fetch(live.url)).text(), /<form/);
  const answer = await send(live, 'pay', await formOf(testing, 'succeeds'));
  assert.equal(answer.status, 409);
  assert.match(await answer.text(), /data-state="unavailable"/);
});

test('the language that was chosen on the page stays', async () => {
  const session = await till.session();
  const page = await till.page();
  await page.goto(session.url);
  await page.locator('.languages summary').click();
  await page.getByRole('link', { name: 'Deutsch' }).click();
  await page.getByRole('button', { name: '42,50 € bezahlen' }).click();
  await page.locator('main[data-state=paid]').waitFor();
  assert.equal(page.url(), `${session.url}?lang=de`);
  assert.equal(await heading(page), 'Zahlung eingegangen');
  await page.getByRole('link', { name: 'Beleg ansehen' }).click();
  await page.waitForURL('**/receipt?lang=de');
});

test('the address of an answer to a form leads back to the page', async () => {
  const session = await till.session();
  for (const action of ['pay', 'step', 'cancel_attempt']) {
    const answer = await fetch(`${session.url}/${action}?lang=fr`, { redirect: 'manual' });
    assert.equal(answer.status, 303);
    assert.equal(new URL(answer.headers.get('location') ?? '', session.url).href, `${session.url}?lang=fr`);
  }
});
