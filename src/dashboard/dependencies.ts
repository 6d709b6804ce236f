import type { AskOwn } from '../http/in-process.ts';
import type { RateLimiter } from '../lib/rate-limit.ts';
import type { RealTime } from '../lib/time.ts';
import type { Store } from '../store/store.ts';
import type { Passwords } from '../users/passwords.ts';
import type { Rights } from '../users/roles.ts';
import type { Execute } from '../writer/writer.ts';
import type { Provider } from './oidc.ts';
import type { Passkeys } from './passkeys.ts';

/** Dependencies of the dashboard; `main.ts` puts them together. */
export type DashboardDependencies = {
  /** The address under which the service is reached, without a trailing slash. */
  readonly publicUrl: string;
  /** Its path: empty unless a proxy puts one in front. */
  readonly basePath: string;
  readonly store: Pick<Store, 'accounts' | 'dashboardUsers' | 'secrets'>;
  readonly execute: Execute;
  /** True where browsers reach the service over HTTP from other machines: they take no cookie of a sign-in then. */
  readonly isPlain: boolean;
  readonly passwords: Passwords;
  /** Null where the service has no name that browsers could bind passkeys to. */
  readonly passkeys: Passkeys | null;
  /** The provider of OpenID Connect, or null. */
  readonly provider: Provider | null;
  readonly realNow: () => RealTime;
  /** Asks the API on behalf of a user. */
  readonly ask: AskOwn;
  /** True if these rights are enough for the operation of the API: `CHECKOUT.EXPIRE`. */
  readonly mayDo: (rights: Rights, operation: string) => boolean;
  /** Requests of an address. */
  readonly addresses: RateLimiter;
};
