/** Requests about bank statements, their entries and payment files. */

import { entryStates } from '../../banking/entry.ts';
import { Type } from '../../lib/json-schema.ts';
import { version } from './answer-fields.ts';
import { pageQuery } from './checkout.ts';
import { amount, closed, givenSessionId, text, titled } from './fields.ts';

const note = (description: string, example: string) => titled('EntryNote', text(500, description, example));

const statementQuery = Type.Object(
  {
    name: Type.Optional(text(200, 'File name.', 'statement-2030-01-31.xml')),
    mapping: Type.Optional(text(32, 'For a CSV file: name of the saved column mapping.', 'my-bank')),
  },
  { additionalProperties: false },
);

export const importQuery = Type.Object(
  {
    ...statementQuery.properties,
    sha256: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{64}$',
        description: 'SHA-256 of the file: another one is refused.',
        examples: ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
      }),
    ),
  },
  { additionalProperties: false },
);

export const previewQuery = Type.Object(
  {
    ...statementQuery.properties,
    csv_mapping: Type.Optional(
      text(
        8192,
        'For a CSV file, in the place of `mapping`: a mapping as JSON, to try it before it is saved.',
      ),
    ),
  },
  { additionalProperties: false },
);

export const fileQuery = Type.Object(pageQuery('bfl'), { additionalProperties: false });

export const entryQuery = Type.Object(
  {
    status: Type.Optional(
      closed([...entryStates], 'Only entries with this status; `open` ones wait for a person.'),
    ),
    ...pageQuery('ntc'),
  },
  { additionalProperties: false },
);

export const assignBody = Type.Object(
  {
    parts: Type.Array(
      Type.Object(
        {
          payin: givenSessionId('Id of the payin, which is the id of the session.'),
          amount: Type.Optional(amount('Amount to book, in minor units. Default: the unassigned rest.', 1)),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 20, description: 'Sessions to book for. An unassigned rest stays open.' },
    ),
    amount_unassigned: Type.Optional(
      amount(
        'The `amount_unassigned` that the decision was made on: nothing is booked if it has changed since.',
      ),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ parts: [{ payin: 'chk_01k9zq4tn30000x5r7m2c9w1he', amount: 1250 }] }],
  },
);

export const ignoreBody = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Why the entry concerns no session.',
      examples: ['Interest.'],
    }),
  },
  { additionalProperties: false, examples: [{ reason: 'Interest.' }] },
);

export const reopenBody = Type.Object(
  { reason: Type.Optional(note('Reason, for your records.', 'The bank has refused the transfer.')) },
  { additionalProperties: false },
);

export const sendBackBody = Type.Object(
  { reason: Type.Optional(note('Reason that the sender is told.', 'We know of no such order.')) },
  { additionalProperties: false },
);

export const paymentFileBody = Type.Object(
  {
    receiving_account: text(32, 'Account that the money leaves.', 'eur'),
    execute_on: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        description: 'Execution date. Default: today.',
        examples: ['2030-02-01'],
      }),
    ),
    version: Type.Optional(
      version('Version of the payments, as the preview has told it: a file for it has no others.'),
    ),
  },
  { additionalProperties: false, examples: [{ receiving_account: 'eur' }] },
);
