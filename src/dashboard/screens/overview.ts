/** Overview: what waits for a person first, then how payments of a period went. */

import { tenantNow } from '../../accounts/account.ts';
import type { representRailCredentials } from '../../accounts/representation.ts';
import type { representOverview } from '../../checkout/overview.ts';
import { type representTotal, timestamp } from '../../checkout/representation.ts';
import { tenantName } from '../../checkout/tenant.ts';
import { type Content, type Html, html } from '../../lib/html.ts';
import { sharedCalls } from '../../lib/shared-calls.ts';
import type { ApiAnswer, Mistake, Told } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { otherMistakes } from '../form.ts';
import { type Outcome, refused } from '../outcome.ts';
import { firstHour } from '../overview/first-hour.ts';
import { type Period, periodNames, periodOf, USUAL_PERIOD } from '../overview/period.ts';
import { intervalsOf } from '../overview/sums.ts';
import { type Lacks, waitingList } from '../overview/waiting.ts';
import { pathIn } from '../place.ts';
import type { Declare, Visit } from '../screen.ts';

type Overview = ReturnType<typeof representOverview>;
type Session = { readonly invoice_currency: string };
type Totals = ReadonlyArray<ReturnType<typeof representTotal>>;

/** Time for which sums of a period are shown again, to whoever may see them. */
const KEPT_MS = 5_000;
/** Currency of an account that has asked nobody for money: it has no sums in any. */
const ANY_CURRENCY = 'EUR';

const TOO_LONG = 'The sums of this period took too long. Choose a shorter one, or try again in a moment.';

export function overviewScreens(declare: Declare, { basePath, realNow }: DashboardDependencies): void {
  // A refusal may be of this moment, or of whoever asked.
  const totals = sharedCalls<ApiAnswer<Totals>>(KEPT_MS, undefined, ({ ok }) => ok);

  declare(
    { method: 'GET', path: '/:account/:mode/overview', needs: { operation: 'OVERVIEW.FETCH' } },
    async (visit) => {
      const { api, place, query } = visit;
      const now = tenantNow(place.account, place.mode, realNow());
      const asked = query.period || USUAL_PERIOD;
      const known = await periodOf(asked, now);
      const period = known ?? (await periodOf(USUAL_PERIOD, now));
      if (period === null) throw new Error('the usual period is none');
      // Nobody has been asked for money where there is no newest session.
      const first = await api.get<readonly Session[]>('/v3/checkout?limit=1');
      if (!first.ok) return refused(first.status, first.mistakes);
      const newest = first.data[0]?.invoice_currency ?? null;
      const currency = (query.currency || newest || ANY_CURRENCY).toUpperCase();
      const times = {
        'created_at[gte]': timestamp(period.from),
        'created_at[lt]': timestamp(period.to),
        currency,
      };
      const ofTimes = new URLSearchParams({ ...times, interval: period.unit });
      const [overview, sums, lacks, nothing] = await Promise.all([
        api.get<Overview>(`/v3/overview?${new URLSearchParams(times)}`),
        totals(`${tenantName(place.tenant)} ${ofTimes}`, () => api.get<Totals>(`/v3/total?${ofTimes}`)),
        lacksOf(visit, newest),
        newest === null ? nothingYet(visit) : null,
      ]);
      if (!overview.ok && overview.status !== 400) return refused(overview.status, overview.mistakes);
      if (!lacks.ok) return refused(lacks.status, lacks.mistakes);
      if (nothing?.ok === false) return refused(nothing.status, nothing.mistakes);
      const mistakes: Mistake[] = overview.ok ? [] : [...overview.mistakes];
      if (known === null) mistakes.push({ message: 'There is no such period.', pointer: '/period' });
      return {
        status: mistakes.length > 0 ? 422 : 200,
        title: 'Overview',
        current: 'overview',
        main: html`${otherMistakes(mistakes)}
${
  overview.ok &&
  html`<section><h2>What needs a person today</h2>
${waitingList({ ...overview.data.waiting, ...lacks.data }, place, basePath)}</section>`
}
${nothing === null ? ways(visit, { period: known === null ? USUAL_PERIOD : asked, currency, overview }) : nothing.data}
${newest !== null && overview.ok && (await sumsOf(period, { currency, overview: overview.data, sums }))}`,
      } satisfies Outcome;
    },
  );

  const nothingYet = async (visit: Visit): Promise<Told<Html>> =>
    visit.place.role === 'owner' ? firstHour(visit, basePath) : { ok: true, data: nobodyAsked };

  type Chosen = {
    readonly period: string;
    readonly currency: string;
    readonly overview: ApiAnswer<Overview>;
  };

  /** Links to other periods and currencies. */
  function ways({ place }: Visit, { period, currency, overview }: Chosen): Html {
    const here = `${basePath}${pathIn(place.tenant, 'overview')}`;
    const way = (name: string, to: { period: string; currency: string }, isCurrent: boolean): Content =>
      html`<a class="chip" href="${here}?${new URLSearchParams(to).toString()}"${isCurrent && html` aria-current="true"`}>${name}</a>`;
    // The one that was chosen is among them, though no session may be in it; where none is known, there is no choice.
    const currencies = overview.ok ? [...new Set([...overview.data.currencies, currency])] : [];
    return html`<nav class="row" aria-label="Period">${periodNames.map(([id, name]) => way(name, { period: id, currency }, id === period))}</nav>
${
  currencies.length > 1 &&
  html`<nav class="row" aria-label="Currency">${currencies.map((each) => way(each, { period, currency: each }, each === currency))}</nav>`
}`;
  }
}

const nobodyAsked = html`<section><h2>Nobody has been asked for money yet</h2><p>Sums appear here with the first session.</p></section>`;

type Found = { readonly currency: string; readonly overview: Overview; readonly sums: ApiAnswer<Totals> };

async function sumsOf(period: Period, { currency, overview, sums }: Found): Promise<Html> {
  if (!sums.ok) {
    const words = sums.status === 503 ? TOO_LONG : sums.mistakes.map(({ message }) => message).join(' ');
    return html`<p class="alert">${words}</p>`;
  }
  // Plots are drawn by libraries that no other screen needs.
  const { sections } = await import('../overview/sections.ts');
  return sections({ period, currency, intervals: intervalsOf(period, sums.data), overview });
}

type Offered = { readonly payment_methods: readonly unknown[] };

/** Obstacles that keep payers from paying, as far as the visitor may see it. `currency` is that of their sessions, if there are any. */
async function lacksOf({ api, place }: Visit, currency: string | null): Promise<Told<Lacks>> {
  const [offered, credentials] = await Promise.all([
    currency === null
      ? null
      : api.get<Offered>(`/v3/metadata/collect?${new URLSearchParams({ invoice_currency: currency })}`),
    place.may('RAIL_CREDENTIALS.LIST')
      ? api.get<ReadonlyArray<ReturnType<typeof representRailCredentials>>>('/v3/rail_credentials')
      : null,
  ]);
  if (offered?.ok === false) return offered;
  if (credentials?.ok === false) return credentials;
  const unreadable = credentials?.data.filter(({ encryption_key: key }) => key === 'unknown') ?? [];
  return {
    ok: true,
    data: {
      untaken: offered?.data.payment_methods.length === 0 ? currency : null,
      unreadable_credentials: unreadable.length,
    },
  };
}
