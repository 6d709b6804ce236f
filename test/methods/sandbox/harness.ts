/** The rail of test mode as the contract of rails sees it: its provider is whoever calls the helpers of test mode. */
import { SLOW_PAYMENT_MS, sandbox } from '../../../src/methods/sandbox/sandbox.ts';
import { type Provider, unreliable } from '../contract-provider.ts';
import type { Data, Till } from '../contract-till.ts';

export async function startSandbox(): Promise<Provider> {
  const { rail, troubles, beStrange, refundsAt } = unreliable(sandbox);
  /** Payments by the attempt's reference; each is one payment however often it is reported. */
  const paid = new Map<string, number>();
  const referenceOf = (attempt: Data): string => attempt.payment_method_details.reference;

  const tell = (till: Till, attempt: Data, fields: object) => () =>
    till.ask('POST', `/test_helpers/checkout/${attempt.payin}/pay`, {
      payment_id: referenceOf(attempt),
      ...fields,
    });
  const slow = (till: Till, session: Data) => till.choose(session, 'card', { outcome: 'takes_a_while' });

  return {
    rail,
    receivingAccounts: [],
    offers: [
      { why: 'test mode', method: 'card', occasion: {}, carried: true },
      {
        why: 'any method',
        method: 'pix_brl',
        occasion: { currency: 'BRL', country: 'BR', amount: 1 },
        carried: true,
      },
      { why: 'an amount that is not known', method: 'card', occasion: { amount: null }, carried: true },
      { why: 'any account', method: 'card', occasion: {}, isConfigured: false, carried: true },
      { why: 'live mode', method: 'card', occasion: { mode: 'live' }, carried: false },
    ],
    methodFor: () => 'card',
    amounts: {
      JPY: [1, 1050, 999_999_999_999_999],
      EUR: [1, 1050, 999_999_999_999_999],
      KWD: [1, 1234, 999_999_999_999_999],
      CLF: [1, 12_345, 999_999_999_999_999],
    },
    form: { outcome: 'further_step' },
    meansOf: async (till, id) => (await till.stored(id)).attempts.map(({ reference }) => reference),
    pay: (attempt, amount = attempt.amount) => void paid.set(referenceOf(attempt), amount),
    news(till, attempt) {
      const amount = paid.get(referenceOf(attempt));
      if (amount === undefined) throw new Error('nothing was paid');
      const done = tell(till, attempt, { outcome: 'succeeded', amount });
      return [tell(till, attempt, { outcome: 'processing' }), done, done];
    },
    asked: () => 1,
    isOpen: () => null,
    troubles,
    paidUnheard: { begin: slow, askedAfterSeconds: SLOW_PAYMENT_MS / 1000 + 1 },
    async unknownState(till, session) {
      const attempt = await slow(till, session);
      const before = till.alerts.length;
      beStrange();
      await till.pass(11);
      return { attempt, seen: till.alerts.length - before };
    },
    payEarly: null,
    refundFields: (ending) => ({ metadata: { sandbox_outcome: ending } }),
    carryOut: (till) => till.pass(),
    refundsAt,
    takeBack: null,
  };
}
