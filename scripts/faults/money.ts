/** Faults in the screens about money, and in the formats of bookkeepers. */
import type { Fault } from './fault.ts';

const accounting = (name: string) => ({
  file: `src/accounting/${name}.ts`,
  tests: [`test/accounting/${name}.test.ts`],
});
const screen = (name: string, ...tests: readonly string[]) => ({
  file: `src/dashboard/screens/${name}.ts`,
  tests: tests.map((test) => `test/dashboard/${test}.test.ts`),
});

export const moneyFaults: readonly Fault[] = [
  {
    name: 'a journal takes a note of a reference for one of its own',
    ...accounting('hledger'),
    find: '/[;|,:()]/g',
    replace: '/[|,:()]/g',
  },
  {
    name: 'a fee is taken from no account of a journal',
    ...accounting('hledger'),
    find: 'account, amount: negated(kept), currency: fee.currency',
    replace: 'account, amount: kept, currency: fee.currency',
  },
  {
    name: 'a refund that waits stands in a journal as one that is done',
    ...accounting('hledger'),
    find: "isPending(movement) ? '!' : '*'",
    replace: "isPending(movement) ? '*' : '*'",
  },
  {
    name: 'a booking is on the month of its day',
    ...accounting('datev'),
    find: '`${day}${month}`',
    replace: '`${month}${day}`',
  },
  {
    name: 'a text ends its quotes in a booking',
    ...accounting('datev'),
    find: `.replaceAll('"', "'")`,
    replace: '',
  },
  {
    name: 'what goes back is booked as what comes',
    ...accounting('datev'),
    find: "type === 'payment' ? 'S' : 'H'",
    replace: "type === 'reversal' ? 'H' : 'S'",
  },
  {
    name: 'a spreadsheet runs the number of a document',
    ...accounting('datev'),
    find: ".replace(/^[^A-Za-z0-9]+/, '')",
    replace: '',
  },
  {
    name: 'cents of an amount that is larger than a line are lost',
    ...accounting('datev'),
    find: 'rest > 0; rest -= MAX_CENTS',
    replace: 'rest === booking.amount && rest > 0; rest -= MAX_CENTS',
  },
  {
    name: 'the strict mode of a journal has no account of a later page',
    ...accounting('hledger'),
    find: '!declared.has(directive)',
    replace: 'declared.size === 0',
  },
  {
    name: 'a bank account has paid a refund that waits',
    ...accounting('formats'),
    find: "= ['ofx', 'datev']",
    replace: "= ['datev']",
  },
  {
    name: 'an account of customers is as long as the others',
    ...accounting('formats'),
    find: "name === 'customer_account' ? length + 1 : length",
    replace: "name === 'customer' ? length + 1 : length",
  },
  {
    name: 'a usual account is as long as it is written here',
    ...accounting('formats'),
    find: "usual.padEnd(digits, '0')",
    replace: 'usual',
  },
  {
    name: 'lines of an amount that is larger than one are not counted',
    ...accounting('datev'),
    find: 'lines + count + Math.floor(amount / MAX_CENTS)',
    replace: 'lines + count',
  },
  {
    name: 'a batch is longer than its format allows',
    ...accounting('datev'),
    find: 'written > MAX_BOOKINGS',
    replace: 'bookings.length > MAX_BOOKINGS',
  },
  {
    name: 'a batch goes through two fiscal years',
    ...accounting('formats'),
    find: 'last < sameDayNextYear(begin)',
    replace: "last < '9999'",
  },
  {
    name: 'a reference is an element of a statement',
    ...accounting('ofx'),
    find: ".replaceAll('<', '&lt;')",
    replace: '',
  },
  {
    name: 'a fee has the id of its payment, and is taken for known',
    ...accounting('ofx'),
    find: 'id: `${id}-fee`',
    replace: 'id',
  },
  {
    name: 'the balance of a statement has no fees',
    ...accounting('ofx'),
    find: 'sum + BigInt(amount)',
    replace: 'sum + BigInt(amount > -60 ? 0 : amount)',
  },
  {
    name: 'a refund is settled without a proof of who asks for it',
    ...screen('refund', 'movements'),
    find: "needs: { operation: 'REFUND.SETTLE', confirmed: true }",
    replace: "needs: { operation: 'REFUND.SETTLE' }",
  },
  {
    name: 'the form of a refund begins with an end',
    ...screen('refund', 'movements'),
    find: "      ['', 'Choose one'],\n",
    replace: '',
  },
  {
    name: 'nobody is told why a refund was not settled that has ended meanwhile',
    ...screen('refund', 'movements'),
    find: "${otherMistakes(mistakes, isOpen ? ['status', 'reason'] : [])}",
    replace: '${isOpen && otherMistakes(mistakes)}',
  },
  {
    name: 'a payment file is made without a proof of who asks for it',
    ...screen('payment-files', 'payment-files'),
    find: "needs: { operation: 'PAYMENT_FILE.CREATE', confirmed: true }",
    replace: "needs: { operation: 'PAYMENT_FILE.CREATE' }",
  },
  {
    name: 'the form of a payment file that is sent twice leads to a mistake',
    ...screen('payment-files', 'payment-files'),
    find: "'/v3/payment_file', body, onceIn(form))",
    replace: "'/v3/payment_file', body)",
  },
  {
    name: 'a batch of DATEV is exported though nobody knows how long it is',
    ...screen('reports', 'reports'),
    find: 'if (!totals.ok)\n        return totals.status === 400',
    replace: 'if (!totals.ok && totals.status < 500)\n        return totals.status === 400',
  },
  {
    name: 'each interval of a report is held against the limit of a file',
    ...screen('reports', 'reports'),
    find: "{ ...query, interval: '' }",
    replace: '{ ...query }',
  },
  {
    name: 'a report goes by the real clock',
    ...screen('reports', 'reports'),
    find: 'tenantNow(place.account, place.mode, realNow())',
    replace: "tenantNow(place.account, 'live', realNow())",
  },
  {
    name: 'an export that is refused forgets the interval',
    ...screen('reports', 'reports'),
    find: "'currency', 'interval', 'time_zone'].map((name) => hidden",
    replace: "'currency', 'time_zone'].map((name) => hidden",
  },
  {
    name: 'a time in a report goes to the day behind it',
    file: 'src/dashboard/money/report.ts',
    tests: ['test/dashboard/reports.test.ts'],
    find: 'Date.parse(to) - 1',
    replace: 'Date.parse(to)',
  },
  {
    name: 'a file of any format needs sums',
    file: 'src/cli/commands/money/export.ts',
    tests: ['test/cli/money.test.ts'],
    find: "if (format === 'datev') {",
    replace: "if (format !== 'datev') {",
  },
  {
    name: 'a number of a report leads to rows of all currencies',
    file: 'src/dashboard/money/report.ts',
    tests: ['test/dashboard/reports.test.ts'],
    find: '{ ...query, currency, from:',
    replace: '{ ...query, from:',
  },
  {
    name: 'what is left counts refunds as money',
    file: 'src/dashboard/money/report.ts',
    tests: ['test/dashboard/reports.test.ts'],
    find: 'received.amount - refunded.amount - reversed.amount',
    replace: 'received.amount + refunded.amount - reversed.amount',
  },
  {
    name: 'a quarter of January begins in the same year',
    file: 'src/dashboard/money/periods.ts',
    tests: ['test/dashboard/reports.test.ts'],
    find: 'month - (month % months) - ago * months',
    replace: 'Math.max(0, month - (month % months) - ago * months)',
  },
  {
    name: 'an export of a report has all currencies',
    ...screen('reports', 'reports'),
    find: 'query: timesOf(time, currency) };',
    replace: "query: timesOf(time, '') };",
  },
  {
    name: 'the day of a payment file that was typed is lost where it is refused',
    ...screen('payment-files', 'payment-files'),
    find: 'value: form[dayField(account)],',
    replace: "value: '',",
  },
  {
    name: 'a preview of payment files counts a refund for each account of its currency',
    file: 'src/banking/outgoing.ts',
    tests: ['test/banking/outgoing.test.ts', 'test/api/payment-files.test.ts'],
    find: 'const from = await payerOf(store, tenant, checkout, refund, file.account, configured);\n      if (from === null) continue;',
    replace:
      'const from = await payerOf(store, tenant, checkout, refund, configured[0] ?? file.account, configured);\n      if (from === null) continue;',
  },
];
