/**
 * Reasons of refusals. The list is closed and in order of precedence: if several reasons hold, the first one is the
 * answer. It carries no HTTP status; `http/error-table.ts` gives each reason its row.
 */
export type RefusalReason =
  | 'key_reused'
  | 'not_found'
  | 'version_stale'
  | 'field_invalid'
  | 'not_expirable'
  | 'not_updatable'
  | 'not_payable'
  | 'payment_in_progress'
  | 'payment_booked_elsewhere'
  | 'not_refundable'
  | 'refund_settled'
  | 'entry_settled'
  | 'nothing_to_pay'
  | 'customer_exists'
  | 'too_many_endpoints'
  | 'endpoint_disabled'
  | 'too_many_api_keys'
  | 'too_many_accounts'
  | 'user_exists'
  | 'too_many_users'
  | 'last_owner'
  | 'member_elsewhere';

/** One mistake in the input: its place (RFC 6901 JSON pointer), and a sentence about it. */
export type Problem = { readonly pointer: string; readonly detail: string };

export type Refusal = {
  readonly kind: 'refusal';
  readonly reason: RefusalReason;
  /** One sentence about this very case. */
  readonly detail: string;
  /** The fields at fault, for `field_invalid`. */
  readonly problems: readonly Problem[];
};

export function refuse(reason: RefusalReason, detail: string, problems: readonly Problem[] = []): Refusal {
  return { kind: 'refusal', reason, detail, problems };
}

/** Tells a refusal from any other result. */
export function isRefusal(result: object): result is Refusal {
  return 'kind' in result && result.kind === 'refusal';
}

/** Refuses for the fields themselves, all of them at once. */
export function refuseFields(problems: readonly Problem[]): Refusal {
  return refuse('field_invalid', 'The request has invalid fields.', problems);
}
