/** What the operations about statements of banks accept and look like. */
import Type from 'typebox';
import { entryProblems } from '../../banking/entry.ts';
import { noticeStates } from '../../methods/provider-event.ts';
import {
  text as answerText,
  closed as closedObject,
  id,
  kind,
  nullable,
  oneOf,
  time,
} from './answer-fields.ts';
import { pageQuery } from './checkout.ts';
import { amount, closed, text } from './fields.ts';

const note = (description: string, example: string) => text(500, description, example);

export const statementQuery = Type.Object(
  {
    name: Type.Optional(text(200, 'What you call the file.', 'statement-2030-01-31.xml')),
    mapping: Type.Optional(
      text(32, 'For a CSV file: the name of the saved mapping of its columns.', 'my-bank'),
    ),
  },
  { additionalProperties: false },
);

export const fileQuery = Type.Object(pageQuery('bfl'), { additionalProperties: false });

export const entryQuery = Type.Object(
  {
    status: Type.Optional(closed([...noticeStates], 'How the entry stands; `open` ones wait for a person.')),
    ...pageQuery('ntc'),
  },
  { additionalProperties: false },
);

export const assignBody = Type.Object(
  {
    parts: Type.Array(
      Type.Object(
        {
          payin: Type.String({
            pattern: '^chk_[0-9a-z]{20,40}$',
            description: 'Id of the payin, which is the id of the session.',
            examples: ['chk_01k9zq4tn30000x5r7m2c9w1he'],
          }),
          amount: Type.Optional(amount('How much of it; without it, all that is left. Minor units.', 1)),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 20, description: 'What the money is for. What is left over stays open.' },
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
      description: 'Why it concerns no session.',
      examples: ['Interest.'],
    }),
  },
  { additionalProperties: false, examples: [{ reason: 'Interest.' }] },
);

export const reopenBody = Type.Object(
  { reason: Type.Optional(note('Why, for your records.', 'The bank has refused the transfer.')) },
  { additionalProperties: false },
);

export const sendBackBody = Type.Object(
  { reason: Type.Optional(note('What the sender is told.', 'We know of no such order.')) },
  { additionalProperties: false },
);

export const paymentFileBody = Type.Object(
  {
    receiving_account: text(32, 'The account that the money leaves, by its configured id.', 'eur'),
    execute_on: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        description: 'When the bank is to carry it out; without it, today.',
        examples: ['2030-02-01'],
      }),
    ),
  },
  { additionalProperties: false, examples: [{ receiving_account: 'eur' }] },
);

const units = (description: string) => Type.Integer({ minimum: 0, description, examples: [2500] });
const plain = (description: string) => Type.String({ description });

export const bankResources = {
  BankEntry: Type.Object(
    {
      id: id('ntc'),
      object: kind('bank_entry'),
      created_at: time('When it was taken in.'),
      status: oneOf(noticeStates, '`done`: it has had its effect; `open`: a person has to decide.'),
      problem: oneOf(['', ...entryProblems], 'Why it waits, or empty.'),
      direction: oneOf(['credit', 'debit'], 'Money that came in, or went out.'),
      amount: units('As the bank says it, in minor units.'),
      amount_unassigned: units('What is neither booked nor on its way back.'),
      currency: answerText('ISO 4217 code.', 'EUR'),
      booked_on: answerText('Date of the booking.', '2030-01-31'),
      value_on: nullable(Type.String()),
      receiving_account: answerText('The account by its configured id.', 'eur'),
      statement: id('bfl'),
      counterparty: Type.Object(
        { name: Type.String(), account: Type.String(), bic: Type.String() },
        { ...closedObject, description: 'Who sent it, or got it, as the bank says.' },
      ),
      creditor_reference: plain('The structured reference, or empty.'),
      end_to_end_id: plain('As the sender gave it, or empty.'),
      remittance: plain('The text of the transfer.'),
      bank_reference: plain('The bank’s own reference, or empty.'),
      transaction_code: answerText('As the bank classifies it.', 'PMNT-RCDT-ESCT'),
      is_reversal: Type.Boolean({ description: 'The bank takes back an earlier entry.' }),
      return_reason: plain('Why money came back, or empty.'),
      concerns: plain('Id of the refund, session or entry that it is about, where it is no payment.'),
      taken_apart_by: plain(
        'Id of the statement that has this booking in parts, each an entry of its own, or empty.',
      ),
      parts: Type.Array(
        Type.Object(
          { payin: id('chk'), payment_attempt: id('pat'), amount: units('Booked.'), payment: Type.String() },
          closedObject,
        ),
        { description: 'What was booked for which session.' },
      ),
      suggestions: Type.Array(
        Type.Object({ payin: id('chk'), score: Type.Integer({ minimum: 0, maximum: 100 }) }, closedObject),
        { description: 'Sessions that it may be for, the likeliest first.' },
      ),
      sent_back: nullable(
        Type.Object(
          {
            amount: units('What goes back.'),
            status: oneOf(['pending', 'succeeded', 'failed'], 'How that stands.'),
            reason: Type.String(),
          },
          closedObject,
        ),
      ),
      note: plain('Why it was ignored, or is open again; or empty.'),
    },
    { ...closedObject, $id: 'BankEntry', description: 'An entry of a bank statement.' },
  ),
  BankStatement: Type.Object(
    {
      id: id('bfl'),
      object: kind('bank_statement'),
      created_at: time('When it was taken in.'),
      sha256: plain('Of the content; the same file twice is one.'),
      name: plain('As given.'),
      statements: Type.Array(Type.String(), { description: 'The bank’s numbers of the statements in it.' }),
      entries: units('In the file.'),
      new: units('That were not known before.'),
      settled: units('Of the new ones, those that found their place by themselves.'),
      open: units('Of the new ones, those that wait.'),
    },
    { ...closedObject, $id: 'BankStatement', description: 'A file with statements that was taken in.' },
  ),
  PaymentFile: Type.Object(
    {
      id: id('bfl'),
      object: kind('payment_file'),
      created_at: time('When it was made.'),
      sha256: plain('Of the content.'),
      receiving_account: answerText('The account that the money leaves.', 'eur'),
      currency: answerText('ISO 4217 code.', 'EUR'),
      amount: units('Sum of all payments in it.'),
      execute_on: answerText('When the bank is to carry it out.', '2030-02-01'),
      payments: Type.Array(
        Type.Object(
          {
            id: plain('Id of the refund or of the entry that goes back.'),
            amount: units('What goes back.'),
            account: Type.String(),
          },
          closedObject,
        ),
      ),
      left_out: Type.Array(Type.Object({ id: Type.String(), reason: Type.String() }, closedObject), {
        description: 'What is still to be sent, and why it is not in this file.',
      }),
    },
    {
      ...closedObject,
      $id: 'PaymentFile',
      description: 'Refunds for a bank to carry out (ISO 20022 pain.001). Its content is at /content.',
    },
  ),
} as const;
