/** The log of changes of an account and mode: who made which change. */
import type { TenantTime } from '../checkout/tenant.ts';

export type AuditEntry = {
  readonly id: string;
  /** Id of what changed, and its version after the change (0 where it has none). */
  readonly subject: string;
  readonly version: number;
  readonly at: TenantTime;
  /** Id of the API key, or `payer`, `time`, `rail`, `operator`. */
  readonly actor: string;
  readonly action: string;
  readonly requestId: string;
};
