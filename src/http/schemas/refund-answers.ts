/** Money that goes back: refunds by the merchant, and reversals by a rail. */

import type { representRefund, representReversal } from '../../checkout/representation.ts';
import { refundStatuses } from '../../checkout/session.ts';
import { Type } from '../../lib/json-schema.ts';
import {
  closed,
  createdAt,
  currencyCode,
  type FieldsOf,
  freeForm,
  id,
  kind,
  minorUnits,
  oneOf,
  text,
  time,
} from './answer-fields.ts';

export const refundResources = {
  Refund: Type.Object(
    {
      id: id('rfd'),
      object: kind('refund'),
      created_at: createdAt,
      amount: minorUnits('Amount to refund.'),
      currency: currencyCode(),
      payin: id('chk'),
      payment_attempt: id('pat'),
      reference_id: text('Reference of the session.', 'order-1001'),
      status: oneOf(refundStatuses, 'Status.'),
      status_description: text('Reason of a failure, or empty.', ''),
      reason: text('Reason given in the request.', 'The parcel was lost.'),
      remarks: text('Remarks given in the request.', ''),
      reference: text('Id of the refund at the rail, or empty.', ''),
      payment_file: text('Id of its payment file, or empty.', ''),
      bank_entries: Type.Array(id('ntc')),
      webhook_url: text('Receiver of the refund’s events; empty for the receiver of the session.', ''),
      metadata: freeForm('Your own data.', { ticket: 'T-77' }),
    } satisfies FieldsOf<typeof representRefund>,
    {
      ...closed,
      description:
        'Money that you return to the payer. `bank_entries` carried it out and, behind that, brought it back.',
    },
  ),
  Reversal: Type.Object(
    {
      object: kind('reversal'),
      kind: oneOf(
        ['dispute', 'return'],
        '`dispute`: a card holder disputes a charge; `return`: a bank returns a transfer, or somebody refunds the payment at the provider.',
      ),
      reference: text('Id of the reversal at the rail.', 'dp_1N2x'),
      created_at: time('Time at which it became known.'),
      amount: minorUnits('Amount taken back.'),
      currency: currencyCode(),
      payin: id('chk'),
      payment_attempt: id('pat'),
      status: oneOf(
        ['open', 'lost', 'won'],
        '`open`: not decided yet; `lost`: the money is gone; `won`: it stays, or is back.',
      ),
      reason: text('Reason in the words of the rail.', 'fraudulent'),
    } satisfies FieldsOf<typeof representReversal>,
    { ...closed, description: 'Money that a rail takes back.' },
  ),
} as const;
