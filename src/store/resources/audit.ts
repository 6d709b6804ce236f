/** The log of changes. */
import type { TenantTime } from '../../checkout/tenant.ts';
import { newId } from '../../lib/id.ts';
import { rowOf } from '../writes.ts';

export type Audit = {
  /** Id of what changed, and its version after the change (0 where it has none). */
  readonly subject: string;
  readonly version: number;
  readonly at: TenantTime;
  /** Id of the API key, or `payer`, `time`, `rail`, `operator`. */
  readonly actor: string;
  readonly action: string;
  readonly requestId: string;
};

/** The id is for PostgreSQL: a line may say the same as another one, and a row without a key cannot be moved to another node. */
export const writeAudit = rowOf('audit', (audit: Audit) => ({ ...audit, id: newId('aud', audit.at) }));
