/** Resources around bank accounts: entries, statements and payment files. */

import { entryProblems, entryStates } from '../../banking/entry.ts';
import type { representEntry, representOutgoing } from '../../banking/representation.ts';
import type { representPreview } from '../../ingest/representation.ts';
import { Type } from '../../lib/json-schema.ts';
import {
  closed,
  createdAt,
  currencyCode,
  type FieldsOf,
  id,
  kind,
  minorUnits,
  nullable,
  oneOf,
  text,
  time,
  version,
} from './answer-fields.ts';
import { titled } from './fields.ts';

const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

const leftOut = (description: string) =>
  Type.Array(
    titled(
      'LeftOut',
      Type.Object(
        {
          id: text('Id of the refund or entry.', 'rfd_01k9zq4tn30000x5r7m2c9w1hf'),
          reason: text('Reason.', 'The account of the payer is not known.'),
        },
        closed,
      ),
    ),
    { description },
  );

const problem = (description: string) => titled('EntryProblem', oneOf(['', ...entryProblems], description));

const SHA_256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const contentHash = (description: string) => titled('ContentHash', text(description, SHA_256));

const bankReference = titled('BankReference', text('Reference of the bank, or empty.', '203001310000000001'));

const direction = titled('Direction', oneOf(['credit', 'debit'], 'Incoming or outgoing money.'));

const counterparty = titled(
  'Counterparty',
  Type.Object(
    {
      name: text('Name.', 'Ada Lovelace'),
      account: text('IBAN or other account number.', 'GB33BUKB20201555555555'),
      bic: text('BIC, or empty.', ''),
    },
    { ...closed, description: 'Sender or recipient, as the bank names it.' },
  ),
);

const suggestions = titled(
  'Suggestions',
  Type.Array(
    Type.Object(
      {
        payin: id('chk'),
        score: Type.Integer({
          minimum: 0,
          maximum: 100,
          description: 'Likelihood.',
          examples: [80],
        }),
      },
      closed,
    ),
    { description: 'Sessions that the entry may pay, the most likely first.' },
  ),
);

