/** Movements of money, and their totals. */
import { movementTypes } from '../../checkout/movements.ts';
import type { representMovement, representTotal } from '../../checkout/representation.ts';
import { Type } from '../../lib/json-schema.ts';
import {
  closed,
  count,
  createdAt,
  currencyCode,
  type FieldsOf,
  id,
  kind,
  minorUnits,
  nullable,
  oneOf,
  ref,
  text,
  time,
} from './answer-fields.ts';

export const movementResources = {
  Movement: Type.Object(
    {
      id: id('mov'),
      object: kind('movement'),
      created_at: createdAt,
      type: oneOf(
        movementTypes,
        '`payment`: money that came; `refund`: money that you return, from the request until it fails; `reversal`: money that a rail takes back, until you win.',
      ),
      amount: minorUnits('Amount; positive whichever way it went.'),
      currency: currencyCode(),
      payin: id('chk'),
      rail: text('The rail.', 'bank'),
      reference: text(
        'Id of the payment or reversal at the rail, or of the refund.',
        'ntc_01k9zq4tn30000x5r7m2c9w1he',
      ),
      reference_id: text('Your reference of the session.', 'order-1001'),
      refund_status: oneOf(
        ['', 'pending', 'succeeded'],
        'State of the refund, `pending` while it waits for its rail; empty for other movements.',
      ),
      late: Type.Boolean({
        description: 'The payment was booked after the session had expired or the attempt had been given up.',
        examples: [false],
      }),
      time_to_pay_ms: nullable(
        Type.Integer({
          minimum: 0,
          description:
            'Milliseconds from the creation of the session to this payment, which completed it; null for every other movement.',
          examples: [42_000],
        }),
      ),
      fee: nullable(ref('Fee')),
    } satisfies FieldsOf<typeof representMovement>,
    { ...closed, description: 'Money that came, goes back or was taken back.' },
  ),
  Fee: Type.Object(
    {
      amount: minorUnits('Amount, in minor units of its own currency.'),
      currency: currencyCode('ISO 4217 currency code of the fee.'),
    },
    {
      ...closed,
      description:
        'Fee that the provider kept of a payment, in the currency that it pays out in. It is null for other movements, and until the rail has told of it, which few rails do.',
    },
  ),
  Total: Type.Object(
    {
      object: kind('total'),
      from: time('Start of the interval, which belongs to it.'),
      to: time('End of the interval, which does not belong to it.'),
      currency: currencyCode(),
      received: ref('Sum'),
      late: ref('Sum'),
      refunded: ref('Sum'),
      reversed: ref('Sum'),
      fees: Type.Array(ref('FeeSum'), {
        description: 'Fees that are known of the payments, one sum for each currency of fees.',
      }),
      rails: Type.Array(ref('RailTotal')),
      open: nullable(ref('Sum')),
      excess: nullable(ref('Sum')),
      time_to_pay: ref('TimesToPay'),
      sessions: ref('SessionCounts'),
    } satisfies FieldsOf<typeof representTotal>,
    {
      ...closed,
      description:
        'Movements of an interval and currency: payments (with those that were late), refunds and reversals; `rails` has the same of each rail. Times to pay count where the session was completed. Sessions count where they were created, and with them their money as it is now: `open` is what active ones are still owed, `excess` what was paid beyond the amounts, even if it went back; both are null where that is of more than 100,000 sessions of the time.',
    },
  ),
  Sum: Type.Object(
    { count: count('Number of movements or sessions.'), amount: minorUnits('Sum of their amounts.') },
    { ...closed, description: 'Movements or sessions, summed up.' },
  ),
  RailTotal: Type.Object(
    {
      rail: text('The rail.', 'bank'),
      received: ref('Sum'),
      late: ref('Sum'),
      refunded: ref('Sum'),
      reversed: ref('Sum'),
      fees: Type.Array(ref('FeeSum')),
    } satisfies FieldsOf<() => ReturnType<typeof representTotal>['rails'][number]>,
    { ...closed, description: 'Movements of a rail, summed up.' },
  ),
  FeeSum: Type.Object(
    {
      count: count('Number of payments whose fee is known.'),
      amount: minorUnits('Sum of their fees.'),
      currency: currencyCode('ISO 4217 currency code of the fees.'),
    },
    { ...closed, description: 'Fees in a currency, summed up.' },
  ),
  TimesToPay: Type.Object(
    {
      within_1_minute: count('Up to a minute.'),
      within_10_minutes: count('Up to ten minutes.'),
      within_1_hour: count('Up to an hour.'),
      within_1_day: count('Up to 24 hours.'),
      within_1_week: count('Up to seven days.'),
      over_1_week: count('More than that.'),
    } satisfies FieldsOf<() => ReturnType<typeof representTotal>['time_to_pay']>,
    {
      ...closed,
      description:
        'Sessions that a payment of the interval completed, by the time from their creation to it. Those within a time include those within a shorter one; `within_1_week` and `over_1_week` are all of them.',
    },
  ),
  SessionCounts: Type.Object(
    {
      created: count('All of them.'),
      active: count('With this status now.'),
      completed: count('With this status now.'),
      expired: count('With this status now.'),
      partially_paid: count('Part of the amount is paid.'),
      paid_in_excess: count('More than the amount is paid.'),
    } satisfies FieldsOf<() => ReturnType<typeof representTotal>['sessions']>,
    { ...closed, description: 'Sessions that were created in an interval, as they are now.' },
  ),
} as const;
