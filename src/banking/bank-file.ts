/** Files exchanged with a bank: statements, and files of payments. */

import type { JsonObject } from '../checkout/session.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import type { Id } from '../lib/id.ts';

/**
 * `statement`: read from a bank; `ingesting`: a statement whose entries are still being stored, which reserves its id;
 * `payments`: refunds for a bank to carry out.
 */
export type BankFileKind = 'statement' | 'ingesting' | 'payments';

export type BankFileId = Id<'bfl'>;

export type BankFile = {
  readonly id: BankFileId;
  readonly kind: BankFileKind;
  readonly createdAt: TenantTime;
  /** Hexadecimal SHA-256 of the content; a statement uploaded twice is stored once. */
  readonly hash: string;
  /** Summary of the file: counts, the account, the refunds in it. */
  readonly data: JsonObject;
  /** Content of a file made here, as text; empty for a file that was read, and in lists. */
  readonly content: string;
};
