/** An API key and what it may do. */
import type { Tenant } from '../checkout/tenant.ts';

export const allPermissions: readonly Permission[] = ['read', 'write', 'refund', 'webhooks'];

/** What an API key may do. */
export type Permission = 'read' | 'write' | 'refund' | 'webhooks';

export type ApiKey = {
  readonly id: string;
  readonly tenant: Tenant;
  /** Hexadecimal SHA-256 of the secret. */
  readonly secretHash: string;
  readonly permissions: readonly Permission[];
  readonly name: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
};
