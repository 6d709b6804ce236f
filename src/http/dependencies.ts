import type { Serializer } from '../checkout/serializer.ts';
import type { RetentionDays } from '../config/retention-days.ts';
import type { RealTime } from '../lib/time.ts';
import type { Vault } from '../methods/credentials.ts';
import type { PageDependencies } from '../pages/dependencies.ts';
import type { NetworkRules } from '../webhooks/guard.ts';
import type { Worker } from '../worker/worker.ts';
import type { Backlog } from '../writer/backlog.ts';

/** Dependencies of the API's routes, and of the pages that the same server serves; `main.ts` puts them together. */
export type Dependencies = PageDependencies & {
  readonly publicUrl: string;
  readonly serializer: Serializer;
  /** Real time in milliseconds. */
  readonly realNow: () => RealTime;
  /** Seals the credentials that accounts have of their own at rails. */
  readonly vault: Vault;
  readonly worker: Worker;
  readonly backlog: Backlog;
  readonly retention: RetentionDays;
  /** Networks to which webhooks may be sent. */
  readonly networkRules: NetworkRules;
};
