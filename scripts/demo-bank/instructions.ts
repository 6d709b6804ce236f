/** The page's instructions for a bank transfer, compared with what the story knows. */
import { fields } from '../../src/cli/demo/print.ts';
import { expect, StepFailed, send } from '../../src/cli/demo/shop.ts';
import type { Stage } from '../../src/cli/demo/stage.ts';
import type { Sale } from './books.ts';
import { shopAccount, TRANSFER } from './cast.ts';
import { type Decode, epcFields, isCreditorReference, rasterised } from './code.ts';
import { choose, codeOn, type Page } from './payer.ts';
import { checked, euro, table } from './print.ts';

export type Asked = { readonly page: Page; readonly reference: string; readonly payload: string };

/** The payer chooses the bank transfer. Everything that the page then says is checked, the code with its own eyes. */
export async function askedOf(stage: Stage, sale: Sale, due: number, decode: Decode): Promise<Asked> {
  const page = await choose(sale.url, TRANSFER);
  const shown = [shopAccount.holder.name, shopAccount.iban, euro(due)];
  for (const each of shown) {
    if (!page.text.includes(each)) throw new StepFailed(`the page of ${sale.reference} does not say ${each}`);
  }
  const [grouped = ''] = /\bRF\d{2}(?: [0-9A-Z]{4}){4} [0-9A-Z]{2}\b/.exec(page.text) ?? [];
  const reference = grouped.replaceAll(' ', '');
  if (!isCreditorReference(reference)) {
    throw new StepFailed(`the page of ${sale.reference} has no creditor reference: "${grouped}"`);
  }
  const { data } = await send(stage, 'GET', `/v3/checkout/${sale.id}`);
  const attempts = data.payment_attempts as ReadonlyArray<Attempt>;
  const attempt = attempts.find((each) => each.id === data.latest_payment_attempt);
  expect('the reference on the page', reference, attempt?.payment_method_details.reference);
  expect('the amount of the attempt', attempt?.amount, due);

  const payload = await decode(rasterised(codeOn(page))).catch((error: Error) => {
    throw new StepFailed(`the payment code of ${sale.reference} cannot be read: ${error.message}`);
  });
  const lines = ['BCD', '002', '1', 'SCT', shopAccount.bic, shopAccount.holder.name];
  const wanted = [...lines, shopAccount.iban.replaceAll(' ', ''), `EUR${euro(due)}`, '', reference];
  expect(`the payment code of ${sale.reference}`, payload.split('\n'), wanted);
  return { page, reference, payload };
}

type Attempt = {
  readonly id: string;
  readonly amount: number;
  readonly payment_method_details: { readonly reference: string };
};

export function showInstructions({ page, reference }: Asked, due: number): void {
  fields({
    title: page.title,
    payee: shopAccount.holder.name,
    iban: shopAccount.iban,
    amount: `${euro(due)} EUR`,
    reference: reference.replace(/(.{4})(?!$)/g, '$1 '),
  });
}

export function showCode({ payload }: Asked): void {
  const rows = payload
    .split('\n')
    .map((value, index) => [`${index + 1}`, epcFields[index] ?? '', value || '(empty)']);
  table(['Line', 'Field of EPC069-12', 'Read from the picture'], rows);
  console.log();
  checked('read by zxing, from the pixels of the drawing; each line is what the standard wants');
}
