/** Makes refunds, reversals and the commands of both for the tests of the core; see `build.ts` for the rest. */
import type {
  CreateRefund,
  ReportRefund,
  ReportReversal,
  SettleRefund,
} from '../../src/checkout/commands.ts';
import type { Refund, Reversal } from '../../src/checkout/session.ts';
import { frozen, NOW, T } from './build.ts';

/** A refund `rfd_a` of what `pat_a` has brought. */
export function refund(amount: number, given: Partial<Refund> = {}): Refund {
  return frozen({
    id: 'rfd_a',
    createdAt: T,
    attempt: 'pat_a',
    rail: 'sandbox',
    reference: '',
    amount,
    reason: '',
    remarks: '',
    metadata: {},
    webhookUrl: '',
    status: 'pending',
    failure: '',
    syncAt: null,
    ...given,
  });
}

/** A dispute `dp_a` of what `pat_a` has brought. */
export function reversal(amount: number, given: Partial<Reversal> = {}): Reversal {
  return frozen({
    kind: 'dispute',
    rail: 'sandbox',
    reference: 'dp_a',
    attempt: 'pat_a',
    amount,
    reason: 'fraudulent',
    status: 'open',
    createdAt: T,
    ...given,
  });
}

/** A refund from the newest attempt that has brought enough. */
export function createRefund(amount: number | null, given: Partial<CreateRefund> = {}): CreateRefund {
  return frozen({
    type: 'create_refund',
    now: NOW,
    id: 'rfd_new',
    attempt: null,
    amount,
    furtherIds: [],
    currency: null,
    reason: '',
    remarks: '',
    metadata: {},
    webhookUrl: '',
    ...given,
  });
}

/** The sandbox's report on `rfd_a`. */
export function reportRefund(
  status: ReportRefund['status'],
  given: Partial<ReportRefund> = {},
): ReportRefund {
  return frozen({
    type: 'report_refund',
    now: NOW,
    refund: 'rfd_a',
    status,
    reference: '',
    failure: '',
    syncAt: null,
    ...given,
  });
}

/** A person's verdict on `rfd_a`. */
export function settleRefund(
  status: SettleRefund['status'],
  given: Partial<SettleRefund> = {},
): SettleRefund {
  return frozen({ type: 'settle_refund', now: NOW, refund: 'rfd_a', status, reason: '', ...given });
}

/** The sandbox's report on the dispute `dp_a`, of 400 of what `pat_a` has brought. */
export function reportReversal(
  status: ReportReversal['status'],
  given: Partial<ReportReversal> = {},
): ReportReversal {
  return frozen({
    type: 'report_reversal',
    now: NOW,
    kind: 'dispute',
    rail: 'sandbox',
    reference: 'dp_a',
    attempt: 'pat_a',
    amount: 400,
    reason: 'fraudulent',
    status,
    ...given,
  });
}
