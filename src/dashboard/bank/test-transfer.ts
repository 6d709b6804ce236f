/** A test transfer to a receiving account: the code that payers scan, for somebody who tries it with their own bank. */
import type { representReceivingAccount } from '../../accounts/representation.ts';
import { currencyExponent } from '../../checkout/money.ts';
import { drawing, type Html, html } from '../../lib/html.ts';
import { drawCode } from '../../methods/bank/codes/draw.ts';
import { type Instructions, instructionsFor, referenceKindOf } from '../../methods/bank/instructions.ts';
import { methodsOf, type ReceivingAccount } from '../../methods/bank/receiving-account.ts';
import { readReceivingAccount } from '../../methods/bank/receiving-account-schema.ts';
import { creditorReference, qrReference } from '../../methods/bank/references.ts';
import { factsOf, wordsOf } from '../texts.ts';

/** References that are valid, and that no session has: such a transfer waits in the inbox. */
const references = { RF: creditorReference('TEST'), QRR: qrReference('0'.repeat(26)) } as const;

/** One unit of the currency, by the first method of the account that has a code. */
function instructionsOf(account: ReceivingAccount): Instructions | null {
  const amount = 10 ** (currencyExponent(account.currency) ?? 2);
  const all = methodsOf(account).flatMap((method) => {
    const reference = references[referenceKindOf(account, method)];
    return instructionsFor(account, method, { amount, reference }) ?? [];
  });
  return all.find(({ code }) => code !== null) ?? all[0] ?? null;
}

export function testTransferOf(shown: ReturnType<typeof representReceivingAccount>): Html | false {
  const { object: _, methods: __, ...given } = shown;
  const read = readReceivingAccount(given);
  const instructions = 'account' in read ? instructionsOf(read.account) : null;
  if (instructions === null) return false;
  const { code, fields } = instructions;
  return html`<section><h2>Test transfer</h2>
<p>${code === null ? 'There is no code for this account: payers type what is below.' : html`Scan it with the app of your bank, to see what payers get (${code.standard}).`} A transfer moves money, and waits in the inbox when its statement is imported.</p>
${code !== null && html`<p class="qr">${drawing(drawCode(code))}</p>`}
${factsOf(fields.map(({ name, display }) => [wordsOf(name), display]))}</section>`;
}
