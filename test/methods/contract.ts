/**
 * The contract of every rail, on every database, also if the service is restarted between steps: an amount
 * asked for is booked, once, whatever gets lost, comes twice, late or out of order.
 */

import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { defaultSettings } from '../../src/accounts/settings.ts';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { defaultPolicy, type Policy } from '../../src/checkout/session.ts';
import type { TestDatabase } from '../support/database.ts';
import { scaled } from '../support/scale.ts';
import { startBank } from './bank/harness.ts';
import { declarePayingTests } from './contract-paying.ts';
import type { Provider, StartProvider } from './contract-provider.ts';
import { declareRefundTests } from './contract-refunds.ts';
import { startCards } from './contract-stripe.ts';
import { type Data, openTill, type Till } from './contract-till.ts';
import { declareTroubleTests } from './contract-trouble.ts';
import { startSandbox } from './sandbox/harness.ts';

/** A shop with the rail that is looked at and no other. */
export type Shop = Provider & {
  readonly till: Till;
  /** A session that can be paid by the rail; in euro, for 10.00, unless said. */
  open(fields?: object): Promise<Data>;
  /** The payer has chosen the method and has what is needed to pay. */
  ready(session: Data): Promise<Data>;
  /** Delivers everything that there is to hear. */
  hear(attempt: Data): Promise<void>;
  /** A session that is paid, and its attempt. */
  paid(fields?: object): Promise<{ readonly session: Data; readonly attempt: Data }>;
  /** Fails unless the ledger of the session has just these amounts, in any order, and says whether each was late. */
  checkLedger(id: CheckoutId, amounts: readonly number[], late?: boolean): Promise<void>;
};

/** Declares a test that has a shop of its own; what does not add up in the end fails it. */
export type Declare = (
  name: string,
  body: (shop: Shop, context: TestContext) => Promise<void>,
  policy?: Partial<Policy>,
) => void;

const providers: Readonly<Record<string, StartProvider>> = {
  sandbox: startSandbox,
  bank: startBank,
  stripe: startCards,
};

/** Restarts before the first steps of each test: each takes a while. */
const RESTARTS = Math.min(4, scaled(2));

/** The suites of all rails on databases of one kind; `isTried` says of one test after the other whether to declare it. */
export function declareContract(
  kind: string,
  fresh: () => Promise<TestDatabase>,
  { isRestarted = false, isTried = (): boolean => true } = {},
): void {
  const restarts = isRestarted ? RESTARTS : 0;
  for (const [name, start] of Object.entries(providers)) {
    suite(`${name} on ${kind}${isRestarted ? ', restarted between steps' : ''}`, () => {
      const declare: Declare = (title, body, policy = {}) => {
        if (!isTried()) return;
        test(title, async (context) => {
          const shop = await openShop(context, start, fresh, restarts, policy);
          await body(shop, context);
          await shop.till.checkBooks();
        });
      };
      declarePayingTests(declare);
      declareTroubleTests(declare);
      declareRefundTests(declare);
    });
  }
}

async function openShop(
  context: TestContext,
  start: StartProvider,
  fresh: () => Promise<TestDatabase>,
  restarts: number,
  policy: Partial<Policy>,
): Promise<Shop> {
  const provider = await start(context);
  const { rail, receivingAccounts, methodFor, form } = provider;
  const settings = { ...defaultSettings, receivingAccounts, policy: { ...defaultPolicy, ...policy } };
  const till = await openTill(context, { database: await fresh(), rails: [rail], settings, restarts });

  const shop: Shop = {
    ...provider,
    till,
    open(fields = {}) {
      const { invoice_currency: currency = 'EUR' } = fields as { invoice_currency?: string };
      const methods = [methodFor(currency)];
      return till.session({ invoice_currency: currency, amount: 1000, payment_methods: methods, ...fields });
    },
    async ready(session) {
      const attempt = await till.choose(session, methodFor(session.invoice_currency), form);
      await till.step();
      await till.start(session.id);
      return attempt;
    },
    async hear(attempt) {
      for (const tell of provider.news(till, attempt)) await tell();
      await till.pass();
    },
    async paid(fields) {
      const session = await shop.open(fields);
      const attempt = await shop.ready(session);
      provider.pay(attempt);
      await shop.hear(attempt);
      return { session, attempt };
    },
    async checkLedger(id, amounts, late = false) {
      const { payments } = await till.stored(id);
      assert.deepEqual(payments.map(({ amount }) => amount).sort(), [...amounts].sort());
      assert.ok(
        payments.every((each) => each.rail === rail.name && each.late === late),
        JSON.stringify(payments),
      );
    },
  };
  return shop;
}