export const bankResources = {
  BankEntry: Type.Object(
    {
      id: id('ntc'),
      object: kind('bank_entry'),
      created_at: time('Time of the import.'),
      status: oneOf(entryStates, 'Status. `done`: the entry had its effect; `open`: a person has to decide.'),
      problem: problem('Reason why the entry waits, or empty.'),
      direction,
      amount: minorUnits('Amount of the booking, in minor units.'),
      amount_unassigned: minorUnits('Amount that is neither booked nor being sent back.'),
      currency: currencyCode(),
      booked_on: text('Booking date.', '2030-01-31'),
      value_on: nullable(text('Value date.', '2030-01-31')),
      receiving_account: text('Id of the receiving account.', 'eur'),
      statement: id('bfl'),
      counterparty,
      creditor_reference: text('Structured reference, or empty.', ''),
      end_to_end_id: text('End-to-end id of the sender, or empty.', ''),
      remittance: text('Remittance information.', 'order-1001'),
      bank_reference: bankReference,
      transaction_code: text('The bank’s transaction code.', 'PMNT-RCDT-ESCT'),
      is_reversal: Type.Boolean({ description: 'The bank takes back an earlier entry.' }),
      return_reason: text('Reason why money came back, or empty.', ''),
      concerns: text(
        'Id of the refund, session or entry that it is about, where it is not a payment; otherwise empty.',
        '',
      ),
      taken_apart_by: text(
        'Id of the statement that has the parts of this booking as entries of their own, or empty.',
        '',
      ),
      parts: Type.Array(
        Type.Object(
          {
            payin: id('chk'),
            payment_attempt: id('pat'),
            amount: minorUnits('Booked amount.'),
            payment: text('Reference of the booked payment.', 'ntc_01k9zq4tn30000x5r7m2c9w1he'),
          },
          closed,
        ),
        { description: 'Booked parts and their sessions.' },
      ),
      suggestions,
      sent_back: nullable(
        Type.Object(
          {
            amount: minorUnits('Amount to send back.'),
            status: oneOf(['pending', 'succeeded', 'failed'], 'Status of the transfer.'),
            reason: text('Reason for the sender.', 'Unknown order.'),
            payment_file: text('Id of its payment file, or empty.', ''),
          },
          { ...closed, description: 'Transfer of the unassigned money to its sender.' },
        ),
      ),
      note: text('Reason why the entry was ignored or reopened, or empty.', ''),
    } satisfies FieldsOf<typeof representEntry>,
    { ...closed, description: 'An entry of a bank statement.' },
  ),
  BankStatement: Type.Object(
    {
      id: id('bfl'),
      object: kind('bank_statement'),
      created_at: time('Time of the import.'),
      sha256: contentHash('SHA-256 of the content; a file is imported once.'),
      name: text('Name given in the request.', 'statement-2030-01-31.xml'),
      statements: Type.Array(Type.String(), {
        description: 'The bank’s numbers of the statements in the file.',
        examples: [['2030-031']],
      }),
      entries: count('Entries in the file.', 12),
      new: count('Entries that were not known before.', 12),
      settled: count('New entries matched automatically.', 11),
      open: count('New entries that wait for a person.', 1),
    },
    { ...closed, description: 'An imported file of bank statements.' },
  ),
  CsvMapping: Type.Object(
    {
      id: text('Name of the mapping.', 'my-bank'),
      object: kind('csv_mapping'),
      mapping: Type.Object(
        {},
        { additionalProperties: true, description: 'Its fields, as in the settings of the account.' },
      ),
    },
    { ...closed, description: 'A saved mapping of the columns of CSV statements.' },
  ),
  BankStatementPreview: Type.Object(
    {
      object: kind('bank_statement_preview'),
      sha256: contentHash('SHA-256 of the content.'),
      name: text('Name given in the request.', 'statement-2030-01-31.xml'),
      format: oneOf(['', 'camt', 'mt940', 'csv'], 'Format of the file, or empty if it is none of them.'),
      imported_as: nullable(id('bfl')),
      entries: count('Entries in the file.', 12),
      known: count('Entries that add nothing, because they are known.', 0),
      settled: count('Entries that would be matched automatically.', 11),
      open: count('Entries that would wait for a person.', 1),
      not_matched: count('Further entries, for which nothing was looked up.', 0),
      mistakes: count('Mistakes, with any of which an import is refused.', 0),
      statements: Type.Array(
        Type.Object(
          {
            number: text('The bank’s number of the statement, or empty.', '2030-031'),
            receiving_account: text('Id of the receiving account; empty if it is about none.', 'eur'),
            currency: currencyCode(),
            from: nullable(text('First day.', '2030-01-31')),
            to: nullable(text('Last day.', '2030-01-31')),
            entries: count('Entries of the statement.', 12),
            amount_in: minorUnits('Sum of what came in.'),
            amount_out: minorUnits('Sum of what went out.'),
          },
          closed,
        ),
        { description: 'The first 100 statements of the file.' },
      ),
      first_entries: Type.Array(
        Type.Object(
          {
            line: Type.Integer({ minimum: 1, description: 'Line of the file.', examples: [12] }),
            status: oneOf(
              ['', 'known', ...entryStates],
              'Status that the entry would have; `known` if it adds nothing, empty if nothing was looked up.',
            ),
            problem: problem('Reason why it would wait, or empty.'),
            direction,
            amount: minorUnits('Amount of the booking, in minor units.'),
            currency: currencyCode(),
            booked_on: text('Booking date.', '2030-01-31'),
            value_on: nullable(text('Value date.', '2030-01-31')),
            counterparty,
            creditor_reference: text('Structured reference, or empty.', ''),
            end_to_end_id: text('End-to-end id of the sender, or empty.', ''),
            remittance: text('Remittance information.', 'order-1001'),
            bank_reference: bankReference,
            concerns: text('Id of the refund, session or entry that it is about, or empty.', ''),
            parts: Type.Array(Type.Object({ payin: id('chk'), amount: minorUnits('Amount.') }, closed), {
              description: 'Sessions that it would be booked for.',
            }),
            suggestions,
          },
          closed,
        ),
        { description: 'The first 100 entries of the file.' },
      ),
      first_mistakes: Type.Array(
        Type.Object(
          {
            line: nullable(Type.Integer({ minimum: 1, description: 'Line of the file.', examples: [12] })),
            entry: nullable(Type.Integer({ minimum: 1, description: 'Number of the entry.', examples: [3] })),
            column: text('Column of a CSV, or empty.', 'column "Amount"'),
            message: text('What is wrong.', 'the amount "1,2,3" is not a number.'),
          },
          closed,
        ),
        { description: 'The first 100 mistakes.' },
      ),
    } satisfies FieldsOf<typeof representPreview>,
    { ...closed, description: 'What an import of the file would do now.' },
  ),
  PaymentFilePreview: Type.Object(
    {
      object: kind('payment_file_preview'),
      receiving_account: text('Account that the money leaves.', 'eur'),
      currency: currencyCode(),
      count: count('Number of payments.', 2),
      amount: minorUnits('Their sum.'),
      version: version('Version of the payments, as the preview has told it: a file for it has no others.'),
      left_out: leftOut('Payments that no file can have, and why: 100 at most.'),
    } satisfies FieldsOf<typeof representOutgoing>,
    { ...closed, description: 'Content of a payment file, if it were created now.' },
  ),
  PaymentFile: Type.Object(
    {
      id: id('bfl'),
      object: kind('payment_file'),
      created_at: createdAt,
      sha256: contentHash('SHA-256 of the content.'),
      receiving_account: text('Account that the money leaves.', 'eur'),
      currency: currencyCode(),
      amount: minorUnits('Sum of all payments in the file.'),
      execute_on: text('Requested execution date.', '2030-02-01'),
      payments: Type.Array(
        Type.Object(
          {
            id: text(
              'Id of the refund, or of the entry that is sent back.',
              'rfd_01k9zq4tn30000x5r7m2c9w1he',
            ),
            amount: minorUnits('Amount of the payment.'),
            account: text('IBAN of the recipient.', 'GB33BUKB20201555555555'),
          },
          closed,
        ),
        { description: 'Payments in the file.' },
      ),
      left_out: leftOut('Payments still to be sent, and why they are not in this file.'),
    },
    {
      ...closed,
      description:
        'Refunds and returns for a bank to carry out (ISO 20022 pain.001). `GET /v3/payment_file/{id}/content` has the file.',
    },
  ),
} as const;
