/** Payment form. In test mode the payer also chooses the outcome of the payment. */
import { hash } from 'node:crypto';
import type { Checkout } from '../checkout/session.ts';
import { amountDue } from '../checkout/statuses.ts';
import type { Language } from '../i18n/languages/all.ts';
import { methodName } from '../i18n/method-names.ts';
import { compact, type Html, html } from '../lib/html.ts';
import { randomText } from '../lib/id.ts';
import { SANDBOX, sandboxOutcomes } from '../methods/sandbox/sandbox.ts';
import { amountText } from './pieces.ts';
import { addressOf, choiceAddress, type Visit } from './visit.ts';

const ONCE_LENGTH = 26;
const ONCE = new RegExp(`^[0-9a-z]{${ONCE_LENGTH}}$`);

/** The amount due in minor units, with few enough digits for a safe integer, and the digest of the sale. */
const SHOWN = /^(?<due>[1-9][0-9]{0,14})-(?<sale>[\w-]{22})$/;

/** The field of the one-time value as the page has it. */
export const ONCE_FIELD = new RegExp(`name="once" value="([0-9a-z]{${ONCE_LENGTH}})"`);

export function newOnce(): string {
  return randomText(ONCE_LENGTH);
}

/** True for a one-time value in the form's own format. */
export function isOnce(value: unknown): value is string {
  return typeof value === 'string' && ONCE.test(value);
}

/** Digest of what is sold: the amount, the currency and the items. Nothing else of a session disturbs a payer. */
function digestOfSale({ amount, currency, items }: Checkout): string {
  return hash('sha256', JSON.stringify([amount, currency, items]), 'base64url').slice(0, 22);
}

/** Value of the field `shown`: the amount due and the digest of the sale that the page shows. */
export function shownOn(checkout: Checkout): string {
  return `${amountDue(checkout)}-${digestOfSale(checkout)}`;
}

/** The amount that the form showed, and whether it showed the sale as it is now; null if the field is malformed. */
export function readShown(shown: unknown, checkout: Checkout): { due: number; isSameSale: boolean } | null {
  const { due, sale } = SHOWN.exec(typeof shown === 'string' ? shown : '')?.groups ?? {};
  return due === undefined ? null : { due: Number(due), isSameSale: sale === digestOfSale(checkout) };
}

/**
 * Each rendered form has a one-time value, so that sending the same form twice pays once. Browsers are told not to
 * remember it, since a remembered value would stand for a payment made before. What the page shows of the sale goes with
 * the form, so that nobody pays another amount than shown, or for other items.
 */
export function payForm(visit: Visit): Html {
  const { checkout, offers, locale, isChoosing } = visit;
  const { messages } = locale.language;
  const amount = amountText(locale, amountDue(checkout), checkout.currency);
  return html`<form method="post" action="${isChoosing ? choiceAddress(visit, '/pay') : addressOf(visit, '/pay')}" autocomplete="off" data-once>
<input type="hidden" name="once" value="${newOnce()}">
<input type="hidden" name="shown" value="${shownOn(checkout)}">
<fieldset>
<legend class="unseen">${messages.method}</legend>
${offers.map(({ method, rail }, index) => choice('method', method.id, methodName(messages, method), index === 0, rail.name !== SANDBOX))}
</fieldset>
${offers.some(({ rail }) => rail.name === SANDBOX) && outcomeChoice(locale.language)}
<button class="primary">${messages.pay(amount)}</button>
</form>`;
}

const outcomeChoices = new Map<Language, Html>();

/** The same on all pages of a language. */
function outcomeChoice(language: Language): Html {
  let made = outcomeChoices.get(language);
  if (!made) {
    const { outcome: question, outcomes } = language.messages;
    made = compact(html`<fieldset class="test">
<legend>${question}</legend>
${sandboxOutcomes.map((outcome, index) => choice('outcome', outcome, outcomes[outcome], index === 0))}
</fieldset>`);
    outcomeChoices.set(language, made);
  }
  return made;
}

/** With a `real` method, the style hides the question that only the sandbox asks. */
function choice(name: string, value: string, label: string, checked: boolean, real = false): Html {
  const id = `${name}-${value}`;
  return html`<label class="choice" for="${id}"><input type="radio" id="${id}" name="${name}" value="${value}" required${checked && html` checked`}${real && html` data-real`}> <bdi>${label}</bdi></label>
`;
}
