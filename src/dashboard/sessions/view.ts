/** A session with everything that is known of it, as parts of a screen. */
import type { representCheckout, representPayin } from '../../checkout/representation.ts';
import { drawing, type Html, html } from '../../lib/html.ts';
import { drawCode } from '../../methods/bank/codes/draw.ts';
import { amountOf, factsOf, known, timeIn } from '../texts.ts';
import { stateOf } from './states.ts';

export type Session = ReturnType<typeof representCheckout>;
export type Payin = ReturnType<typeof representPayin>;

/** Money that can still go back to the payer, as far as this screen can tell. */
export const refundableOf = ({ amount_paid, refunds, reversals }: Payin): number =>
  amount_paid -
  sumOf(refunds.filter(({ status }) => status !== 'failed')) -
  sumOf(reversals.filter(({ status }) => status !== 'won'));

const sumOf = (parts: ReadonlyArray<{ readonly amount: number }>): number =>
  parts.reduce((sum, { amount }) => sum + amount, 0);

export function sessionFacts(session: Session): Html {
  const { invoice_currency: currency, partially_paid, paid_in_excess, expires_at, metadata } = session;
  return html`<section><h2>Session</h2>${factsOf(
    known([
      ['Amount', amountOf(session.amount, currency)],
      ['Paid', amountOf(session.amount_paid, currency)],
      ['Status', stateOf(session.status)],
      [
        'Payment',
        html`${stateOf(session.payment_status)}${partially_paid && html` ${stateOf('partial')}`}${paid_in_excess && html` ${stateOf('excess')}`} ${session.payment_status_description}`,
      ],
      ['Created', html`${timeIn(session.created_at)} UTC`],
      ['Expires', expires_at !== null && html`${timeIn(expires_at)} UTC`],
      ['Reference', session.reference_id],
      ['Description', session.transaction_description],
      ['Methods', session.payment_methods.join(', ')],
      ['Id', html`<code>${session.id}</code>`],
      ['After paying', session.success_url],
      ['Without paying', session.cancel_url],
      ['Webhooks to', session.webhook_url],
      ...Object.entries(metadata).map(
        ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
      ),
    ]),
  )}</section>`;
}

/** `pathTo` gives the path of a screen of the account. */
export function payerFacts(session: Session, pathTo: (screen: string) => string): Html {
  const { customer_details: payer, billing_details, shipping_details } = session;
  const { phone, customer } = payer;
  const query = new URLSearchParams({ customer });
  const facts = known([
    ['Name', payer.name],
    ['E-mail', payer.email],
    ['Country', payer.country],
    ['Phone', phone && `+${phone.calling_code} ${phone.number}`],
    ['Billing', contactOf(billing_details)],
    ['Shipping', contactOf(shipping_details)],
    [
      'Customer',
      customer !== '' &&
        html`<a href="${pathTo('people')}/${customer}">All that is kept of this person</a>, <a href="${pathTo('sessions')}?${String(query)}">all payments</a>`,
    ],
  ]);
  return html`<section><h2>Payer</h2>${facts.length > 0 ? factsOf(facts) : html`<p>Nothing is known of the payer.</p>`}</section>`;
}

/** Contact on one line. */
export function contactOf(contact: unknown): string {
  if (typeof contact === 'string') return contact;
  if (typeof contact !== 'object' || contact === null) return '';
  return Object.values(contact).map(contactOf).filter(Boolean).join(', ');
}

export const pageOf = ({ url, status }: Session): Html =>
  html`<section><h2>Payment page</h2><p><a href="${url}" data-copy>${url}</a></p>${
    status === 'active' &&
    html`<details class="code"><summary>Code to scan</summary><p class="qr">${drawing(drawCode({ payload: url, errorCorrection: 'M', swissCross: false }))}</p></details>`
  }</section>`;

export function itemsOf({ items, invoice_currency: currency, amount }: Session): Html | false {
  return (
    items.length > 0 &&
    html`<section><h2>Items</h2>${table(
      'Items',
      html`<th>Item</th><th class="number">Quantity</th><th class="number">Unit price</th><th class="number">Amount</th>`,
      items.map(
        (item) =>
          html`<td class="wide">${item.name}${item.description !== '' && html`<br><span class="hint">${item.description}</span>`}</td><td class="number">${item.quantity}</td><td class="number">${amountOf(item.unit_price, currency)}</td><td class="number">${amountOf(item.amount, currency)}</td>`,
      ),
    )}${sumOf(items) !== amount && html`<p>Total ${amountOf(amount, currency)}</p>`}</section>`
  );
}

export function attemptsOf({ payment_attempts: attempts }: Session): Html {
  return html`<section><h2>Attempts and payments</h2>${
    attempts.length === 0
      ? html`<p>The payer has not tried to pay yet.</p>`
      : table(
          'Attempts and payments',
          html`<th>Started (UTC)</th><th>Method</th><th>Reference at the rail</th><th class="number">Amount</th><th>Status</th>`,
          attempts.map(
            ({ created_at, payment_method_details: method, amount, charge_currency, status, ...rest }) =>
              html`<td>${timeIn(created_at)}</td><td>${method.type}<br><span class="hint">${method.rail}</span></td><td class="wide">${method.reference}<br><code>${rest.id}</code></td><td class="number">${amountOf(amount, charge_currency)}</td><td>${stateOf(status)}${rest.refunded && html` ${stateOf('refunded')}`}<br><span class="hint">${rest.status_description}</span></td>`,
          ),
        )
  }</section>`;
}

/** `refundsAt` is the path that the screens of refunds are below. */
export function returnsOf({ refunds, reversals }: Payin, refundsAt: string): Html | false {
  const rows = [
    ...refunds.map((refund) => ({
      ...refund,
      kind: html`<a href="${refundsAt}/${refund.id}">refund</a>`,
      more: [refund.reason, refund.remarks],
    })),
    ...reversals.map((reversal) => ({ ...reversal, more: [reversal.reason], status_description: '' })),
  ];
  return (
    rows.length > 0 &&
    html`<section><h2>Refunds and reversals</h2>${table(
      'Refunds and reversals',
      html`<th>Created (UTC)</th><th>Kind</th><th>Reason</th><th class="number">Amount</th><th>Status</th>`,
      rows.map(
        ({ created_at, kind, more, amount, currency, status, status_description, reference }) =>
          html`<td>${timeIn(created_at)}</td><td>${kind}</td><td class="wide">${more.filter(Boolean).join(' · ')}<br><span class="hint">${reference}</span></td><td class="number">${amountOf(amount, currency)}</td><td>${stateOf(status)}<br><span class="hint">${status_description}</span></td>`,
      ),
    )}</section>`
  );
}

/** A wide table scrolls by itself, by keys as well. */
const table = (name: string, head: Html, rows: readonly Html[]): Html =>
  html`<div class="scroll" tabindex="0" role="group" aria-label="${name}"><table class="dense"><thead><tr>${head}</tr></thead><tbody>
${rows.map(
  (row) => html`<tr>${row}</tr>
`,
)}</tbody></table></div>`;
