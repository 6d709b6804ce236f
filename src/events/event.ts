/** An event as it is kept: about one session or endpoint, with the frozen body that receivers get. */

export type EventRow = {
  readonly id: string;
  readonly type: string;
  /** Id of the session or the endpoint that it is about. */
  readonly subject: string;
  /** Counts 1, 2, 3 … within the subject. */
  readonly sequence: number;
  readonly createdAt: number;
  /** The frozen bytes (UTF-8) that receivers get. */
  readonly body: string;
};

/** An event at its place in the feed of its account and mode. */
export type FeedEvent = EventRow & { readonly position: number };
