/** Requests about the log of changes, and filters that it has in common with the log of requests. */
import { type Static, Type } from '../../lib/json-schema.ts';
import { pageQuery } from './checkout.ts';
import { text, timestamp } from './fields.ts';

export const logFilters = {
  request_id: Type.Optional(text(64, 'Only entries of the request with this id.', 'req_1x2y3z0001')),
  subject: Type.Optional(
    text(128, 'Only entries about what has this id, such as a session or a receiving account.', 'eur'),
  ),
  actor: Type.Optional(
    text(
      128,
      'Only entries by this API key or user; changes also by `payer`, `time`, `rail` or `operator`.',
      'ak_test_5x8m2kq07vw3cd9r',
    ),
  ),
  'created_at[gte]': Type.Optional(timestamp('Only entries at this time or later.')),
  'created_at[lt]': Type.Optional(timestamp('Only entries before this time.')),
};

export const auditQuery = Type.Object(
  {
    ...pageQuery('aud'),
    ...logFilters,
    action: Type.Optional(text(64, 'Only changes of this kind.', 'set_receiving_account')),
  },
  { additionalProperties: false },
);
export type AuditQuery = Static<typeof auditQuery>;
