/** The form that pays. In test mode the payer also chooses how the payment ends. */
import { amountDue } from '../checkout/session.ts';
import { compact, type Html, html } from '../html.ts';
import { randomText } from '../id.ts';
import { sandboxOutcomes } from '../methods/sandbox/sandbox.ts';
import type { Language } from './languages/all.ts';
import { amountText, methodName } from './pieces.ts';
import type { Visit } from './visit.ts';

const ONCE_LENGTH = 26;
const ONCE = new RegExp(`^[0-9a-z]{${ONCE_LENGTH}}$`);

/** The field of the one-time value as the page has it. */
export const ONCE_FIELD = new RegExp(`name="once" value="([0-9a-z]{${ONCE_LENGTH}})"`);

export function newOnce(): string {
  return randomText(ONCE_LENGTH);
}

/** Whether this is a one-time value as the form carries it. */
export function isOnce(value: unknown): value is string {
  return typeof value === 'string' && ONCE.test(value);
}

/**
 * Each rendered form has a one-time value, so that sending the same form twice pays once. Browsers that remember what
 * forms held are told not to: a remembered value would stand for a payment that was made already.
 */
export function payForm({ checkout, methods, locale, path }: Visit): Html {
  const { messages } = locale.language;
  const amount = amountText(locale, amountDue(checkout), checkout.currency);
  return html`<form method="post" action="${path}/pay${locale.query}" autocomplete="off" data-once>
<input type="hidden" name="once" value="${newOnce()}">
<fieldset>
<legend class="unseen">${messages.method}</legend>
${methods.map((method, index) => choice('method', method.id, methodName(messages, method), index === 0))}
</fieldset>
${outcomeChoice(locale.language)}
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

function choice(name: string, value: string, label: string, checked: boolean): Html {
  const id = `${name}-${value}`;
  return html`<label class="choice" for="${id}"><input type="radio" id="${id}" name="${name}" value="${value}" required${checked && html` checked`}> <bdi>${label}</bdi></label>
`;
}
