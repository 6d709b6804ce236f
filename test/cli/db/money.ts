/**
 * Data from banks and other rails: money that goes back, transfers that are waited for, provider events, bank
 * entries and files. Written by the service's own rules, without the rails themselves.
 */

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { defaultSettings } from '../../../src/accounts/settings.ts';
import type { BankFile } from '../../../src/banking/bank-file.ts';
import type { BankEntry, EntryContent } from '../../../src/banking/entry.ts';
import type { CheckoutCommand } from '../../../src/checkout/commands.ts';
import type { AttemptId, CheckoutId, RefundId } from '../../../src/checkout/ids.ts';
import { createSerializer } from '../../../src/checkout/serializer.ts';
import type { Tenant } from '../../../src/checkout/tenant.ts';
import { newId } from '../../../src/lib/id.ts';
import type { ProviderEvent } from '../../../src/methods/provider-event.ts';
import type { Store } from '../../../src/store/store.ts';
import { createWriter } from '../../../src/writer/writer.ts';
import { entry } from '../../banking/build.ts';
import { configureAccount } from '../../support/configure.ts';

type Given<T extends CheckoutCommand['type']> = Omit<Extract<CheckoutCommand, { type: T }>, 'type' | 'now'>;

const DAY_MS = 86_400_000;

