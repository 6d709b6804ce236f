/** An event about one session or endpoint, with the frozen body that receivers get. */
import type { CheckoutId } from '../checkout/ids.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import type { Id } from '../lib/id.ts';

export type EventId = Id<'evt'>;
/** Ids of what events are about: sessions and webhook endpoints. */
export type SubjectId = CheckoutId | Id<'whe'>;

export type EventRow = {
  readonly id: EventId;
  readonly type: string;
  /** Id of the session or endpoint concerned. */
  readonly subject: SubjectId;
  /** Counts 1, 2, 3 … within the subject. */
  readonly sequence: number;
  readonly createdAt: TenantTime;
  /** Frozen bytes (UTF-8) that receivers get. */
  readonly body: string;
};

/** An event with its position in the feed of its tenant. */
export type FeedEvent = EventRow & { readonly position: number };
