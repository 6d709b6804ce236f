/** An entry of the log of requests, as the API shows it. */
import type { LoggedError, RequestEntry } from '../accounts/request-log.ts';
import { timestamp } from '../checkout/representation.ts';
import { errorTable } from './error-table.ts';

export function representRequest({
  id,
  at,
  requestId,
  actor,
  method,
  path,
  operation,
  subject,
  status,
  errors,
  durationMs,
  idempotency,
  leftOut,
}: RequestEntry) {
  return {
    id,
    object: 'request',
    created_at: timestamp(at),
    request_id: requestId,
    actor,
    method,
    path,
    operation,
    subject,
    status,
    errors: errors.map(representError),
    duration_ms: durationMs,
    idempotency,
    left_out: leftOut,
  };
}

const texts: Readonly<Record<string, { readonly text: string }>> = errorTable;

/** In the words of the table, and not in those of the answer, which may have what the client has written. */
function representError({ code, reason, field }: LoggedError) {
  return { code, message: texts[reason]?.text ?? reason, remarks: field };
}
