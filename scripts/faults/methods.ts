/** Faults in the rails: what is asked of Stripe, what is believed, and how a bank is told. */
import type { Fault } from './fault.ts';

const rail = (file: string, ...tests: readonly string[]) => ({
  file: `src/methods/${file}.ts`,
  tests: tests.map((name) => `test/methods/${name}.test.ts`),
});

export const methodFaults: readonly Fault[] = [
  {
    name: 'a currency of whole units is counted in hundredths',
    ...rail('stripe/amounts', 'stripe/amounts'),
    find: "HUNDREDTHS_OF_WHOLE_UNITS = 'ISK UGX'",
    replace: "HUNDREDTHS_OF_WHOLE_UNITS = 'ISK'",
  },
  {
    name: 'the last digit of a three-decimal currency is not looked at',
    ...rail('stripe/amounts', 'stripe/amounts'),
    find: '[THREE_DECIMAL, { exponent: 3, step: 10 }]',
    replace: '[THREE_DECIMAL, { exponent: 3, step: 1 }]',
  },
  {
    name: 'a page in another currency is shown to the payer',
    ...rail('stripe/stripe', 'stripe/start'),
    find: ' &&\n    page.currency === checkout.currency.toLowerCase();',
    replace: ';',
  },
  {
    name: 'a page whose making is not known yet counts as failed',
    ...rail('stripe/stripe', 'stripe/trouble', 'stripe/start'),
    find: "    case 'unavailable':\n      return notKnown(asked);",
    replace: "    case 'unavailable':\n      return failed('Stripe did not answer.');",
  },
  {
    name: 'a page is given up before its answer can have come',
    ...rail('stripe/stripe', 'stripe/cancel', 'stripe/sync'),
    find: 'age < START_SETTLES_MS ?',
    replace: 'age > START_SETTLES_MS ?',
  },
  {
    name: 'what was cancelled opens again when Stripe is silent',
    ...rail('stripe/stripe', 'stripe/cancel'),
    find: "return knowledgeOf(answer.status) < knowledgeOf('cancelled') ? { ...answer, status: 'cancelled' } : answer;",
    replace: 'return answer;',
  },
  {
    name: 'a payment is not booked while Stripe does not tell its fee',
    ...rail('stripe/stripe', 'stripe/sync'),
    find: "if (attempt.status === 'succeeded') throw error;\n    return noFee;",
    replace: 'throw error;',
  },
  {
    name: 'a fee that Stripe has not told for a moment is never asked for again',
    ...rail('stripe/stripe', 'stripe/sync'),
    find: "if (attempt.status === 'succeeded') throw error;",
    replace: '',
  },
  {
    name: 'a key that may not read the balance hears of no dispute',
    ...rail('stripe/stripe', 'stripe/sync'),
    find: "if (error.kind !== 'unavailable') return { ...noFee, untold: error.message };",
    replace: "if (error.kind !== 'unavailable') throw error;",
  },
  {
    name: 'Stripe is asked for a fee that is known',
    ...rail('stripe/stripe', 'stripe/sync'),
    find: "typeof line !== 'string' || isKnown",
    replace: "typeof line !== 'string'",
  },
  {
    name: 'a fee counts in the units of the currency of the payment',
    ...rail('stripe/standing', 'stripe/sync'),
    find: 'const amount = fromStripeAmount(fee, currency);\n  return amount === null || amount < 0',
    replace: 'const amount = fee;\n  return amount === null || amount < 0',
  },
  {
    name: 'a key of the other mode is taken',
    ...rail('stripe/stripe', 'stripe/start', 'stripe/event', 'stripe/trouble'),
    find: '^[rs]k_${mode}_',
    replace: '^[rs]k_',
  },
  {
    name: 'a page of the other mode is believed',
    ...rail('stripe/standing', 'stripe/sync', 'stripe/start'),
    find: "page.livemode !== (checkout.tenant.mode === 'live')",
    replace: "page.livemode && checkout.tenant.mode === 'live'",
  },
  {
    name: 'the page of another attempt is believed',
    ...rail('stripe/standing', 'stripe/sync', 'stripe/start'),
    find: 'page.client_reference_id !== attempt.id',
    replace: 'page.client_reference_id === null',
  },
  {
    name: 'money in another currency is booked at its face value',
    ...rail('stripe/standing', 'stripe/sync'),
    find: 'if (currency !== checkout.currency.toLowerCase()) {',
    replace: "if (currency === '') {",
  },
  {
    name: 'a page that the payer has finished counts as paid',
    ...rail('stripe/standing', 'stripe/sync'),
    find: "if (page.payment_status === 'paid') return",
    replace: "if (page.status === 'complete') return",
  },
  {
    name: 'a dispute that was prevented takes the money',
    ...rail('stripe/standing', 'stripe/sync', 'stripe/refund'),
    find: "prevented: 'won'",
    replace: "prevented: 'lost'",
  },
  {
    name: 'a refund of ours counts once more as one made at Stripe',
    ...rail('stripe/standing', 'stripe/sync', 'stripe/refund'),
    find: 'ownRefund(asked, refund) !== null || refund.metadata?.refund',
    replace: 'ownRefund(asked, refund) !== null',
  },
  {
    name: 'a refund whose answer was lost is made again',
    ...rail('stripe/refund', 'stripe/refund'),
    find: 'if (age >= SECOND_TRY_MS) {',
    replace: 'if (days > 1) {',
  },
  {
    name: 'two refunds of a payment share an idempotency key',
    ...rail('stripe/refund', 'stripe/refund'),
    find: 'idempotencyKey: days > 0 ? `${refund.id}-${days}` : refund.id',
    replace: 'idempotencyKey: refund.attempt',
  },
  {
    name: 'an event of the test endpoint speaks for live mode',
    ...rail('stripe/event', 'stripe/event'),
    find: "event.livemode !== (mode === 'live')",
    replace: "!event.livemode && mode === 'live'",
  },
  {
    name: 'an old event is taken again',
    ...rail('stripe/signature', 'stripe/event'),
    find: 'TOLERANCE_S = 300',
    replace: 'TOLERANCE_S = 300_000',
  },
  {
    name: 'all attempts of a session share a page',
    ...rail('stripe/page', 'stripe/start', 'contract-sqlite-restarted'),
    find: 'idempotencyKey: attempt.id',
    replace: 'idempotencyKey: checkout.id',
  },
  {
    name: 'the list of pages is read from its beginning again and again',
    ...rail('stripe/page', 'stripe/sync', 'stripe/start', 'stripe/trouble'),
    find: 'after = data.at(-1)?.id;',
    replace: 'after = data[0]?.id;',
  },
  {
    name: 'a page may end sooner than Stripe allows',
    ...rail('stripe/page', 'stripe/start'),
    find: 'Math.max(wanted, plannedAt + SHORTEST_S)',
    replace: 'wanted',
  },
  {
    name: 'calls that have ended go on counting as under way',
    ...rail('stripe/client', 'stripe/trouble'),
    find: '.finally(() => ended(account))',
    replace: '.finally(() => ended(0))',
  },
  {
    name: 'one account takes the calls that are left for all',
    ...rail('stripe/client', 'stripe/client'),
    find: 'inAll < concurrencyInAll / 2',
    replace: 'inAll < concurrencyInAll',
  },
  {
    name: 'calls of all accounts are not bounded',
    ...rail('stripe/client', 'stripe/client'),
    find: ' || inAll >= concurrencyInAll',
    replace: '',
  },
  {
    name: 'Stripe asks for patience, and the payment fails',
    ...rail('stripe/client', 'stripe/trouble'),
    find: "code === 'rate_limit' ? 'unavailable' : 'refused'",
    replace: "code === 'rate_limited' ? 'unavailable' : 'refused'",
  },
  {
    name: 'check digits that nobody calculates are taken',
    ...rail('bank/references', 'bank/references'),
    find: 'RF(?!00|01|99)\\d{2}[0-9A-Z]',
    replace: 'RF\\d{2}[0-9A-Z]',
  },
  {
    name: 'a QR reference is found within a longer number',
    ...rail('bank/references', 'bank/references'),
    find: 'isBoundary(characters, endsAt, start) && isBoundary(characters, endsAt, start + QRR_LENGTH)',
    replace: 'isBoundary(characters, endsAt, start)',
  },
  {
    name: 'a transfer from abroad goes to the QR-IBAN',
    ...rail('bank/instructions', 'bank/instructions', 'bank/references'),
    find: 'account.qrIban !== null && methodId === localBankTransfer(account)',
    replace: 'account.qrIban !== null',
  },
  {
    name: 'an EPC code without the BIC that the country needs',
    ...rail('bank/codes/epc', 'bank/codes'),
    find: 'SEPA_BESIDE_EEA.includes(country) && bic !== null',
    replace: 'SEPA_BESIDE_EEA.includes(country)',
  },
];
