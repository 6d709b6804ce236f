/** Requests of the simulation's clients: commands as the routes and pages make them, each time with ids and time of their own. */
import type { CheckoutCommand } from '../../src/checkout/commands.ts';
import type { AttemptId, CheckoutId } from '../../src/checkout/ids.ts';
import { defaultPolicy, type Payer } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { newId } from '../../src/lib/id.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import type { AttemptPlan } from '../../src/methods/method.ts';
import { SANDBOX, sandboxPlan } from '../../src/methods/sandbox/sandbox.ts';
import { STRIPE } from '../../src/methods/stripe/credentials.ts';
import { nobody } from '../checkout/build.ts';
import { PAYERS } from './bank.ts';
import { BANK_METHOD } from './bank-acts.ts';
import type { Session } from './model.ts';
import { paidOf } from './model.ts';
import { PROVIDER } from './provider.ts';
import type { Step, Version } from './steps.ts';

/** A request about a session: where it goes, and its command at this moment. */
export type Asked = {
  readonly tenant: Tenant;
  readonly operation: string;
  readonly make: (now: number) => { readonly id: CheckoutId; readonly command: CheckoutCommand };
};
type Of<D extends Step['do']> = Extract<Step, { readonly do: D }>;

/** `said` are the details of the payer, if they are given. */
export function create(tenant: Tenant, step: Of<'create'>, said: Partial<Payer>): Asked {
  const { amount, expiresInS, receiver, excess, transfer } = step;
  const payer = transfer ? PAYERS[transfer.payer] : undefined;
  return {
    tenant,
    operation: 'POST /v3/checkout',
    make(now) {
      const id = newId('chk', now);
      const command: CheckoutCommand = {
        type: 'create',
        now,
        id,
        token: `token_${id}`,
        tenant,
        currency: 'EUR',
        amount,
        items: [],
        description: 'things',
        referenceId: '',
        metadata: {},
        payer: { ...nobody, ...(payer ? { name: payer.name } : {}), ...said },
        successUrl: '',
        cancelUrl: '',
        webhookUrl: receiver === null ? '' : `https://r${receiver}.example/s`,
        methods: transfer ? ['card', BANK_METHOD] : ['card'],
        expiresAt: expiresInS === null ? null : now + expiresInS * 1000,
        policy: { ...defaultPolicy, excess, late: transfer?.late ?? 'accept' },
      };
      return { id, command };
    },
  };
}

function about(session: Session, operation: string, make: (now: number) => CheckoutCommand): Asked {
  const id = session.id as CheckoutId;
  return { tenant: session.tenant, operation, make: (now) => ({ id, command: make(now) }) };
}

function versionOf({ version }: Session, which: Version): number | null {
  if (which === 'any') return null;
  return which === 'current' ? version : version % 2 === 0 ? version + 1 : version - 1;
}

export function update(session: Session, { price, methods, note, version }: Of<'update'>): Asked {
  const items = price === null ? null : [{ name: 'Thing', description: '', quantity: 2, unitPrice: price }];
  const metadata = note === null ? null : { [`n${note % 2}`]: note === 3 ? null : note };
  const ifVersion = versionOf(session, version);
  return about(session, `PUT /v3/checkout/${session.id}`, (now) => ({
    type: 'update',
    now,
    items,
    methods,
    metadata,
    ifVersion,
  }));
}

/** Another tenant asks for the session. */
export function foreign(tenant: Tenant, session: Session): Asked {
  const step = { do: 'update', session: 0, price: 1, methods: null, note: 1, version: 'any' } as const;
  return { ...update(session, step), tenant };
}

export function expire(session: Session, { version }: Of<'expire'>): Asked {
  const ifVersion = versionOf(session, version);
  return about(session, `POST /v3/checkout/${session.id}/expire`, (now) => ({
    type: 'expire',
    now,
    ifVersion,
  }));
}

/** `planOf` makes the plan of the rail of cards or of the bank, or null where that is not offered. */
export function start(
  session: Session,
  { rail, off }: Of<'start'>,
  planOf: (attemptId: AttemptId, now: number) => AttemptPlan | null,
): Asked {
  const expectedAmount = session.amount - paidOf(session) + off;
  return about(session, `POST /transaction/${session.id}/pay`, (now) => {
    const attemptId = newId('pat', now);
    const method = rail === BANK ? BANK_METHOD : 'card';
    const common = { type: 'start_attempt', now, attemptId, method, expectedAmount } as const;
    if (rail === SANDBOX) return { ...common, rail, traits: {}, ...sandboxPlan('takes_a_while', now) };
    const toldOfCancel = true;
    const plan = rail === STRIPE || rail === BANK ? planOf(attemptId, now) : null;
    if (plan !== null && rail === BANK) return { ...common, rail, traits: { standing: true }, ...plan };
    if (plan !== null) return { ...common, rail, traits: { toldOfCancel, graceMs: 30 * 60_000 }, ...plan };
    const reference = `pi_${attemptId}`;
    const asked = { reference, status: 'requires_action', syncAt: now + 60_000, details: {} } as const;
    return { ...common, rail: PROVIDER, traits: { toldOfCancel }, ...asked };
  });
}

export function cancel(session: Session): Asked {
  return about(session, `POST /transaction/${session.id}/cancel`, (now) => ({ type: 'cancel_attempt', now }));
}

export function report(session: Session, { payment, outcome, amount }: Of<'report'>): Asked {
  const reference = `pay_${payment}`;
  return about(session, `POST /v3/test_helpers/checkout/${session.id}/pay`, (now) => ({
    type: 'report',
    now,
    rail: SANDBOX,
    reference,
    status: outcome,
    reason: outcome === 'failed' ? 'The payment was declined.' : '',
    syncAt: null,
    payment: outcome === 'succeeded' ? { reference, amount } : null,
    details: null,
    unknownAttempt: { id: newId('pat', now), method: null },
    refundId: newId('rfd', now),
  }));
}

export function refund(session: Session, { share }: Of<'refund'>): Asked {
  const amount = Math.max(1, Math.ceil(paidOf(session) * share));
  return about(session, 'POST /v3/refund', (now) => ({
    type: 'create_refund',
    now,
    id: newId('rfd', now),
    attempt: null,
    amount,
    furtherIds: [],
    currency: null,
    reason: '',
    remarks: '',
    metadata: {},
    webhookUrl: '',
  }));
}
