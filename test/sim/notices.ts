/** Provider events on their way into the service. */
import type { Tenant } from '../../src/checkout/tenant.ts';
import { newId } from '../../src/lib/id.ts';
import { BadSignature } from '../../src/methods/method.ts';
import type { ProviderEvent } from '../../src/methods/provider-event.ts';
import { STRIPE } from '../../src/methods/stripe/credentials.ts';
import type { SignedEvent } from '../support/stripe-stand-in-api.ts';
import type { Stage } from './stage.ts';

type Said = Pick<ProviderEvent, 'rail' | 'reference' | 'attemptReference' | 'paymentReference' | 'body'>;

export function createNotices({ oracle, process, isClockRight }: Stage) {
  function sendEvent(tenant: Tenant, { rail, reference, ...said }: Said): void {
    const now = oracle.nowOf(tenant);
    const action = { type: 'receive', id: newId('pev', now), ...said } as const;
    const origin = { tenant, actor: 'rail', requestId: '', idempotency: null };
    const { worker, execute } = process();
    void execute({ subject: 'provider_event', origin, now, rail, reference, action }).then(
      () => worker.nudge('providerEvents', tenant),
      () => {},
    );
  }

  return {
    sendEvent,

    /** An event of Stripe, as the route takes it: with the body and the signature as they come. */
    sendSigned(signed: SignedEvent | null): void {
      const rail = process().rails.find(({ name }) => name === STRIPE);
      if (signed === null || !rail?.readEvent) return;
      try {
        const { tenant, ...read } = rail.readEvent(signed.body, signed.headers);
        sendEvent(tenant, { rail: rail.name, body: signed.body.toString(), ...read });
      } catch (error) {
        // A signature is too old where the clock of the machine is wrong.
        if (!(error instanceof BadSignature) || isClockRight()) throw error;
      }
    },
  };
}
