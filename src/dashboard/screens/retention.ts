/** Retention: the days that are set, and the numbers of rows that other settings would remove. */
import { MOST_REQUESTS, REQUEST_LOG_DAYS } from '../../accounts/request-log.ts';
import { retentionDays } from '../../config/retention-days.ts';
import { html } from '../../lib/html.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { type Filter, filterForm, queryOf } from '../listing.ts';
import { refused, refusedAs } from '../outcome.ts';
import { pathIn } from '../place.ts';
import type { Declare } from '../screen.ts';
import { factsOf } from '../texts.ts';

type Retention = {
  readonly webhook_log_days: number;
  readonly event_retention_days: number;
  readonly removable_deliveries: number;
  readonly removable_events: number;
};

const filters: readonly Filter[] = [
  {
    name: 'webhook_log_days',
    label: 'Days of deliveries',
    inputmode: 'numeric',
    hint: `From ${retentionDays.deliveries.least} to ${retentionDays.deliveries.most}.`,
  },
  {
    name: 'event_retention_days',
    label: 'Days of events',
    inputmode: 'numeric',
    hint: '0 keeps them for ever.',
  },
];

const numbers = new Intl.NumberFormat('en');

export function retentionScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  declare(
    { method: 'GET', path: '/:account/:mode/settings/retention', needs: { operation: 'RETENTION.FETCH' } },
    async ({ api, place, query }) => {
      const now = await api.get<Retention>('/v3/retention');
      if (!now.ok) return refused(now.status, now.mistakes);
      const asked = queryOf(filters, query);
      const then = asked === '' ? null : await api.get<Retention>(`/v3/retention${asked}`);
      const tookTooLong = then?.ok === false && then.status === 503;
      if (then?.ok === false && then.status !== 400 && !tookTooLong)
        return refused(then.status, then.mistakes);
      const { webhook_log_days: deliveryDays, event_retention_days: eventDays } = now.data;
      return {
        status: then?.ok === false ? refusedAs(then.status) : 200,
        title: 'What is kept',
        current: 'settings',
        main: html`<section><h2>For how long</h2>
${factsOf([
  ['Webhook deliveries, and what receivers answered', `${deliveryDays} days`],
  ['Requests', `${REQUEST_LOG_DAYS} days, the newest ${numbers.format(MOST_REQUESTS)}`],
  ['Events and history', eventDays === 0 ? 'for ever' : `${eventDays} days`],
  ['Sessions, payments, refunds, bank entries, people', 'for ever; personal data until somebody erases it'],
])}
<p>The operator of the service sets it by <code>WEBHOOK_LOG_DAYS</code> and <code>EVENT_RETENTION_DAYS</code>, for all accounts.</p></section>
<section><h2>Try other settings</h2>
<p>Nothing is removed here: it only counts what would be.</p>
${filterForm(
  filters,
  { webhook_log_days: String(deliveryDays), event_retention_days: String(eventDays), ...query },
  {
    action: `${basePath}${pathIn(place.tenant, 'settings/retention')}`,
    mistakes: then?.ok === false && !tookTooLong ? then.mistakes : [],
    button: 'Count',
  },
)}
${tookTooLong && html`<p class="alert">There is so much that counting took too long. Try it again when the service has less to do.</p>`}
${
  then?.ok &&
  factsOf([
    ['Deliveries that would be removed at once', numbers.format(then.data.removable_deliveries)],
    ['Events that would be removed at once', numbers.format(then.data.removable_events)],
  ])
}</section>`,
      };
    },
  );
}
