/**
 * Error table: every reason for which a request can fail, with its status and code, what it means, and what a client
 * does about it. The references of errors are generated from it; codes of reasons that are gone are not used again.
 */
import type { RefusalReason } from '../checkout/refusals.ts';

type Row = {
  readonly status: number;
  readonly code: number;
  readonly text: string;
  readonly advice: string;
};

export const errorTable = {
  bad_json: {
    status: 400,
    code: 100,
    text: 'The request body is not valid JSON.',
    advice: 'Send the body as JSON in UTF-8 (RFC 8259). Repeating the same request does not help.',
  },
  bad_path: {
    status: 400,
    code: 103,
    text: 'The path of the request is malformed.',
    advice: 'Check how your program builds the URL: a character in the path must be percent-encoded.',
  },
  bad_query: {
    status: 400,
    code: 104,
    text: 'A query parameter is unknown or invalid.',
    advice: '`remarks` names the parameter. Compare it with the reference of the operation.',
  },
  bad_metadata: {
    status: 400,
    code: 15515,
    text: 'The metadata is invalid.',
    advice:
      'Send an object with at most 50 top-level keys, 16 KiB of JSON and 8 levels of nesting. On an update, the limits apply to the merged result.',
  },
  field_invalid: {
    status: 400,
    code: 15502,
    text: 'A field is missing, unknown or invalid.',
    advice:
      '`errors` lists every invalid field, 100 at most, with a JSON pointer in `remarks`. Correct them and send the request again. A body may have 6,000 fields, and 18,000 objects and lists, including nested ones.',
  },
  no_credentials: {
    status: 401,
    code: 109,
    text: 'The request has no credentials.',
    advice: 'Send the API key and its secret with HTTP Basic, or the secret alone as a bearer token.',
  },
  wrong_credentials: {
    status: 401,
    code: 108,
    text: 'The credentials are wrong, or the key is revoked.',
    advice:
      'Check that the secret belongs to the key and that your client sends both unchanged. If the key was revoked, ask the operator of the service for a new one.',
  },
  scope_missing: {
    status: 403,
    code: 113,
    text: 'The API key may not call this operation.',
    advice:
      'Use a key with the permission that the message names. Test helpers need a key of test mode, and changes of members one of live mode.',
  },
  not_found: {
    status: 404,
    code: 105,
    text: 'The resource does not exist.',
    advice:
      'Check the path and the id, and that the key belongs to the account and mode (test or live) of the resource: a key does not see any other data.',
  },
  method_not_allowed: {
    status: 405,
    code: 114,
    text: 'The path does not support this method; see the Allow header.',
    advice: 'Use one of the methods in the `Allow` header.',
  },
  not_acceptable: {
    status: 406,
    code: 115,
    text: 'The service cannot answer in a format that the request accepts.',
    advice:
      'Omit the `Accept` header, or include `application/json`. For problem documents, it must name `application/problem+json`.',
  },
  request_timeout: {
    status: 408,
    code: 118,
    text: 'The request did not arrive in time.',
    advice:
      'It had no effect. Send it again, on another connection: all of the headers within 10 seconds, and the whole request within 30.',
  },
  too_large: {
    status: 413,
    code: 116,
    text: 'The request is too large.',
    advice:
      'A body may have 256 KiB, a logo 64 KiB and a bank statement 64 MiB. Keep documents out of the metadata.',
  },
  unsupported_media_type: {
    status: 415,
    code: 117,
    text: 'The content type of the request body is another one than the operation accepts.',
    advice: 'Send the header `Content-Type: application/json`; with a logo, `image/png` or `image/jpeg`.',
  },
  not_expirable: {
    status: 409,
    code: 19020,
    text: 'Only an active session can be expired.',
    advice: 'Fetch the session: it is already completed or expired.',
  },
  payment_in_progress: {
    status: 409,
    code: 19021,
    text: 'A payment is in progress; try again when it has ended.',
    advice:
      'Wait for the webhook about the end of the payment, or fetch the session until no attempt is `processing` or `unknown`. Then try again.',
  },
  not_updatable: {
    status: 409,
    code: 19022,
    text: 'The items or payment methods of the session can no longer change.',
    advice:
      'Items and payment methods can change only while the session is active and nothing is paid; metadata can always change. For another amount, create a new session.',
  },
  not_payable: {
    status: 409,
    code: 19023,
    text: 'The session cannot be paid.',
    advice:
      'The message names the cause: the session has ended, has no amount yet, or has had too many attempts. Create a new session, or add items to this one.',
  },
  payment_booked_elsewhere: {
    status: 409,
    code: 19024,
    text: 'The payment belongs to another session.',
    advice:
      'Another session has already booked a payment with this id of the rail. Use the id of this payment.',
  },
  not_refundable: {
    status: 409,
    code: 19026,
    text: 'The amount exceeds what can still be refunded.',
    advice:
      'Fetch the payin: it lists the payment of each attempt, and its pending and completed refunds. Refund at most the rest.',
  },
  refund_settled: {
    status: 409,
    code: 19029,
    text: 'The refund has already ended, or only its provider can settle it.',
    advice: 'Fetch the refund for its status. Only a pending refund by bank transfer can be settled by hand.',
  },
  entry_settled: {
    status: 409,
    code: 19027,
    text: 'The bank entry is already settled.',
    advice: 'Fetch the entry for its status. A booking is final; to return the money, create a refund.',
  },
  nothing_to_pay: {
    status: 409,
    code: 19028,
    text: 'No refund or return is waiting for a payment file.',
    advice:
      'Every refund by bank transfer is in a file already, or waits for an account number. List the entries and refunds for their status.',
  },
  bad_statement: {
    status: 400,
    code: 15520,
    text: 'The statement cannot be read, or belongs to another account.',
    advice:
      'The message names the place in the file and the cause; nothing was imported. Download the statement again, or correct the mapping of its columns.',
  },
  bad_signature: {
    status: 400,
    code: 15521,
    text: 'The signature of the provider event is invalid.',
    advice:
      'Check the signing secret of the provider’s webhook in the settings. Only the provider calls this URL.',
  },
  customer_exists: {
    status: 409,
    code: 19025,
    text: 'Another customer has this e-mail address.',
    advice: 'List the customers with this e-mail address, and use or update the one you find.',
  },
  cursor_expired: {
    status: 410,
    code: 19050,
    text: 'The events after this cursor are no longer kept.',
    advice:
      'Start again without `after`: the feed then begins with the oldest event that is kept. Fetch the sessions for what happened in between.',
  },
  too_many_endpoints: {
    status: 409,
    code: 19040,
    text: 'The account has the maximum number of webhook endpoints.',
    advice: 'Delete an endpoint that you no longer need; one endpoint can receive events of several types.',
  },
  endpoint_disabled: {
    status: 409,
    code: 19041,
    text: 'The webhook endpoint is disabled or deleted.',
    advice:
      'Enable the endpoint and resend the delivery. A deleted endpoint receives nothing: fetch the event from the feed instead.',
  },
  too_many_api_keys: {
    status: 409,
    code: 19042,
    text: 'The account has the maximum number of active API keys.',
    advice: 'Revoke a key that you no longer need. A revoked key does not count.',
  },
  too_many_accounts: {
    status: 409,
    code: 19048,
    text: 'The installation has the maximum number of accounts.',
    advice: 'An account is never removed. Rename one that is no longer used, or start another installation.',
  },
  user_exists: {
    status: 409,
    code: 19044,
    text: 'Another user has this e-mail address.',
    advice: 'List the members of the account. To change the role of one, update the member.',
  },
  too_many_users: {
    status: 409,
    code: 19045,
    text: 'The account, or the installation, has the maximum number of users.',
    advice: 'Remove members who no longer need to sign in, and invitations that nobody has accepted.',
  },
  last_owner: {
    status: 409,
    code: 19046,
    text: 'The account would have no owner left.',
    advice: 'Make another member an owner first.',
  },
  member_elsewhere: {
    status: 409,
    code: 19047,
    text: 'The member has more than the role on this account.',
    advice:
      'The link would lead to another account, or to the whole installation, too. The operator of the service makes one with `opentill users reset`.',
  },
  no_credentials_key: {
    status: 409,
    code: 19043,
    text: 'The setting CREDENTIALS_KEY, under which credentials are encrypted, is not set.',
    advice:
      'The operator of the service sets `CREDENTIALS_KEY`, which `openssl rand -base64 32` makes, and restarts the service.',
  },
  version_stale: {
    status: 412,
    code: 19030,
    text: 'It has changed since the version that the request names.',
    advice:
      'Fetch it, review its changes, and send the request again with the new ETag in `If-Match`. `If-None-Match: *` asks that there be none yet.',
  },
  key_reused: {
    status: 422,
    code: 19031,
    text: 'The idempotency key was used with another request body.',
    advice:
      'An idempotency key belongs to one request. Use a new key for a new request, and repeat a request with exactly the same body.',
  },
  rate_limited: {
    status: 429,
    code: 110,
    text: 'Too many requests; see the Retry-After header.',
    advice: 'Wait for the seconds in `Retry-After`, then send the request again.',
  },
  internal: {
    status: 500,
    code: 101,
    text: 'The service failed to process the request.',
    advice:
      'Repeat the request with the same idempotency key after a moment. If it keeps failing, give the `request_id` to the operator of the service.',
  },
  unavailable: {
    status: 503,
    code: 101,
    text: 'The service is temporarily unavailable.',
    advice: 'Repeat the request with the same idempotency key after the seconds in `Retry-After`.',
  },
} as const satisfies Record<RefusalReason, Row> & Record<string, Row>;

export type ErrorReason = keyof typeof errorTable;
