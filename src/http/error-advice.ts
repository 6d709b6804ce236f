/** What a client should do about each failure; the other half of the reference of errors. */
import type { ErrorReason } from './errors.ts';

export const errorAdvice: Readonly<Record<ErrorReason, string>> = {
  bad_json:
    'Send the body as JSON in UTF-8 (RFC 8259). This is a mistake in the program that makes the request; repeating it does not help.',
  bad_path: 'Check how the address is put together: it has a character that must be percent-encoded.',
  bad_query: 'The remarks name the parameter. Check its spelling against the reference of the operation.',
  bad_id:
    'Use the id as the service gave it, such as chk_… for a session. An empty or shortened id is the usual cause.',
  bad_metadata:
    'Send an object with at most 50 top-level keys, 16 KiB as JSON and 8 levels of nesting. On an update these bounds hold for the merged result.',
  field_invalid:
    'All fields that are wrong are listed, each with a JSON pointer in the remarks. Correct them and send the request again.',
  no_credentials: 'Send the API key and its secret with HTTP Basic, or the secret alone as a bearer token.',
  wrong_credentials:
    'Check that key and secret belong together and are sent unchanged. If the key was revoked, ask whoever runs the service for a new one.',
  scope_missing:
    'Use a key with the permission that the message names. Test helpers need a key of test mode.',
  not_found:
    'Check the id, and that the key belongs to the account and the mode (test or live) in which it was made: data of others does not exist for a key.',
  method_not_allowed: 'Use one of the methods that the Allow header lists.',
  not_acceptable:
    'Leave the Accept header out, or let it allow application/json. For problem documents it must name application/problem+json.',
  too_large: 'A body may have 256 KiB. Send less; metadata is rarely the place for whole documents.',
  unsupported_media_type: 'Send the header Content-Type: application/json.',
  not_expirable: 'Fetch the session: it is completed or expired already, so there is nothing left to expire.',
  payment_in_progress:
    'Wait for the webhook that tells how the payment ended, or fetch the session until no attempt is processing or unknown. Then try again.',
  not_updatable:
    'Items can change only while the session is active and nothing is paid. Metadata can change at any time. For another amount create a new session.',
  not_payable:
    'The message says why: the session is over, has no amount yet, or has had too many attempts. Create a new session, or update this one with items.',
  payment_booked_elsewhere:
    'The rail’s id of this payment is already booked for another session. Use the id that belongs to this payment.',
  not_refundable:
    'Fetch the payin: it lists what was paid for each attempt, and the refunds that are pending or done. Ask for no more than is left.',
  refund_settled:
    'Fetch the refund to see how it stands. Only one by bank transfer that is pending can be settled by hand.',
  entry_settled:
    'Fetch the entry to see what was done with it. What is booked stays booked; give money back with a refund.',
  nothing_to_pay:
    'All refunds by bank transfer are in a file already, or wait for an account number. The list of entries and refunds shows which.',
  bad_statement:
    'The message says where in the file and why; nothing of it was taken in. Download the statement from the bank again, or correct the mapping of its columns.',
  bad_signature:
    'Check the signing secret of the provider’s webhook in the settings. Only the provider calls this address.',
  customer_exists: 'List the customers with this e-mail address and use or update the one that is found.',
  cursor_expired:
    'Begin anew without after: the feed then starts with the oldest event that is kept. What happened in between can be seen in the sessions themselves.',
  too_many_endpoints:
    'Delete an endpoint that is not needed any more; one endpoint can get events of several types.',
  endpoint_disabled:
    'Switch the endpoint on, and send the delivery again. One that was deleted gets nothing any more: fetch the event from the feed instead.',
  version_stale:
    'Fetch the session, look at what has changed, and send the request again with the new ETag in If-Match.',
  key_reused:
    'An idempotency key belongs to one request. Take a new key for a new request, and repeat an old one with exactly the same body.',
  rate_limited: 'Wait for the seconds that Retry-After names, then send the request again.',
  internal:
    'Repeat the request with the same idempotency key after a moment. If it keeps failing, give the request_id to whoever runs the service.',
  unavailable: 'Repeat the request with the same idempotency key after the seconds that Retry-After names.',
};
