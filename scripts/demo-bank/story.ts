/** The story: five orders are paid by bank transfer, one as it should be and four otherwise. */
import { styleText } from 'node:util';
import { changeAccount } from '../../src/cli/account.ts';
import { fields, heading, line, remark } from '../../src/cli/demo/print.ts';
import { call, expectField, StepFailed, send } from '../../src/cli/demo/shop.ts';
import type { Stage } from '../../src/cli/demo/stage.ts';
import { executeOn } from '../../src/cli/with-store.ts';
import { openBank } from './bank.ts';
import type { References, Sale, Sales } from './books.ts';
import { orders, type Part, shopAccount } from './cast.ts';
import { closeBooks } from './closing.ts';
import type { Decode } from './code.ts';
import { clearInbox } from './inbox.ts';
import { askedOf, showCode, showInstructions } from './instructions.ts';
import { openPage } from './payer.ts';
import { checked, table } from './print.ts';
import { carryOut, refundExcess } from './refund.ts';
import { firstStatement, overlap } from './statements.ts';

const OPENING_BALANCE = 1_000_00;
const DAY_SECONDS = 86_400;

export async function tellStory(stage: Stage, decode: Decode): Promise<void> {
  console.log(`A server for this demo listens on ${stage.url}.`);
  console.log(`The API key and its secret: KEY=${stage.key}`);

  await setUpAccount(stage);
  const sales = await sell(stage);
  const references = await askForTransfers(stage, sales, decode);
  const first = await letTimePass(stage, sales.late);
  const bank = openBank(shopAccount.iban.replaceAll(' ', ''), OPENING_BALANCE);
  await firstStatement(stage, bank, { sales, references, day: first });
  const second = await overlap(stage, bank, { sale: sales.partial, decode, since: first });
  await clearInbox(stage, sales);
  const refund = await refundExcess(stage, sales.excess);
  await carryOut(stage, bank, { refund, sale: sales.excess, since: second });
  await closeBooks(stage, bank, { sales, refund });

  console.log('\nThat was all. Start a server of your own with npm start; README.md has the next steps.');
}

/** Stores the account directly, as the command that is shown would. */
async function setUpAccount({ store, account }: Stage): Promise<void> {
  heading('The account that the money goes to, in test mode');
  const tenant = { account: account.number, mode: 'test' } as const;
  const { id, currency, holder, iban, bic } = shopAccount;
  await changeAccount(
    { store, execute: executeOn(store) },
    tenant,
    { type: 'set_receiving_account', id, fields: shopAccount, isFirst: false },
    ({ problems }) => new StepFailed(`the receiving account: ${JSON.stringify(problems)}`),
  );
  const named = `--holder-name '${holder.name}' --holder-country ${holder.country}`;
  line(styleText('dim', `opentill bank account set ${id} --currency ${currency} --iban '${iban}' ${named}`));
  console.log();
  fields({ id, holder: holder.name, iban, bic });
}

async function sell(stage: Stage): Promise<Sales> {
  heading('Create sessions, as for every other way to pay');
  const made: Partial<Record<Part, Sale>> = {};
  for (const part of Object.keys(orders) as Part[]) {
    const order = orders[part];
    const { reference, item, amount, payer, hours } = order;
    const body = {
      invoice_currency: 'EUR',
      items: [{ name: item, quantity: 1, unit_price: amount }],
      customer_details: { name: payer.name },
      reference_id: reference,
      ...(hours === null ? {} : { expires_at: new Date(Date.now() + hours * 3_600_000).toISOString() }),
    };
    const isFirst = Object.keys(made).length === 0;
    const { id, url } = isFirst
      ? await call(stage, 'POST', '/v3/checkout', { body, shown: ['id', 'amount', 'status', 'url'] })
      : (await send(stage, 'POST', '/v3/checkout', body)).data;
    made[part] = { ...order, id, url };
  }
  const sales = made as Sales;
  remark('With four more the shop now waits for:');
  console.log();
  table(
    ['Order', 'Payer', 'Amount', 'Ends'],
    Object.values(sales).map(({ reference, payer, amount, hours }) => [
      reference,
      payer.name,
      amount,
      hours === null ? 'never' : `after ${hours} hours`,
    ]),
  );
  return sales;
}

async function askForTransfers(stage: Stage, sales: Sales, decode: Decode): Promise<References> {
  heading('A payer opens the page and chooses the bank transfer');
  const { exact, ...others } = sales;
  const asked = await askedOf(stage, exact, exact.amount, decode);
  showInstructions(asked, exact.amount);

  heading('The code on the page, as a banking app reads it');
  showCode(asked);
  const references: Partial<Record<Part, string>> = { exact: asked.reference };
  for (const [part, sale] of Object.entries(others)) {
    references[part as Part] = (await askedOf(stage, sale, sale.amount, decode)).reference;
  }
  checked('the other four payers are told as much; each has a reference of their own');
  if (new Set(Object.values(references)).size !== Object.keys(orders).length) {
    throw new StepFailed('two payers have the same reference');
  }
  return references as References;
}

/** Answers with the day on which that is, YYYY-MM-DD. */
async function letTimePass(stage: Stage, late: Sale): Promise<string> {
  heading('Two days pass, and nobody has paid yet');
  const clock = await call(stage, 'POST', '/v3/test_helpers/clock/advance', {
    body: { seconds: 2 * DAY_SECONDS },
    shown: ['now'],
  });
  const { data } = await send(stage, 'GET', `/v3/checkout/${late.id}`);
  expectField(data, 'status', 'expired');
  expectField(data, 'payment_status', 'expired');
  const { title } = await openPage(late.url);
  console.log();
  checked(`${late.reference} has expired; its page says "${title}"`);
  return String(clock.now).slice(0, 10);
}
