/** Faults in what is made of bank entries: whose money it is, and where it goes back to. */
import type { Fault } from './fault.ts';

const banking = (file: string, ...tests: readonly string[]) => ({
  file: `src/banking/${file}.ts`,
  tests: tests.map((name) => `test/${name.startsWith('api/') ? name : `banking/${name}`}.test.ts`),
});

const ingest = (name: string) => ({
  file: `src/ingest/${name}.ts`,
  tests: [`test/ingest/${name}.test.ts`],
});

export const bankingFaults: readonly Fault[] = [
  {
    name: 'a payer names a refund, and ends it',
    ...banking('effects', 'own-ids', 'effects'),
    find: '  if (isReturn(entry)) return null;\n',
    replace: '',
  },
  {
    name: 'a payer who writes the id of a refund makes it fail',
    ...banking('effects', 'effects-outgoing', 'api/payment-files'),
    find: '  if (isIncoming(entry) && (facts.refund ?? facts.sentBack) !== null) return unprovenReturn(entry, facts);\n',
    replace: '',
  },
  {
    name: 'money that names a refund which has failed is lost when it is assigned',
    ...banking('effects', 'effects-outgoing', 'api/payment-files'),
    find: "    refund.status === 'failed' ||\n",
    replace: '',
  },
  {
    name: 'a transfer is taken back once more where another file tells of it',
    ...banking('effects', 'effects-outgoing', 'api/bank-told-twice'),
    find: `  if (booked.some((other) => mayBeTheSame(entry, other)))
    return leaveOpen({ ...entry, suggestions }, 'maybe_known');
  const [[`,
    replace: '  const [[',
  },
  {
    name: 'a part of what came ends a refund',
    ...banking('effects', 'effects-outgoing'),
    find: 'const isWhole = entry.amount === amount && entry.amount === refund?.amount;',
    replace: 'const isWhole = amount === refund?.amount;',
  },
  {
    name: 'the number of another bill books money by name and amount',
    ...banking('match', 'match'),
    find: 'const most = isOrderNamed || ',
    replace: 'const most = isOrderNamed || entry.amount > 0 || ',
  },
  {
    name: 'money that came in time at a bank in the east is held as late',
    ...banking('objection', 'effects-money'),
    find: ' - EARLIEST_DAY_MS)',
    replace: ')',
  },
  {
    name: 'an account that gets an IBAN books its entries once more',
    ...ingest('statement'),
    file: 'src/ingest/account-finder.ts',
    find: 'const known = { ...header, account: one.id };',
    replace: 'const known = { ...header, account: one.iban ?? one.id };',
  },
  {
    name: 'a transfer is taken back twice',
    ...banking('effects', 'effects-outgoing'),
    find: 'amount <= sum(checkout.payments.filter(ofAttempt)) - sum(lost)',
    replace: 'amount <= sum(checkout.payments.filter(ofAttempt))',
  },
  {
    name: 'the return of a transfer takes back a payment by card',
    ...banking('effects', 'effects-outgoing'),
    find: '(each) => each.rail === BANK && canReturn(entry, checkout, each)',
    replace: '(each) => canReturn(entry, checkout, each)',
  },
  {
    name: 'payments of two days are taken for one',
    ...banking('effects', 'effects'),
    find: '    entry.bookedOn === other.bookedOn &&\n',
    replace: '',
  },
  {
    name: 'money in the time of grace is held as late',
    ...banking('objection', 'effects-money'),
    find: 'cameAt > lifecycle.at + (policy.graceMinutes[BANK] ?? 0) * 60_000',
    replace: 'cameAt > lifecycle.at',
  },
  {
    name: 'money in another currency is booked',
    ...banking('objection', 'effects-money'),
    find: "if (checkout.currency !== entry.currency) return 'other_currency';",
    replace: '',
  },
  {
    name: 'a refund of another amount counts as carried out',
    ...banking('effects', 'effects-outgoing'),
    find: 'entry.amount !== refund.amount || entry.currency !== checkout.currency',
    replace: 'entry.currency !== checkout.currency',
  },
  {
    name: 'a winner needs more than the lead',
    ...banking('match', 'match'),
    find: 'best.score - second.score >= CLEAR_LEAD',
    replace: 'best.score - second.score > CLEAR_LEAD',
  },
  {
    name: 'the worst candidate comes first',
    ...banking('match', 'match'),
    find: 'b.score - a.score ||',
    replace: 'a.score - b.score ||',
  },
  {
    name: 'a refund goes to the oldest payer',
    ...banking('outgoing', 'outgoing', 'api/payment-files'),
    find: 'payments.toReversed()',
    replace: 'payments',
  },
  {
    name: 'a refund goes out although the bank has taken the payment back',
    ...banking('outgoing', 'outgoing', 'api/payment-files'),
    find: 'else if (held < 0)',
    replace: 'else if (held < -amount)',
  },
  {
    name: 'a file has refunds of another currency',
    ...banking('outgoing', 'outgoing', 'api/payment-files'),
    find: 'open.filter(({ account }) => account.currency === currency)',
    replace: 'open',
  },
  {
    name: 'refunds that come push older ones out of a payment file that is full',
    ...banking('outgoing', 'outgoing'),
    find: `attempt === refund.attempt && rail === BANK),
    });
  }
  return due.reverse();`,
    replace: `attempt === refund.attempt && rail === BANK),
    });
  }
  return due;`,
  },
  {
    name: 'money to send back pushes older money out of a payment file that is full',
    ...banking('outgoing', 'outgoing'),
    find: `    due.push({ id, reference, account, counterparty, remittance, sentBack });
  }
  return due.reverse();`,
    replace: `    due.push({ id, reference, account, counterparty, remittance, sentBack });
  }
  return due;`,
  },
  {
    name: 'the control sum of a file is in minor units',
    ...banking('payment-file', 'payment-file'),
    find: '<CtrlSum>${decimalAmount(total, currency)}</CtrlSum>',
    replace: '<CtrlSum>${total}</CtrlSum>',
  },
  {
    name: 'parts of two bookings with one reference are one booking',
    ...ingest('bookings'),
    find: 'one.batchReference === other.batchReference && one.line === other.line',
    replace: 'one.batchReference === other.batchReference',
  },
  {
    name: 'money that could not be sent back is gone',
    ...banking('entry', 'entry'),
    find: "sentBack === null || sentBack.state === 'failed' ? 0",
    replace: 'sentBack === null ? 0',
  },
  {
    name: 'two files of an account are ingested at once',
    ...ingest('statement'),
    find: 'return await turn;',
    replace: 'return turn;',
  },
  {
    name: 'a refund goes to the newest payer, who has paid less than that',
    ...banking('outgoing', 'outgoing'),
    find: 'payers.size > 1 && newest.amount < amount',
    replace: 'payers.size > 2 && newest.amount < amount',
  },
  {
    name: 'a statement of which nobody reads on keeps its thread',
    ...ingest('read'),
    find: 'if (next) next();\n    else running--;',
    replace: 'if (next) next();',
  },
  {
    name: 'a fault in a large statement loses the parts before it',
    ...ingest('read'),
    find: '      for (const part of answer.parts) yield withOwnHeader(part);\n      if (answer.fault) throw new StatementError(answer.fault.detail, answer.fault);',
    replace:
      '      if (answer.fault) throw new StatementError(answer.fault.detail, answer.fault);\n      for (const part of answer.parts) yield withOwnHeader(part);',
  },
];
