/** Requests about movements of money and their totals. */
import { movementTypes } from '../../checkout/movements.ts';
import { intervalUnits } from '../../lib/intervals.ts';
import { type Static, Type } from '../../lib/json-schema.ts';
import { pageQuery } from './checkout.ts';
import { closed, currency, idText, text, timestamp } from './fields.ts';

export const movementQuery = Type.Object(
  {
    ...pageQuery('mov'),
    type: Type.Optional(closed([...movementTypes], 'Only movements of this type.')),
    currency: Type.Optional(currency),
    payin: Type.Optional(idText('chk', 'Only movements of this payin, which has the id of its session.')),
    rail: Type.Optional(text(64, 'Only movements of this rail.', 'bank')),
    reference: Type.Optional(
      text(
        255,
        'Only movements with this id of the payment or reversal at the rail, or of the refund.',
        'rfd_01k9zq4tn30000x5r7m2c9w1he',
      ),
    ),
    late: Type.Optional(
      Type.Boolean({ description: 'Only payments that were booked after the end (or all other movements).' }),
    ),
    'created_at[gte]': Type.Optional(timestamp('Only movements at this time or later.')),
    'created_at[lt]': Type.Optional(timestamp('Only movements before this time.')),
  },
  { additionalProperties: false },
);
export type MovementQuery = Static<typeof movementQuery>;

const start = timestamp('Start of the time, which belongs to it.');
/** An example of its own: a time ends later than it starts. */
const end = timestamp('End of the time, which does not belong to it.', '2030-02-28T12:00:00Z');

export const totalQuery = Type.Object(
  {
    'created_at[gte]': start,
    'created_at[lt]': end,
    currency: Type.Optional(currency),
    interval: Type.Optional(
      closed(
        [...intervalUnits],
        'Totals of each day, week (from Monday), month or year; needs `currency`. Default: of the whole time.',
      ),
    ),
    time_zone: Type.Optional(
      text(64, 'Time zone in which days begin, by its IANA name. Default: `UTC`.', 'Europe/Berlin'),
    ),
  },
  { additionalProperties: false },
);

export const overviewQuery = Type.Object(
  {
    'created_at[gte]': start,
    'created_at[lt]': end,
    currency: { ...currency, description: 'Currency of the times to pay.' },
  },
  { additionalProperties: false },
);
export type TotalQuery = Static<typeof totalQuery>;
