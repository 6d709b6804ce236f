/** Paying by bank as payers do: the details of the transfer, copied or scanned, until a statement shows the money. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { epcPayload } from '../../src/methods/bank/codes/epc.ts';
import { displayReference } from '../../src/methods/bank/references.ts';
import { account, DE_IBAN } from '../methods/bank/build.ts';
import { readCodeOf } from './screenshot.ts';
import { chooseMethod } from './states.ts';
import { openTill, type Session, type Till, textIn } from './till.ts';

const TRANSFER = 'local_bank_transfer_eur';
const ourAccount = account({ iban: DE_IBAN });

let till: Till;
before(async () => {
  till = await openTill();
  await till.configure({ receivingAccounts: [ourAccount] });
});
afterEach(() => till.closePages());
after(() => till.close());

type Attempt = {
  readonly status: string;
  readonly amount: number;
  readonly payment_method_details: { readonly reference: string; readonly rail: string };
};
const attemptsOf = async ({ id }: Session) => (await till.fetch(id)).payment_attempts as readonly Attempt[];
const referenceOf = async (session: Session) =>
  (await attemptsOf(session)).at(-1)?.payment_method_details.reference ?? assert.fail('nothing was begun');
const newSession = () => till.session({ payment_methods: [TRANSFER, 'card'] });
const heading = (page: Page) => page.locator('#state').textContent();

async function begin(page: Page, session: Session): Promise<void> {
  await page.goto(session.url);
  await page.getByLabel('Bank transfer (EUR)').check();
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: /^Pay / }).click()]);
}

for (const javaScriptEnabled of [true, false]) {
  const suffix = javaScriptEnabled ? 'with JavaScript' : 'without JavaScript';

  test(`a payer sees what to transfer where, and that it has arrived, ${suffix}`, async () => {
    const session = await newSession();
    const page = await till.page({ javaScriptEnabled });
    await begin(page, session);
    assert.equal(page.url(), session.url);
    assert.equal(await heading(page), 'Pay by bank transfer');
    const reference = await referenceOf(session);
    const details = await textIn(page, '.transfer');
    for (const part of [
      'Robert Schneider AG',
      'DE89 3704 0044 0532 0130 00',
      '€42.50',
      displayReference(reference),
    ]) {
      assert.ok(details.includes(part), part);
    }
    assert.match(await textIn(page, '.panel'), /transfer exactly €42\.50/);
    const { name } = ourAccount.holder;
    const payload = epcPayload({ name, iban: DE_IBAN, bic: null, amount: 4250, reference });
    assert.equal(await readCodeOf(page.getByRole('img', { name: 'QR code' })), payload);
    assert.equal(await page.locator('[data-copy]:visible').count(), javaScriptEnabled ? 4 : 0);

    await till.transfer(4250, reference);
    if (!javaScriptEnabled) await page.reload();
    await page.locator('main[data-state=paid]').waitFor();
    assert.match(await textIn(page, '.payments'), /Bank transfer \(EUR\)\s*€42\.50/);
    const receipt = await (await fetch(`${session.url}/receipt`)).text();
    assert.ok(receipt.includes(reference), 'what the payer knows the payment by');
    assert.doesNotMatch(receipt, /ntc_/);
  });

  test(`how a payment is to end is asked for those that only seem to be one, ${suffix}`, async () => {
    const page = await till.page({ javaScriptEnabled });
    await page.goto((await newSession()).url);
    const question = page.getByRole('group', { name: 'What should happen in this test?' });
    for (const [method, isAsked] of [
      ['Bank transfer (EUR)', false],
      ['Card', true],
      ['Bank transfer (EUR)', false],
    ] as const) {
      await page.getByLabel(method).check();
      assert.equal(await question.isVisible(), isAsked, method);
    }
  });

  test(`a payer goes back to the choice, finds the details again, and pays another way, ${suffix}`, async () => {
    const session = await newSession();
    const page = await till.page({ javaScriptEnabled });
    await begin(page, session);
    await page.getByRole('link', { name: 'Choose another payment method' }).click();
    assert.equal(await heading(page), 'How would you like to pay?');
    await page.getByRole('link', { name: 'Back to the transfer details' }).click();
    assert.equal(await heading(page), 'Pay by bank transfer');

    // The same choice gets the same reference again: the first transfer may be on its way.
    await page.getByRole('link', { name: 'Choose another payment method' }).click();
    await page.getByLabel('Bank transfer (EUR)').check();
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: /^Pay / }).click()]);
    assert.equal(await heading(page), 'Pay by bank transfer');
    assert.equal((await attemptsOf(session)).length, 1);

    await page.getByRole('link', { name: 'Choose another payment method' }).click();
    await page.getByLabel('Card').check();
    await page.getByLabel('The payment is declined').check();
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: /^Pay / }).click()]);
    assert.match((await page.getByRole('alert').textContent()) ?? '', /declined/);
    assert.equal(await heading(page), 'Pay by bank transfer');

    await page.getByRole('link', { name: 'Choose another payment method' }).click();
    await page.getByLabel('Card').check();
    await page.getByLabel('A further step is needed').check();
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: /^Pay / }).click()]);
    assert.equal(await heading(page), 'One more step');
    await Promise.all([
      page.waitForEvent('load'),
      page.getByRole('button', { name: 'Choose another' }).click(),
    ]);
    assert.equal(await heading(page), 'How would you like to pay?');

    await page.getByLabel('Card').check();
    await page.getByLabel('The payment succeeds').check();
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: /^Pay / }).click()]);
    assert.equal(await heading(page), 'Payment received');
    const statuses = (await attemptsOf(session)).map(({ status }) => status);
    assert.deepEqual(statuses, ['cancelled', 'failed', 'cancelled', 'succeeded']);
  });
}

test('a part that was transferred leaves the rest to be paid, with a reference of its own', async () => {
  const session = await newSession();
  const page = await till.page();
  await begin(page, session);
  const first = await referenceOf(session);
  await till.transfer(2_000, first);
  await page.getByRole('button', { name: 'Pay €22.50' }).waitFor();
  assert.match(await textIn(page, '.note'), /We have received €20\.00/);
  await page.getByLabel('Bank transfer (EUR)').check();
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: /^Pay / }).click()]);
  assert.match(await textIn(page, '.panel'), /transfer exactly €22\.50/);
  const second = await referenceOf(session);
  assert.notEqual(second, first);
  await till.transfer(2_250, second);
  await page.locator('main[data-state=paid]').waitFor();
});

test('a page whose time is over says that a transfer under way will be seen', async () => {
  const expire = async (session: Session) => {
    await till.api('POST', `/checkout/${session.id}/expire`);
    const text = await (await fetch(session.url)).text();
    assert.match(text, /This payment link has expired/);
    return text;
  };
  const note = /A payment was still in progress/;
  const shown = await newSession();
  await chooseMethod(shown, TRANSFER);
  assert.match(await expire(shown), note);
  assert.doesNotMatch(await expire(await newSession()), note);
  const declined = await newSession();
  await till.pay(declined.id, { outcome: 'failed' });
  assert.doesNotMatch(await expire(declined), note);
});

test('details of a transfer for what is no longer due are shown to nobody', async () => {
  const session = await newSession();
  const page = await till.page();
  await begin(page, session);
  await till.pay(session.id, { amount: 1_000 });
  await page.getByRole('button', { name: 'Pay €32.50' }).waitFor();
  assert.equal(await page.locator('.transfer').count(), 0);
  assert.equal((await fetch(`${session.url}/invoice.pdf`)).status, 404);
  const { transaction_documents } = await till.fetch(session.id);
  assert.deepEqual(transaction_documents, [{ type: 'receipt', url: `${session.url}/receipt.pdf` }]);
});

test('each detail is copied as forms of banks take it, and that is announced', async () => {
  const session = await newSession();
  const page = await till.page({ permissions: ['clipboard-read', 'clipboard-write'] });
  await begin(page, session);
  const copied = async (label: string) => {
    await page.getByRole('button', { name: `Copy: ${label}` }).click();
    await page
      .getByRole('button', { name: `Copy: ${label}` })
      .getByText('Copied')
      .waitFor();
    return page.evaluate('navigator.clipboard.readText()');
  };
  assert.equal(await copied('IBAN'), DE_IBAN);
  assert.equal(await page.locator('#announcer').textContent(), `Copied: ${DE_IBAN}`);
  assert.equal(await copied('Amount'), '42.50');
  assert.equal(await copied('Reference'), await referenceOf(session));
});

test('without the clipboard of a safe page the details are copied the old way', async () => {
  const session = await newSession();
  const page = await till.page({ permissions: ['clipboard-read', 'clipboard-write'] });
  // A page that is not served over TLS has no clipboard.
  await page.addInitScript(`
    const { clipboard } = navigator;
    window.readCopied = () => clipboard.readText();
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
  `);
  await begin(page, session);
  await page.getByRole('button', { name: 'Copy: IBAN' }).click();
  await page.getByText('Copied', { exact: true }).waitFor();
  assert.equal(await page.evaluate('readCopied()'), DE_IBAN);
  assert.equal(await page.locator('#announcer').textContent(), `Copied: ${DE_IBAN}`);
});

test('the language that was chosen stays on the way to the choice and back', async () => {
  const session = await newSession();
  const page = await till.page({ locale: 'fr-FR' });
  await page.goto(`${session.url}?lang=de`);
  await page.getByLabel('Banküberweisung (EUR)').check();
  await page.getByRole('button', { name: /bezahlen/ }).click();
  await page.getByRole('link', { name: 'Andere Zahlungsart wählen' }).click();
  await page.waitForURL('**?choose&lang=de');
  // The page follows its session without leaving the choice.
  await till.api('PUT', `/checkout/${session.id}`, { metadata: { seen: 'yes' } });
  await page.locator('main[data-version="3"]').waitFor();
  await page.getByRole('link', { name: 'Zurück zu den Überweisungsdaten' }).click();
  await page.waitForURL(`${session.url}?lang=de`);
  assert.equal(await heading(page), 'Per Überweisung bezahlen');
});

const others = [
  {
    method: 'upi_inr',
    currency: 'INR',
    account: { upi: 'acme@okbank' },
    heading: 'Pay with UPI',
    shown: /UPI\s*acme@okbank/,
    code: /^upi:\/\/pay\?pa=acme@okbank/,
  },
  {
    method: 'pix_brl',
    currency: 'BRL',
    account: { pix: 'acme@example.com' },
    heading: 'Pay with Pix',
    shown: /Pix Copia e Cola/,
    code: /br\.gov\.bcb\.pix/,
  },
  {
    method: 'local_bank_transfer_gbp',
    currency: 'GBP',
    account: { accountNumber: '12345678', bankCode: '200000' },
    heading: 'Pay by bank transfer',
    shown: /Sort code\s*200000/,
    code: null,
  },
] as const;

for (const each of others) {
  test(`${each.method} is shown with what its payers know`, async () => {
    const { method, currency } = each;
    await till.configure({ receivingAccounts: [ourAccount, account({ currency, ...each.account })] });
    const session = await till.session({ invoice_currency: currency, payment_methods: [method] });
    const page = await till.page({ hasTouch: true, isMobile: true });
    await page.goto(session.url);
    await page.getByRole('button', { name: /^Pay / }).click();
    await page.locator('main[data-state=requires_action]').waitFor();
    assert.equal(await heading(page), each.heading);
    assert.match(await textIn(page, '.panel'), each.shown);
    if (each.code === null) assert.equal(await page.getByRole('img', { name: 'QR code' }).count(), 0);
    else assert.match(await readCodeOf(page.getByRole('img', { name: 'QR code' })), each.code);
    const app = page.getByRole('link', { name: 'Open your UPI app' });
    assert.equal(await app.isVisible(), method === 'upi_inr');
    if (method === 'upi_inr') {
      assert.equal(
        await app.getAttribute('href'),
        await readCodeOf(page.getByRole('img', { name: 'QR code' })),
      );
    }
    assert.equal(await page.getByRole('link', { name: 'Choose another' }).count(), 0, 'there is no other');
  });
}

test('a live session whose account is gone says so, names no setting, and can be paid once there is another', async () => {
  const session = await till.session({ payment_methods: [TRANSFER] }, 'live');
  await till.configure({ receivingAccounts: [] }, 'live');
  const page = await till.page();
  await page.goto(session.url);
  const said = await textIn(page, '.panel');
  assert.match(said, /No payment method is available for this order at the moment. Please contact/);
  assert.doesNotMatch(said, /Not set up|receiving account|opentill/);
  await till.configure({ receivingAccounts: [ourAccount] }, 'live');
  await page.reload();
  await page.getByRole('button', { name: 'Pay €42.50' }).waitFor();
});

test('a page with a code stays small', async () => {
  const session = await newSession();
  const page = await till.page();
  await begin(page, session);
  assert.ok(Buffer.byteLength(await page.content()) < 50 * 1024);
});
