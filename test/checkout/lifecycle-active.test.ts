/** A session that is active, and has time: every command × every state of an attempt. */
import { matrix, refusedInFlight } from './lifecycle.ts';

matrix(
  ['active'],
  [
    // A succeeded attempt of an active session has brought a part of the money (400).
    {
      given: 'active',
      when: 'new items',
      gives: {
        ...refusedInFlight,
        requires_action: 'active unpaid cancelled',
        succeeded: 'not_updatable',
        else: 'active unpaid =',
      },
    },
    { given: 'active', when: 'new metadata', gives: 'active unpaid =' },
    { given: 'active', when: 'an empty update', gives: 'unchanged' },
    {
      given: 'active',
      when: 'expire',
      gives: { ...refusedInFlight, requires_action: 'expired unpaid cancelled', else: 'expired unpaid =' },
    },
    {
      given: 'active',
      when: 'start',
      gives: { ...refusedInFlight, else: 'active unpaid requires_action' },
    },
    { given: 'active', when: 'money proven', gives: 'completed paid succeeded' },
    {
      given: 'active',
      when: 'reported processing',
      gives: {
        processing: 'unchanged',
        failed: 'unchanged',
        succeeded: 'unchanged',
        else: 'active unpaid processing',
      },
    },
    {
      given: 'active',
      when: 'reported failed',
      gives: { failed: 'unchanged', succeeded: 'unchanged', else: 'active unpaid failed' },
    },
    {
      given: 'active',
      when: 'reported waiting',
      gives: { none: 'active unpaid requires_action', else: 'unchanged' },
    },
    {
      given: 'active',
      when: 'reported unknown',
      gives: { none: 'active unpaid unknown', requires_action: 'active unpaid unknown', else: 'unchanged' },
    },
    {
      given: 'active',
      when: 'payer goes back',
      gives: { ...refusedInFlight, requires_action: 'active unpaid cancelled', else: 'unchanged' },
    },
    { given: 'active', when: 'refund', gives: { succeeded: 'active unpaid =', else: 'not_refundable' } },
    { given: 'active', when: 'dispute', gives: { none: 'not_found', else: 'active unpaid =' } },
    { given: 'active', when: 'tick', gives: 'unchanged' },
  ],
);
