import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bookingsIn, MAX_BOOKINGS, TooManyBookings } from '../../../accounting/datev.ts';
import { exportOf, formats } from '../../../accounting/formats.ts';
import { daysIn, endBehind, type Movement } from '../../../accounting/movement.ts';
import { makeFile } from '../../../lib/atomic-file.ts';
import { timeOfDays } from '../../../lib/intervals.ts';
import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { optional, required, withDefault } from '../../declare/parameter.ts';
import { choice, currency as currencyValue, date, file, nonEmpty } from '../../declare/values.ts';
import { Failure, UsageError } from '../../failure.ts';
import type { Total } from '../../money/movement.ts';
import { answered, timesOf } from '../../money/query.ts';
import { printable } from '../../printable.ts';

const account = nonEmpty('account', 'an account');
const digits = nonEmpty('number', 'a number');

export const command = apiCommand('read')({
  purpose: 'Write payments, refunds, reversals and fees into a file that bookkeepers import.',
  details: [
    'Days begin at midnight of --time-zone. The guide about bookkeeping says which accounts each format has, and what it has not. The file is written whole or not at all, and replaces none.',
  ],
  arguments: { file: required(file('file'), 'The file to write.') },
  options: {
    format: required(choice('format', ...formats), 'Format of the file.'),
    from: required(date, 'First day.'),
    to: required(date, 'Day behind the last one.'),
    timeZone: withDefault(nonEmpty('zone', 'the name of a time zone'), 'UTC', 'Time zone of the days.'),
    currency: optional(currencyValue, 'Only this currency. OFX and DATEV need one, DATEV needs EUR.'),
    moneyAccount: optional(
      account,
      'Account of the money. hledger: assets:opentill; DATEV: 1360, with zeros up to --account-length.',
    ),
    feesAccount: optional(
      account,
      'Account of fees. hledger: expenses:fees; DATEV: 4970, with zeros up to --account-length.',
    ),
    incomeAccount: optional(account, 'For hledger: account of what was sold. Default: income:sales.'),
    customerAccount: optional(
      digits,
      'For DATEV: account of the customers, one digit longer than the others. Default: 10000, with zeros.',
    ),
    consultant: optional(digits, 'For DATEV: number of the consultant.'),
    client: optional(digits, 'For DATEV: number of the client.'),
    yearBegin: optional(date, 'For DATEV: first day of the fiscal year. Default: January 1.'),
    accountLength: optional(digits, 'For DATEV: digits of impersonal accounts. Default: 4.'),
    statementAccount: optional(account, 'For OFX: name of the account. Default: opentill.'),
  },
  json: objectOf({
    file: 'The file.',
    format: 'Its format.',
    movements: 'Number of payments, refunds and reversals in it.',
  }),
  examples: [
    [
      'opentill money export january.journal --format hledger --from 2030-01-01 --to 2030-02-01',
      'A month as a journal of hledger',
    ],
    [
      'opentill money export EXTF_2030.csv --format datev --from 2030-01-01 --to 2031-01-01 --currency EUR --consultant 1001 --client 1',
      'A year as bookings of DATEV',
    ],
  ],
  async run({ file: path, format, from, to, timeZone, currency = '', ...given }, { client, output }) {
    const { dayOf, time } = await timeFor(from, to, timeZone);
    const { moneyAccount, feesAccount, incomeAccount, customerAccount } = given;
    const fields = {
      money_account: moneyAccount,
      fees_account: feesAccount,
      income_account: incomeAccount,
      customer_account: customerAccount,
      consultant: given.consultant,
      client: given.client,
      year_begin: given.yearBegin,
      account_length: given.accountLength,
      statement_account: given.statementAccount,
    };
    const period = {
      first: from,
      last: time.lastDay,
      currency: currency.toUpperCase(),
      dayOf,
      now: Date.now(),
    };
    const made = exportOf(format, fields, period);
    if ('problems' in made) {
      const optionOf = (pointer: string) => `--${pointer.slice(1).replaceAll('_', '-')}`;
      throw new UsageError(...made.problems.map(({ pointer, detail }) => `${optionOf(pointer)} ${detail}`));
    }
    const { leavesOut, write } = made.export;
    const queryTo = (to: number) => ({
      ...timesOf(time.from, to),
      ...(currency === '' ? {} : { currency }),
    });
    const all = client.pages<Movement>('/movement', queryTo(time.to));
    const { value: first = [] } = await answered(all.next());
    if (format === 'datev') {
      // Rows that have come behind the first page are in no other.
      const query = new URLSearchParams(queryTo(endBehind(first, time.to)));
      const totals = await answered(client.get<readonly Total[]>(`/total?${query}`));
      if (totals.some((total) => bookingsIn(total) > MAX_BOOKINGS)) throw tooMany();
    }
    let [movements, left] = [0, 0];
    async function* pages() {
      for await (const page of firstThen(first, all)) {
        const leftOut = page.filter(leavesOut).length;
        left += leftOut;
        movements += page.length - leftOut;
        yield page;
      }
    }
    try {
      await makeFile(path, (part) =>
        pipeline(Readable.from(write(pages()), { objectMode: false }), createWriteStream(part)),
      );
    } catch (error) {
      throw error instanceof TooManyBookings ? tooMany() : error;
    }
    if (left > 0)
      output.remark(
        `${left} ${left === 1 ? 'refund waits' : 'refunds wait'} for the rail, and the file has none of them`,
      );
    const record = { file: path, format, movements };
    output.record(record, `${printable(path)}  ${movements} ${movements === 1 ? 'movement' : 'movements'}`);
  },
});

/** A page that is known, and those behind it. */
async function* firstThen<T>(first: T, others: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* others;
}

const tooMany = () =>
  new Failure(`one file of DATEV has at most ${MAX_BOOKINGS} bookings; export a shorter time`);

async function timeFor(from: string, to: string, timeZone: string) {
  try {
    const time = await timeOfDays(from, to, timeZone);
    if (time.from >= time.to) throw new UsageError('--to must be later than --from');
    return { dayOf: daysIn(timeZone), time };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError('--from and --to must be days, and --time-zone a time zone such as Europe/Berlin');
  }
}