/** Requests and reports about sessions of this account and mode, at this time of its clock. */
export function createTill(store: Store, tenant: Tenant, now: number) {
  const serializer = createSerializer('https://pay.example.com');
  const execute = createWriter({ store, serializer, realNow: Date.now });
  const origin = { tenant, actor: 'rail', requestId: '', idempotency: null };

  async function order(id: CheckoutId, command: CheckoutCommand): Promise<void> {
    const { result } = await execute({ subject: 'checkout', origin, id, command });
    assert.equal(result.kind, 'change', JSON.stringify(result));
  }

  async function attemptOf(id: CheckoutId): Promise<AttemptId> {
    return (await store.checkouts.fetch(tenant, id))?.attempts.at(-1)?.id ?? 'pat_none';
  }

  /** A line of a statement. */
  async function addEntry(
    reference: string,
    state: BankEntry['state'],
    given: Partial<EntryContent> = {},
    id = newId('ntc', now),
  ): Promise<void> {
    const isGoingBack = given.sentBack !== undefined;
    const bankEntry: BankEntry = {
      ...entry({ amount: 2500, remittance: 'Zwei\tSpalten \\ 🧾' }),
      ...given,
      id,
      reference,
      receivedAt: now,
      state,
      dueAt: state === 'waiting' && !isGoingBack ? now + DAY_MS : null,
      tries: 0,
    };
    await store.commit([{ needs: { tenant }, decide: () => [{ bankEntry }] }]);
  }

  /** Stores an event of a provider. */
  async function addEvent(reference: string, state: ProviderEvent['state']): Promise<void> {
    const providerEvent: ProviderEvent = {
      id: newId('pev', now),
      rail: 'stripe',
      reference,
      receivedAt: now,
      state,
      dueAt: state === 'waiting' ? now + DAY_MS : null,
      tries: 0,
      reason: null,
      attemptReference: null,
      paymentReference: 'pi_1',
      body: '{}',
    };
    await store.commit([{ needs: { tenant }, decide: () => [{ providerEvent }] }]);
  }

  async function addFile(kind: BankFile['kind'], content: string, data: BankFile['data']) {
    const id = newId('bfl', now);
    const kept = kind === 'payments' ? content : '';
    const bankFile = { id, kind, createdAt: now, hash: hash('sha256', content), data, content: kept };
    await store.commit([{ needs: { tenant }, decide: () => [{ bankFile }] }]);
    return id;
  }

  return {
    /** The payer is shown where to transfer the money to; whether it comes is seen on a statement. */
    async startTransfer(id: CheckoutId, reference: string): Promise<void> {
      const checkout = await store.checkouts.fetch(tenant, id);
      assert.ok(checkout);
      const started: Given<'start_attempt'> = {
        attemptId: newId('pat', now),
        rail: 'bank',
        reference,
        method: checkout.methods[0] ?? '',
        expectedAmount: checkout.amount,
        status: 'requires_action',
        syncAt: null,
        traits: { standing: true, graceMs: DAY_MS },
        details: { account: 'main' },
      };
      await order(id, { type: 'start_attempt', now, ...started });
    },

    /** Books the transfer with a line of a statement. */
    async receiveTransfer(id: CheckoutId, reference: string, amount: number): Promise<void> {
      const entryId = newId('ntc', now);
      const payment = `${entryId}.1`;
      const parts = [{ checkout: id, attempt: await attemptOf(id), amount, payment }];
      await addEntry(`of ${reference}`, 'done', { amount: 2 * amount, parts }, entryId);
      const said: Given<'report'> = {
        rail: 'bank',
        reference,
        status: 'succeeded',
        reason: '',
        syncAt: null,
        details: null,
        payment: { reference: payment, amount },
        unknownAttempt: { id: newId('pat', now), method: null },
        refundId: newId('rfd', now),
      };
      await order(id, { type: 'report', now, ...said });
    },

    /** Out of what the newest attempt has brought; returns its id. */
    async refund(id: CheckoutId, amount: number, webhookUrl = ''): Promise<RefundId> {
      const refund = newId('rfd', now);
      const wanted: Given<'create_refund'> = {
        id: refund,
        attempt: await attemptOf(id),
        amount,
        furtherIds: [],
        currency: null,
        reason: 'Returned goods.',
        remarks: '',
        metadata: { case: 7 },
        webhookUrl,
      };
      await order(id, { type: 'create_refund', now, ...wanted });
      return refund;
    },

    async reportRefund(id: CheckoutId, refund: RefundId, status: 'succeeded' | 'failed'): Promise<void> {
      const failure = status === 'failed' ? 'The account is closed.' : '';
      const said: Given<'report_refund'> = {
        refund,
        status,
        reference: `r-${refund}`,
        failure,
        syncAt: null,
      };
      await order(id, { type: 'report_refund', now, ...said });
    },

    async dispute(id: CheckoutId, amount: number): Promise<void> {
      const { rail, id: attempt } = (await store.checkouts.fetch(tenant, id))?.attempts.at(-1) ?? {};
      assert.ok(rail && attempt);
      const said: Given<'report_reversal'> = {
        kind: 'dispute',
        rail,
        reference: 'dispute-1',
        attempt,
        amount,
        reason: 'not received',
        status: 'open',
      };
      await order(id, { type: 'report_reversal', now, ...said });
    },

    /** The rail tells the fee of the newest payment. */
    async learnFee(id: CheckoutId, amount: number, currency: string): Promise<void> {
      const { attempts = [], payments = [] } = (await store.checkouts.fetch(tenant, id)) ?? {};
      const { rail, reference: payment = '', attempt } = payments.at(-1) ?? {};
      const paying = attempts.find((each) => each.id === attempt);
      assert.ok(rail && paying);
      const said: Given<'report'> = {
        rail,
        reference: paying.reference,
        status: paying.status,
        reason: '',
        syncAt: null,
        details: null,
        payment: { reference: payment, amount: null, fee: { amount, currency } },
        unknownAttempt: paying,
        refundId: newId('rfd', now),
      };
      await order(id, { type: 'report', now, ...said });
    },

    addEntry,
    addEvent,

    async addFile(kind: BankFile['kind'], content: string): Promise<void> {
      await addFile(kind, content, { lines: content.length });
    },

    /** Puts the refund into a payment file. */
    async fileRefund(id: CheckoutId, refund: RefundId, content: string): Promise<void> {
      const paymentFile = await addFile('payments', content, { payments: [{ id: refund }] });
      const said = { refund, status: 'pending', reference: '', failure: '', syncAt: null } as const;
      await order(id, { type: 'report_refund', now, ...said, paymentFile });
    },

    /** The bank carries the refund out, as a line of a statement shows. */
    async carryOutRefund(id: CheckoutId, refund: RefundId, amount: number): Promise<void> {
      const bankEntry = newId('ntc', now);
      await addEntry(`of ${refund}`, 'done', { amount, direction: 'debit', concerns: refund }, bankEntry);
      const said = { refund, status: 'succeeded', reference: 'TX-2', failure: '', syncAt: null } as const;
      await order(id, { type: 'report_refund', now, ...said, bankEntry });
    },

    async configure(taxId: string): Promise<void> {
      const business = { ...defaultSettings.business, addressLines: ['Straße 1', 'Zürich'], taxId };
      await configureAccount(store, tenant, { ...defaultSettings, business });
    },
  };
}
