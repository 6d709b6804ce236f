/** Requests about the log of changes. */
import { type Static, Type } from '../../lib/json-schema.ts';
import { pageQuery } from './checkout.ts';
import { text, timestamp } from './fields.ts';

export const auditQuery = Type.Object(
  {
    ...pageQuery('aud'),
    subject: Type.Optional(
      text(128, 'Only changes of what has this id, such as a session or a receiving account.', 'eur'),
    ),
    actor: Type.Optional(
      text(
        128,
        'Only changes by this API key, or by `payer`, `time`, `rail` or `operator`.',
        'ak_test_5x8m2kq07vw3cd9r',
      ),
    ),
    action: Type.Optional(text(64, 'Only changes of this kind.', 'set_receiving_account')),
    'created_at[gte]': Type.Optional(timestamp('Only changes at this time or later.')),
    'created_at[lt]': Type.Optional(timestamp('Only changes before this time.')),
  },
  { additionalProperties: false },
);
export type AuditQuery = Static<typeof auditQuery>;
