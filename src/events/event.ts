/** An event about one session or endpoint, with the frozen body that receivers get. */
import type { CheckoutId } from '../checkout/ids.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import type { Id } from '../lib/id.ts';

export type EventId = Id<'evt'>;
/** Ids of what events are about: sessions and webhook endpoints. */
export type SubjectId = CheckoutId | Id<'whe'>;

/**
 * Cause of a change that nobody has asked for: the bank entry, or the event of a provider. `asked`: the rail was asked for
 * another reason, such as the time or the way back of the payer, and its answer alone is why.
 */
export type Cause = Id<'ntc'> | Id<'pev'> | 'asked';

export type EventRow = {
  readonly id: EventId;
  readonly type: string;
  /** Id of the session or endpoint concerned. */
  readonly subject: SubjectId;
  /** Counts 1, 2, 3 … within the subject. */
  readonly sequence: number;
  readonly createdAt: TenantTime;
  /** Null for what a request, the payer or the time has changed. */
  readonly cause: Cause | null;
  /** Frozen bytes (UTF-8) that receivers get. */
  readonly body: string;
};

/** An event with its position in the feed of its tenant. */
export type FeedEvent = EventRow & { readonly position: number };
