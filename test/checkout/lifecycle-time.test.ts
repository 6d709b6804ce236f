/** A session whose time is over without anybody having written it down: every command × every state of an attempt. */
import { matrix, refusedInFlight } from './lifecycle.ts';

matrix(
  ['active until this moment', 'active until the grace ends now'],
  [
    // Sessions past their time that nobody has written down yet. Only an attempt in flight keeps one active.
    {
      given: 'active until this moment',
      when: 'new items',
      gives: { ...refusedInFlight, else: 'not_updatable' },
    },
    {
      given: 'active until this moment',
      when: 'new metadata',
      gives: {
        unknown: 'active unpaid unknown',
        processing: 'active unpaid processing',
        requires_action: 'expired expired cancelled',
        else: 'expired expired =',
      },
    },
    {
      given: 'active until this moment',
      when: 'an empty update',
      gives: {
        unknown: 'unchanged',
        processing: 'unchanged',
        requires_action: 'expired expired cancelled',
        else: 'expired expired =',
      },
    },
    {
      given: 'active until this moment',
      when: 'expire',
      gives: { ...refusedInFlight, else: 'not_expirable' },
    },
    { given: 'active until this moment', when: 'start', gives: 'not_payable' },
    {
      given: 'active until this moment',
      when: 'money proven',
      gives: {
        unknown: 'completed paid succeeded',
        processing: 'completed paid succeeded',
        else: 'expired paid succeeded',
      },
    },
    {
      given: 'active until this moment',
      when: 'reported processing',
      gives: {
        none: 'not_payable',
        unknown: 'active unpaid processing',
        processing: 'unchanged',
        failed: 'expired expired failed',
        succeeded: 'expired expired succeeded',
        else: 'expired expired processing',
      },
    },
    {
      given: 'active until this moment',
      when: 'reported failed',
      gives: {
        none: 'not_payable',
        succeeded: 'expired expired succeeded',
        else: 'expired expired failed',
      },
    },
    {
      given: 'active until this moment',
      when: 'reported waiting',
      gives: {
        none: 'not_payable',
        unknown: 'unchanged',
        processing: 'unchanged',
        requires_action: 'expired expired cancelled',
        else: 'expired expired =',
      },
    },
    {
      given: 'active until this moment',
      when: 'reported unknown',
      gives: {
        none: 'not_payable',
        unknown: 'unchanged',
        processing: 'unchanged',
        requires_action: 'expired expired cancelled',
        else: 'expired expired =',
      },
    },
    {
      given: 'active until this moment',
      when: 'payer goes back',
      gives: { ...refusedInFlight, requires_action: 'expired expired cancelled', else: 'expired expired =' },
    },
    {
      given: 'active until this moment',
      when: 'refund',
      gives: { succeeded: 'expired expired =', else: 'not_refundable' },
    },
    {
      given: 'active until this moment',
      when: 'dispute',
      gives: {
        none: 'not_found',
        unknown: 'active unpaid unknown',
        processing: 'active unpaid processing',
        requires_action: 'expired expired cancelled',
        else: 'expired expired =',
      },
    },
    {
      given: 'active until this moment',
      when: 'tick',
      gives: {
        unknown: 'unchanged',
        processing: 'unchanged',
        requires_action: 'expired expired cancelled',
        else: 'expired expired =',
      },
    },

    // The grace is over: what is in flight no longer keeps the session active, but stays what its rail knows of it.
    { given: 'active until the grace ends now', when: 'new items', gives: 'not_updatable' },
    {
      given: 'active until the grace ends now',
      when: 'new metadata',
      gives: { requires_action: 'expired expired cancelled', else: 'expired expired =' },
    },
    {
      given: 'active until the grace ends now',
      when: 'an empty update',
      gives: { requires_action: 'expired expired cancelled', else: 'expired expired =' },
    },
    { given: 'active until the grace ends now', when: 'expire', gives: 'not_expirable' },
    { given: 'active until the grace ends now', when: 'start', gives: 'not_payable' },
    {
      given: 'active until the grace ends now',
      when: 'money proven',
      gives: 'expired paid succeeded',
    },
    {
      given: 'active until the grace ends now',
      when: 'reported processing',
      gives: {
        none: 'not_payable',
        failed: 'expired expired failed',
        succeeded: 'expired expired succeeded',
        else: 'expired expired processing',
      },
    },
    {
      given: 'active until the grace ends now',
      when: 'reported failed',
      gives: { none: 'not_payable', succeeded: 'expired expired succeeded', else: 'expired expired failed' },
    },
    {
      given: 'active until the grace ends now',
      when: 'reported waiting',
      gives: { none: 'not_payable', requires_action: 'expired expired cancelled', else: 'expired expired =' },
    },
    {
      given: 'active until the grace ends now',
      when: 'reported unknown',
      gives: { none: 'not_payable', requires_action: 'expired expired cancelled', else: 'expired expired =' },
    },
    {
      given: 'active until the grace ends now',
      when: 'payer goes back',
      // Refused as long as the rail may move money; the tick that is due writes the expiry.
      gives: { ...refusedInFlight, requires_action: 'expired expired cancelled', else: 'expired expired =' },
    },
    {
      given: 'active until the grace ends now',
      when: 'refund',
      gives: { succeeded: 'expired expired =', else: 'not_refundable' },
    },
    {
      given: 'active until the grace ends now',
      when: 'dispute',
      gives: {
        none: 'not_found',
        requires_action: 'expired expired cancelled',
        else: 'expired expired =',
      },
    },
    {
      given: 'active until the grace ends now',
      when: 'tick',
      gives: { requires_action: 'expired expired cancelled', else: 'expired expired =' },
    },
  ],
);
