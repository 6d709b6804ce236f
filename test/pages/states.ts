/** Sessions in each state that a page can show. */
import assert from 'node:assert/strict';
import { account, CH_IBAN } from '../methods/bank/build.ts';
import { shownForm } from '../support/pay-form.ts';
import type { Session, Till } from './till.ts';

const ITEM = { name: 'Print, signed', quantity: 1, unit_price: 250 };

/** The state and the heading that each page has to show. */
export const expected = {
  expired_by_time: ['expired', 'This payment link has expired'],
  draft: ['draft', 'Nothing to pay yet'],
  payable: ['payable', 'How would you like to pay?'],
  described: ['payable', 'How would you like to pay?'],
  many_items: ['payable', 'How would you like to pay?'],
  declined: ['payable', 'How would you like to pay?'],
  partly_paid: ['payable', 'How would you like to pay?'],
  step: ['requires_action', 'One more step'],
  transfer: ['requires_action', 'Pay by bank transfer'],
  transfer_left: ['payable', 'How would you like to pay?'],
  card_page: ['requires_action', 'One more step'],
  in_progress: ['in_progress', 'Your payment is in progress'],
  unknown: ['in_progress', 'Your payment is in progress'],
  paid: ['paid', 'Payment received'],
  refunded: ['paid', 'Payment received'],
  paid_in_excess: ['paid', 'Payment received'],
  paid_late: ['paid', 'Payment received'],
  expired_by_merchant: ['expired', 'This payment link has expired'],
  expired_partly_paid: ['expired', 'This payment link has expired'],
  unavailable: ['unavailable', 'This cannot be paid here'],
  exhausted: ['exhausted', 'This cannot be paid here'],
} as const;

export type StateName = keyof typeof expected;

/** Chooses a method as a payer does, as far as the page's form goes. */
export async function chooseMethod(session: Session, method: string): Promise<void> {
  const body = new URLSearchParams({ ...(await shownForm(session.url)), method });
  const answer = await fetch(`${session.url}/pay`, { method: 'POST', body, redirect: 'manual' });
  assert.equal(answer.status, 303);
}

export async function sessionsInAllStates(till: Till): Promise<Record<StateName, Session>> {
  const after = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const paidWith = async (fields: object, ...payments: object[]): Promise<Session> => {
    const session = await till.session(fields);
    for (const payment of payments) await till.pay(session.id, payment);
    return session;
  };
  const ended = async (...payments: object[]): Promise<Session> => {
    const session = await till.session();
    await till.api('POST', `/checkout/${session.id}/expire`);
    for (const payment of payments) await till.pay(session.id, payment);
    return session;
  };

  const begun = async (method: string, fields: object = {}): Promise<Session> => {
    const session = await till.session({ ...fields, payment_methods: [method, 'bancontact_eur'] });
    await chooseMethod(session, method);
    return session;
  };
  const refunded = async (): Promise<Session> => {
    const session = await paidWith({}, {});
    await till.api('POST', '/refund', { payin: session.id, amount: 1_000 });
    await till.until(session.url, /Refunded/);
    return session;
  };
  const unavailable = async (): Promise<Session> => {
    const session = await till.session({ payment_methods: ['local_bank_transfer_eur'] }, 'live');
    await till.configure({ receivingAccounts: [] }, 'live');
    return session;
  };

  const receivingAccount = account({ iban: CH_IBAN, bic: 'POFICHBEXXX', bankName: 'PostFinance' });
  await till.configure({ receivingAccounts: [receivingAccount, { ...receivingAccount, currency: 'CHF' }] });
  const transfer = await begun('local_bank_transfer_eur');

  // First of those with a time, because it moves the clock for all that are there already.
  const expired_by_time = await till.session({ expires_at: after(1) });
  await till.advance(2 * 3_600);
  return {
    expired_by_time,
    draft: await till.session({ items: undefined }),
    payable: await till.session({ expires_at: after(26) }),
    described: await till.session({
      items: undefined,
      invoice_currency: 'JPY',
      amount: 12_345,
      transaction_description: 'Invoice 2030-17, consulting in January',
    }),
    many_items: await till.session({ items: Array.from({ length: 12 }, () => ITEM), amount: 2_900 }),
    declined: await paidWith({}, { outcome: 'failed' }),
    partly_paid: await paidWith({}, { amount: 2_000 }),
    step: await paidWith({}, { outcome: 'requires_action' }),
    transfer,
    transfer_left: { ...transfer, url: `${transfer.url}?choose` },
    card_page: await begun('card'),
    in_progress: await paidWith({}, { outcome: 'processing' }),
    unknown: await paidWith({}, { outcome: 'unknown' }),
    paid: await paidWith({}, {}),
    refunded: await refunded(),
    paid_in_excess: await paidWith({}, { amount: 5_000 }),
    paid_late: await ended({}),
    expired_by_merchant: await ended(),
    expired_partly_paid: await ended({ amount: 1_000 }),
    unavailable: await unavailable(),
    exhausted: await paidWith({}, ...Array.from({ length: 50 }, () => ({ outcome: 'failed' }))),
  };
}
