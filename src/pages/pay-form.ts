/** Payment form. In test mode the payer also chooses the outcome of the payment. */
import { amountDue } from '../checkout/session.ts';
import type { Language } from '../i18n/languages/all.ts';
import { methodName } from '../i18n/method-names.ts';
import { compact, type Html, html } from '../lib/html.ts';
import { randomText } from '../lib/id.ts';
import { SANDBOX, sandboxOutcomes } from '../methods/sandbox/sandbox.ts';
import { amountText } from './pieces.ts';
import { addressOf, choiceAddress, type Visit } from './visit.ts';

const ONCE_LENGTH = 26;
const ONCE = new RegExp(`^[0-9a-z]{${ONCE_LENGTH}}$`);

/** An amount in minor units, with few enough digits for a safe integer. */
const AMOUNT = /^[1-9][0-9]{0,14}$/;

/** The field of the one-time value as the page has it. */
export const ONCE_FIELD = new RegExp(`name="once" value="([0-9a-z]{${ONCE_LENGTH}})"`);

export function newOnce(): string {
  return randomText(ONCE_LENGTH);
}

/** True for a one-time value in the form's own format. */
export function isOnce(value: unknown): value is string {
  return typeof value === 'string' && ONCE.test(value);
}

/** Amount that the form showed, or null if it has none. */
export function shownAmount(due: unknown): number | null {
  return typeof due === 'string' && AMOUNT.test(due) ? Number(due) : null;
}

/**
 * Each rendered form has a one-time value, so that sending the same form twice pays once. Browsers are told not to
 * remember it, since a remembered value would stand for a payment made before. The amount goes with the form, so that
 * nobody pays another amount than shown.
 */
export function payForm(visit: Visit): Html {
  const { checkout, offers, locale, isChoosing } = visit;
  const { messages } = locale.language;
  const due = amountDue(checkout);
  const amount = amountText(locale, due, checkout.currency);
  return html`<form method="post" action="${isChoosing ? choiceAddress(visit, '/pay') : addressOf(visit, '/pay')}" autocomplete="off" data-once>
<input type="hidden" name="once" value="${newOnce()}">
<input type="hidden" name="due" value="${due}">
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
