/** An event about one session or endpoint, with the frozen body that receivers get. */

export type EventRow = {
  readonly id: string;
  readonly type: string;
  /** Id of the session or endpoint concerned. */
  readonly subject: string;
  /** Counts 1, 2, 3 … within the subject. */
  readonly sequence: number;
  readonly createdAt: number;
  /** Frozen bytes (UTF-8) that receivers get. */
  readonly body: string;
};

/** An event with its position in the feed of its tenant. */
export type FeedEvent = EventRow & { readonly position: number };
