import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { LiveUpdates } from '../events/live-updates.ts';
import type { Rail } from '../methods/method.ts';
import type { Store } from '../store/store.ts';
import type { RailAlert } from '../writer/rails.ts';
import type { Execute } from '../writer/writer.ts';

/** Dependencies of the payer's pages; `main.ts` puts them together. */
export type PageDependencies = {
  /** The address under which payers reach the service, without a trailing slash. */
  readonly checkoutUrl: string;
  readonly store: Store;
  readonly execute: Execute;
  readonly rails: readonly Rail[];
  readonly onAlert: RailAlert;
  readonly onSilence: RailAlert;
  readonly live: LiveUpdates;
  /** Time after which a reader is told that the document is being made; most take a part of it. */
  readonly documentWaitMs: number;
  /** The time in the clock of the tenant, in milliseconds. */
  readonly now: (tenant: Tenant) => Promise<TenantTime>;
};
