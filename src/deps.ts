import type { Scope } from './checkout/session.ts';
import type { LiveUpdates } from './live.ts';
import type { Rail } from './methods/method.ts';
import type { Presenter } from './presenter.ts';
import type { RailAlert } from './rails.ts';
import type { Store } from './store/store.ts';
import type { Transact } from './transact.ts';
import type { NetworkRules } from './webhooks/guard.ts';
import type { Worker } from './worker/worker.ts';

/** What the routes work with; `main.ts` puts it together. */
export type Deps = {
  readonly publicUrl: string;
  readonly checkoutUrl: string;
  readonly store: Store;
  readonly transact: Transact;
  readonly presenter: Presenter;
  readonly rails: readonly Rail[];
  readonly onAlert: RailAlert;
  readonly onSilence: RailAlert;
  readonly worker: Worker;
  readonly live: LiveUpdates;
  /** Where webhooks may go. */
  readonly networkRules: NetworkRules;
  /** The time in the clock of this account and mode, in milliseconds. */
  readonly now: (scope: Scope) => Promise<number>;
};
