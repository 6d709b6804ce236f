/** Faults in the rules: paying, ending, refunding, and what is shown of it. */
import type { Fault } from './fault.ts';

const elsewhere = (file: string, tests: readonly string[], beyond: string) => ({
  file: `src/checkout/${file}.ts`,
  tests: tests.map((name) => `test/checkout/${name}.test.ts`),
  checkers: { rules: { beyond } },
});
/** Faults that the exhaustive search finds as well. */
const rules = (file: string, tests: readonly string[]) => ({
  ...elsewhere(file, tests, ''),
  checkers: { rules: 'finds' } as const,
});
const attempts = (...tests: readonly string[]) => rules('attempts', tests);
const refunds = (...tests: readonly string[]) => rules('refunds', tests);
const statuses = (...tests: readonly string[]) => rules('statuses', tests);
const decide = (...tests: readonly string[]) => rules('decide', tests);

export const checkoutFaults: readonly Fault[] = [
  {
    name: 'payments add up to more than can be counted',
    ...elsewhere('attempts', ['decide-money'], 'amounts of a search are at most 3'),
    find: 'booked > Number.MAX_SAFE_INTEGER',
    replace: 'booked > 2 * Number.MAX_SAFE_INTEGER',
  },
  {
    name: 'a payment starts in the very moment in which the session ends',
    ...attempts('decide-attempts', 'lifecycle-time', 'decide-expiry'),
    find: 'now >= checkout.expiresAt',
    replace: 'now > checkout.expiresAt',
  },
  {
    name: 'one attempt more than the limit',
    ...elsewhere(
      'attempts',
      ['decide-attempts'],
      'sessions of a search have at most 2 attempts, and the limit is 50',
    ),
    find: 'checkout.attempts.length >= MAX_ATTEMPTS',
    replace: 'checkout.attempts.length > MAX_ATTEMPTS',
  },
  {
    name: 'a payment of which nothing is known does not keep others from starting',
    ...statuses('decide-attempts', 'statuses'),
    find: "attempt.status === 'processing' || attempt.status === 'unknown'",
    replace: "attempt.status === 'processing'",
  },
  {
    name: 'money is booked each time that it is reported',
    ...attempts('decide-money', 'decide-attempts'),
    checkers: { rules: 'finds', simulation: 'finds' },
    find: 'amount === 0) return checkout;\n  if (isBooked(checkout, command)) return withFee(checkout, command);',
    replace: 'amount === 0) return checkout;',
  },
  {
    name: 'a fee that is told again is a change each time',
    ...elsewhere('attempts', ['decide-booking'], 'reports of a search tell no fees'),
    find: 'known?.amount === amount && known.currency === currency',
    replace: 'known === fee',
  },
  {
    name: 'a fee that was told in another currency stays in the one before',
    ...elsewhere('attempts', ['decide-booking'], 'reports of a search tell no fees'),
    find: ' && known.currency === currency',
    replace: '',
  },
  {
    name: 'a payment has two fees after one was told anew',
    ...elsewhere('attempts', ['decide-booking'], 'reports of a search tell no fees'),
    find: '...checkout.fees.filter((each) => each !== known)',
    replace: '...checkout.fees',
  },
  {
    name: 'a fee is of whatever rail has a payment of that reference',
    ...elsewhere('statuses', ['decide-booking'], 'reports of a search tell no fees'),
    find: 'fees.find((each) => each.rail === rail && each.reference',
    replace: 'fees.find((each) => each.reference',
  },
  {
    name: 'what was taken back counts as received',
    file: 'src/checkout/totals.ts',
    tests: ['test/store/sqlite.test.ts'],
    checkers: { rules: { beyond: 'sums are part of no decision' } },
    find: 'all.amount - refunded.amount - reversed.amount',
    replace: 'all.amount - refunded.amount',
  },
  {
    name: 'an attempt may start for an amount that the payer was not shown',
    ...attempts('decide-attempts'),
    find: 'if (amount !== expectedAmount) {',
    replace: 'if (amount > expectedAmount) {',
  },
  {
    name: 'an attempt may start for items that the payer was not shown',
    ...attempts('decide-attempts'),
    find: 'if (command.expectedItems !== undefined && !sameItems(command.expectedItems, checkout.items)) {',
    replace: 'if (command.expectedItems === null) {',
  },
  {
    name: 'old news of a rail puts off the next question',
    ...attempts('decide-attempts', 'decide-late'),
    find: '  if (news < 0) return checkout;\n',
    replace: '',
  },
  {
    name: 'money of an attempt that was given up is not called late',
    ...attempts('decide-late'),
    checkers: { rules: 'finds', simulation: 'finds' },
    find: "late: givenUp || checkout.lifecycle.state === 'expired'",
    replace: "late: checkout.lifecycle.state === 'expired'",
  },
  {
    name: 'going back cancels transfers that stand open',
    ...attempts('decide-standing'),
    find: "attempt.status === 'requires_action' && isMeant(attempt)",
    replace: "attempt.status === 'requires_action'",
  },
  {
    name: 'a payment completes a session that has expired',
    ...attempts('decide-late', 'decide-expiry'),
    checkers: { rules: 'finds', simulation: 'finds' },
    find: "checkout.lifecycle.state !== 'active' || !isCovered(checkout)",
    replace: '!isCovered(checkout)',
  },
  {
    name: 'a refund may not be of all that is left',
    ...refunds('decide-refunds'),
    checkers: { rules: 'finds', simulation: 'finds' },
    find: 'amount <= refundableOf(checkout, each.id)',
    replace: 'amount < refundableOf(checkout, each.id)',
  },
  {
    name: 'a refund of all that is left is one of the newest attempt alone',
    ...refunds('decide-refunds'),
    find: 'if (parts.length > 0) return parts;',
    replace: 'if (parts.length > 0) return parts.slice(0, 1);',
  },
  {
    name: 'a refund is taken from the oldest payment',
    ...refunds('decide-refunds'),
    find: 'candidates.findLast(',
    replace: 'candidates.find(',
  },
  {
    name: 'a refund that has ended is settled once more',
    ...refunds('decide-settled-refunds'),
    find: "if (refund.status !== 'pending') {",
    replace: 'if (refund.amount === 0) {',
  },
  {
    name: 'the excess is reckoned without what has gone back before',
    ...refunds('decide-policy'),
    find: 'amountHeld(checkout) - checkout.amount',
    replace: 'payment.amount - checkout.amount',
  },
  {
    name: 'the excess holds what the bank took back',
    ...elsewhere('statuses', ['statuses'], 'the excess that a receipt shows is no part of a decision'),
    find: 'amountRefunded(checkout) + amountTakenBack(checkout)',
    replace: 'amountRefunded(checkout)',
  },
  {
    name: 'a dispute that was won is money taken back',
    ...rules('statuses', ['statuses']),
    find: "if (status !== 'won') sum += amount;",
    replace: 'sum += amount;',
  },
  {
    name: 'a decided dispute is opened again by old news',
    ...refunds('decide-reversals'),
    find: 'isSame || !canBecome(known, status)',
    replace: 'isSame',
  },
  {
    name: 'a refund at the provider that fails is money that is gone for good',
    ...refunds('decide-reversals'),
    checkers: { rules: 'finds', simulation: 'finds' },
    find: "status === 'open' || (kind === 'return' && status === 'lost' && reported === 'won')",
    replace: "status === 'open'",
  },
  {
    name: 'a dispute that was lost is won by later news',
    ...refunds('decide-reversals'),
    find: "kind === 'return' && status === 'lost'",
    replace: "status === 'lost'",
  },
  {
    name: 'refunds that are pending do not count as gone',
    ...statuses('decide-refunds', 'statuses'),
    find: "refund.attempt === attempt && refund.status !== 'failed'",
    replace: "refund.attempt === attempt && refund.status === 'succeeded'",
  },
  {
    name: 'the tolerance of underpayment is rounded up',
    ...statuses('decide-policy', 'statuses'),
    find: 'Math.floor((rest * underpaymentToleranceBasisPoints) / 10_000)',
    replace: 'Math.ceil((rest * underpaymentToleranceBasisPoints) / 10_000)',
  },
  {
    name: 'the latest question to a rail comes first',
    ...statuses('statuses', 'decide-attempts'),
    find: 'due === null || syncAt < due',
    replace: 'due === null || syncAt > due',
  },
  {
    name: 'the grace is that of the last attempt, not the longest',
    ...statuses('decide-expiry', 'lifecycle-time', 'statuses'),
    find: 'Math.max(graceMs, attempt.traits.graceMs ?? EXPIRY_GRACE_MS)',
    replace: 'attempt.traits.graceMs ?? EXPIRY_GRACE_MS',
  },
  {
    name: 'a session that its merchant expired shows as expired by time',
    ...statuses('decide-expiry', 'representation', 'statuses'),
    find: "lifecycle.state === 'expired' && lifecycle.by === 'time' ?",
    replace: "lifecycle.state === 'expired' ?",
  },
  {
    name: 'a version from the future passes If-Match',
    ...decide('decide', 'decide-update'),
    find: 'ifVersion !== null && ifVersion !== checkout.version',
    replace: 'ifVersion !== null && ifVersion < checkout.version',
  },
  {
    name: 'what time has ended goes on until somebody writes it down',
    ...decide('decide-expiry', 'lifecycle-time'),
    find: 'const current = elapse(checkout, command.now);',
    replace: 'const current = checkout;',
  },
  {
    name: 'an expiry of just the least time is refused',
    ...decide('decide-create'),
    find: 'expiresAt < now + EXPIRY_MIN_MS',
    replace: 'expiresAt <= now + EXPIRY_MIN_MS',
  },
  {
    name: 'items change although a part is paid',
    ...decide('decide-update'),
    find: 'if (amountPaid(checkout) > 0) {',
    replace: 'if (amountPaid(checkout) >= checkout.amount) {',
  },
  {
    name: 'the version moves where nothing has changed that anybody could see',
    ...decide('decide', 'decide-attempts'),
    find: 'events.length === 0 ? before.version : before.version + 1',
    replace: 'before.version + 1',
  },
  {
    name: 'checkout.paid is told with every change of a paid session',
    ...rules('events', ['events']),
    find: 'isCovered(after) && !isCovered(before)',
    replace: 'isCovered(after)',
  },
  {
    name: 'null in a merge patch is kept as a value',
    ...elsewhere('metadata', ['metadata'], 'metadata are only carried along in a search'),
    find: 'merged.delete(key)',
    replace: 'merged.set(key, value)',
  },
  {
    name: 'an e-mail address in other letters makes a second customer',
    ...elsewhere('customer', ['customer'], 'a search has no payers'),
    find: 'email.trim().toLowerCase()',
    replace: 'email.trim()',
  },
  {
    name: 'an amount below one unit loses its zero',
    ...elsewhere('money', ['money'], 'amounts as text are no part of a decision'),
    find: 'padStart(exponent + 1',
    replace: 'padStart(exponent',
  },
  {
    name: 'the largest total is refused',
    ...elsewhere('items', ['items'], 'amounts of a search are at most 3'),
    find: 'total > MAX_AMOUNT',
    replace: 'total >= MAX_AMOUNT',
  },
  {
    name: 'an attempt counts as refunded from the first cent on',
    ...elsewhere(
      'representation',
      ['representation-refunds'],
      'what is shown of a session is no part of a decision',
    ),
    find: 'received > 0 && given >= received',
    replace: 'received > 0 && given > 0',
  },
  {
    name: 'any token of the right length opens a page',
    ...elsewhere('token', ['token'], 'tokens are no part of a decision'),
    find: 'one.length === other.length && timingSafeEqual(one, other)',
    replace: 'one.length === other.length',
  },
  {
    name: 'money of another rail is dropped because its id is known from this one',
    ...attempts('exhaustive/exhaustive'),
    find: 'each.rail === rail && each.reference === payment?.reference',
    replace: 'each.reference === payment?.reference',
  },
  {
    name: 'a report finds its attempt without regard for the rail',
    ...attempts('exhaustive/exhaustive'),
    find: 'rail === command.rail && reference === command.reference',
    replace: 'reference === command.reference',
  },
  {
    name: 'money that comes in the grace is called late',
    ...attempts('exhaustive/exhaustive'),
    find: "givenUp || checkout.lifecycle.state === 'expired'",
    replace: 'givenUp || (checkout.expiresAt !== null && now >= checkout.expiresAt)',
  },
  {
    name: 'a rail is not told that an attempt was cancelled',
    ...attempts('exhaustive/exhaustive'),
    checkers: { rules: 'finds', simulation: 'finds' },
    find: 'syncAt: attempt.traits.toldOfCancel ? now : null',
    replace: 'syncAt: null',
  },
  {
    name: 'transfers stand open beside a session that is completed',
    ...attempts('exhaustive/exhaustive'),
    find: "lifecycle: { state: 'completed', at: now } }), now)",
    replace: "lifecycle: { state: 'completed', at: now } }), now, isReplaceable)",
  },
  {
    name: 'an attempt that is first heard of after the end waits for its payer',
    ...attempts('exhaustive/exhaustive'),
    find: "checkout.lifecycle.state === 'active' ? added : cancelWaiting(added, now)",
    replace: 'added',
  },
  {
    name: 'a session is expired while money is moving',
    ...decide('exhaustive/exhaustive'),
    find: "some(isInFlight)) {\n    return refuse('payment_in_progress', 'The session cannot be expired",
    replace:
      "some((each) => each.status === 'processing')) {\n    return refuse('payment_in_progress', 'The session cannot be expired",
  },
  {
    name: 'items change while money is moving',
    ...decide('exhaustive/exhaustive'),
    find: "some(isInFlight)) {\n    return refuse('payment_in_progress', `The ${what} cannot change",
    replace:
      "some((each) => each.status === 'unknown')) {\n    return refuse('payment_in_progress', `The ${what} cannot change",
  },
  {
    name: 'a payer goes on with a method that is gone',
    ...decide('exhaustive/exhaustive'),
    find: '({ method }) => !methods.includes(method)',
    replace: '() => false',
  },
  {
    name: 'new methods are told to nobody',
    ...rules('events', ['exhaustive/exhaustive']),
    find: '    before.methods !== after.methods ||\n',
    replace: '',
  },
  {
    name: 'a session whose last payment fails after its time waits for a tick',
    ...decide('exhaustive/exhaustive'),
    find: 'conclude(checkout, elapse(next, command.now))',
    replace: 'conclude(checkout, next)',
  },
  {
    name: 'a change of a refund keeps the version',
    ...decide('exhaustive/exhaustive'),
    find: 'events.length === 0 ? before.version : before.version + 1',
    replace:
      "events.length === 0 || events.every(({ type }) => type === 'refund.failed')\n      ? before.version\n      : before.version + 1",
  },
  {
    name: 'a dispute that is lost opens the session again',
    ...refunds('exhaustive/exhaustive'),
    find: '[...checkout.reversals, { ...facts, createdAt: now }] }',
    replace:
      "[...checkout.reversals, { ...facts, createdAt: now }], lifecycle: status === 'lost' ? { state: 'active' } : checkout.lifecycle }",
  },
  {
    name: 'a refund that has failed counts as gone',
    ...statuses('exhaustive/exhaustive'),
    find: "refund.attempt === attempt && refund.status !== 'failed'",
    replace: 'refund.attempt === attempt',
  },
  {
    name: 'a refund is in the payment file that was told last',
    ...elsewhere('refunds', ['decide-refund-reports'], 'a search puts a refund into one file'),
    find: 'const file = paymentFile ?? reported.paymentFile;',
    replace: 'const file = reported.paymentFile ?? paymentFile;',
  },
  {
    name: 'a bank entry that brings nothing new has moved a refund',
    ...refunds('decide-refund-reports'),
    find: 'isNews && bankEntry !== undefined',
    replace: 'bankEntry !== undefined',
  },
  {
    name: 'a refund goes into a payment file unseen',
    ...rules('events', ['decide-refund-reports']),
    find: ' || paymentFile !== before.refunds[index]?.paymentFile',
    replace: '',
  },
  {
    name: 'late money counts twice',
    ...statuses('exhaustive/exhaustive'),
    find: 'sum += payment.amount;',
    replace: 'sum += payment.late ? 2 * payment.amount : payment.amount;',
  },
  {
    name: 'a failure that is reported late takes back a success',
    ...rules('session', ['exhaustive/exhaustive']),
    find: "  'failed',\n  'succeeded',\n] as const;\nexport type AttemptStatus",
    replace: "  'succeeded',\n  'failed',\n] as const;\nexport type AttemptStatus",
  },
  {
    name: 'a tolerance of everything lets a session be paid by nothing',
    ...statuses('exhaustive/exhaustive'),
    find: 'Math.min(share, underpaymentToleranceAtMost, amount - 1)',
    replace: 'Math.min(share, underpaymentToleranceAtMost)',
  },
  {
    name: 'an attempt that only waits for its payer has a grace',
    ...statuses('exhaustive/exhaustive'),
    find: 'if (isInFlight(attempt)) graceMs',
    replace: 'graceMs',
  },
  {
    name: 'a payment that covers what an earlier one left is not told',
    ...rules('events', ['exhaustive/exhaustive']),
    find: 'isCovered(after) && !isCovered(before)',
    replace: 'isCovered(after) && before.payments.length === 0',
  },
  {
    name: 'a session that was paid expires all the same',
    ...statuses('exhaustive/exhaustive'),
    checkers: { rules: 'finds', simulation: 'finds' },
    find: "if (checkout.lifecycle.state !== 'active' || checkout.expiresAt === null) return null;",
    replace: 'if (checkout.expiresAt === null) return null;',
  },
  {
    name: 'the newest refund does not count as gone',
    ...statuses('exhaustive/exhaustive'),
    checkers: { rules: 'finds', simulation: 'finds' },
    find: "  for (const refund of checkout.refunds) {\n    if (refund.attempt === attempt && refund.status !== 'failed')",
    replace:
      "  for (const refund of checkout.refunds.slice(0, -1)) {\n    if (refund.attempt === attempt && refund.status !== 'failed')",
  },
  {
    name: 'sessions have the shape of what they were made of',
    file: 'src/checkout/session.ts',
    tests: ['test/store/shapes.test.ts'],
    checkers: { rules: { beyond: 'what V8 makes of a session is no rule' } },
    find: 'return changed(fields, {});',
    replace: 'return { ...fields };',
  },
];
