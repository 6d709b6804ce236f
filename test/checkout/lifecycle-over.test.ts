/** A session that is completed or expired: every command × every state of an attempt. */
import { type MatrixRow, matrix, refusedInFlight, type State } from './lifecycle.ts';

/** Ended sessions stay ended; the three end states differ in their names only. */
const over: readonly { readonly given: State; readonly is: string; readonly paidIs: string }[] = [
  { given: 'completed', is: 'completed paid', paidIs: 'completed paid' },
  { given: 'expired by its merchant', is: 'expired unpaid', paidIs: 'expired paid' },
  { given: 'expired by time', is: 'expired expired', paidIs: 'expired paid' },
];

matrix(
  over.map(({ given }) => given),
  over.flatMap(({ given, is, paidIs }): MatrixRow[] => [
    { given, when: 'new items', gives: 'not_updatable' },
    { given, when: 'new metadata', gives: `${is} =` },
    { given, when: 'an empty update', gives: 'unchanged' },
    { given, when: 'expire', gives: 'not_expirable' },
    { given, when: 'start', gives: 'not_payable' },
    { given, when: 'money proven', gives: `${paidIs} succeeded` },
    {
      given,
      when: 'reported processing',
      gives: {
        none: 'not_payable',
        processing: 'unchanged',
        failed: 'unchanged',
        succeeded: 'unchanged',
        else: `${is} processing`,
      },
    },
    {
      given,
      when: 'reported failed',
      gives: { none: 'not_payable', failed: 'unchanged', succeeded: 'unchanged', else: `${is} failed` },
    },
    { given, when: 'reported waiting', gives: { none: 'not_payable', else: 'unchanged' } },
    {
      given,
      when: 'reported unknown',
      gives: { none: 'not_payable', requires_action: `${is} unknown`, else: 'unchanged' },
    },
    {
      given,
      when: 'payer goes back',
      gives: { ...refusedInFlight, requires_action: `${is} cancelled`, else: 'unchanged' },
    },
    {
      given,
      when: 'refund',
      // A completed session has been paid by an earlier attempt.
      gives: given === 'completed' ? `${is} =` : { succeeded: `${is} =`, else: 'not_refundable' },
    },
    { given, when: 'dispute', gives: { none: 'not_found', else: `${is} =` } },
    { given, when: 'tick', gives: 'unchanged' },
  ]),
);
