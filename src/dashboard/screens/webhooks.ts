/** Webhooks: endpoints with their health, and deliveries to them and to the addresses of sessions. */
import { type Html, html } from '../../lib/html.ts';
import type { representResend } from '../../webhooks/representation.ts';
import type { Mistake } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { type Choices, type Form, field, formOf, hidden, onceField, onceIn, otherMistakes } from '../form.ts';
import { dayFilters, type Filter, filterForm, hereIn, pager, queryOf } from '../listing.ts';
import { type Outcome, refused } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import type { Declare, Visit } from '../screen.ts';
import { table } from '../table.ts';
import { timeIn } from '../texts.ts';
import { attemptsOf, type Delivery, deliveryState, type Endpoint, endpointState } from '../webhook-texts.ts';

type Resend = ReturnType<typeof representResend>;

const path = '/:account/:mode/webhooks';
const current = 'webhooks';

/** As many as an account and mode can have. */
const ALL_ENDPOINTS = '/v3/webhook_endpoint?limit=100';
/** Before all deliveries. */
const BEGINNING = '2000-01-01';

const filtersFor = (endpoints: readonly Endpoint[]): readonly Filter[] => [
  {
    name: 'status',
    label: 'State',
    choices: [
      ['', 'Any'],
      ['failed', 'Failed'],
      ['pending', 'Pending'],
      ['delivered', 'Delivered'],
    ],
  },
  { name: 'endpoint', label: 'Endpoint', choices: choicesOf(endpoints) },
  { name: 'checkout', label: 'Session', maxlength: 50 },
  { name: 'event', label: 'Event', maxlength: 50 },
  ...dayFilters,
];

const choicesOf = (endpoints: readonly Endpoint[]): Choices => [
  ['', 'Any'],
  ...endpoints.map(({ id, url }) => [id, url] as const),
];

/** The field of a form in the list of deliveries that leads back to it. */
const LIST = 'list';

/** The way back to the list of deliveries that a form was sent from; undefined for a form elsewhere. */
export function listBehind({ [LIST]: list }: Form): string | undefined {
  if (list === undefined) return undefined;
  return `webhooks${hereIn(formOf(Object.fromEntries(new URLSearchParams(list))), filtersFor([]))}`;
}

export function webhookScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const hereOf = ({ place }: Visit) => `${basePath}${pathIn(place.tenant, 'webhooks')}`;

  async function screen(visit: Visit, form: Form = {}, wrong: readonly Mistake[] = []): Promise<Outcome> {
    const { api, place, query } = visit;
    const known = await api.get<readonly Endpoint[]>(ALL_ENDPOINTS);
    if (!known.ok) return refused(known.status, known.mistakes);
    const { data: endpoints } = known;
    const filters = filtersFor(endpoints);
    const answer = await api.get<readonly Delivery[]>(`/v3/webhook_delivery${queryOf(filters, query)}`);
    if (!answer.ok && answer.status !== 400) return refused(answer.status, answer.mistakes);
    const mistakes = answer.ok ? [] : answer.mistakes;
    return {
      status: mistakes.length + wrong.length > 0 ? 422 : 200,
      title: 'Webhooks',
      current,
      main: html`${place.may('WEBHOOK_ENDPOINT.LIST') && endpointsIn(visit, endpoints)}
<section><h2>Deliveries</h2>
${filterForm(filters, query, { action: hereOf(visit), mistakes })}
${answer.ok && deliveriesIn(visit, answer.data)}
${answer.ok && pager(filters, query, { action: hereOf(visit), nextCursor: answer.nextCursor })}</section>
${place.may('WEBHOOK_DELIVERY.RESEND_FAILED') && resendForm(visit, { endpoints, form, mistakes: wrong })}`,
    };
  }

  function endpointsIn(visit: Visit, endpoints: readonly Endpoint[]): Html {
    const here = hereOf(visit);
    const rows = endpoints.map((each) => [
      html`<a href="${here}/endpoints/${each.id}">${each.url}</a>${each.description && html`<br>${each.description}`}`,
      endpointState(each),
      each.events.join(', '),
      each.health.last_error || '–',
      timeIn(each.health.next_probe_at),
    ]);
    const none = 'There is no endpoint yet. It is told of the events of all sessions.';
    return html`<section><h2>Endpoints</h2>
${table('Endpoints', ['Address', 'State', 'Events', 'Last error', 'Next probe'], rows, none)}
${visit.place.may('WEBHOOK_ENDPOINT.CREATE') && html`<p><a class="button" href="${here}/new-endpoint">Add an endpoint</a></p>`}</section>`;
  }

  function deliveriesIn(visit: Visit, deliveries: readonly Delivery[]): Html {
    const here = hereOf(visit);
    const mayResend = visit.place.may('WEBHOOK_DELIVERY.RESEND');
    const listed = hereIn(visit.query, filtersFor([]));
    const resend = ({ id }: Delivery) =>
      html`<form method="post" action="${here}/deliveries/${id}/resend">${tokenField(visit.visitor)}${onceField()}${hidden(LIST, listed)}<button class="quiet">Resend</button></form>`;
    const rows = deliveries.map((each) => [
      html`<a href="${here}/deliveries/${each.id}">${timeIn(each.created_at)}</a>`,
      html`<div class="row">${deliveryState(each)}${mayResend && each.status === 'failed' && resend(each)}</div>`,
      each.event_type,
      attemptsOf(each),
      each.url || 'a deleted endpoint',
    ]);
    return table(
      'Deliveries',
      ['Created', 'State', 'Event', 'Attempts', 'Receiver'],
      rows,
      'There is no such delivery.',
    );
  }

  type Sent = {
    readonly endpoints: readonly Endpoint[];
    readonly form: Form;
    readonly mistakes: readonly Mistake[];
  };

  function resendForm(visit: Visit, { endpoints, form, mistakes }: Sent): Html {
    return html`<section><h2>Resend what has failed</h2>
<p>All failed deliveries go out again, the oldest first, but for those to endpoints that are disabled or deleted.</p>
${otherMistakes(mistakes, ['since'])}
<form method="post" action="${hereOf(visit)}/resend${hereIn(visit.query, filtersFor([]))}">${tokenField(visit.visitor)}${onceField()}
${field({ name: 'since', label: 'Created since', type: 'date', value: form.since, hint: 'A day in UTC. Without one, all that are kept.' }, mistakes)}
${field({ name: 'to', label: 'To', choices: choicesOf(endpoints), value: form.to })}
<button>Resend them</button>
</form></section>`;
  }

  declare({ method: 'GET', path, needs: { operation: 'WEBHOOK_DELIVERY.LIST' } }, (visit) => screen(visit));

  declare(
    { method: 'POST', path: `${path}/resend`, needs: { operation: 'WEBHOOK_DELIVERY.RESEND_FAILED' } },
    async (visit) => {
      const { api, form, place } = visit;
      const { since = '', to = '', after = '' } = form;
      const body = { since: `${since || BEGINNING}T00:00:00Z`, endpoint: to, after };
      const answer = await api.send<Resend>('POST', '/v3/webhook_delivery/resend', body, onceIn(form));
      if (!answer.ok) return screen(visit, form, answer.mistakes);
      const { resent, has_more: hasMore, next_cursor: cursor } = answer.data;
      if (hasMore)
        return {
          title: 'There are more',
          current,
          main: html`<p>${resent} deliveries are sent again so far.</p>
<form method="post" action="${hereOf(visit)}/resend${hereIn(visit.query, filtersFor([]))}">${tokenField(visit.visitor)}${onceField()}
${hidden('since', since)}${hidden('to', to)}${hidden('after', cursor ?? '')}
<button>Resend the next ones</button>
</form>`,
        };
      const done = resent > 0 ? 'deliveries-resent' : 'nothing-resent';
      return { goTo: wayIn(place.tenant, `webhooks${hereIn(visit.query, filtersFor([]))}`), done };
    },
  );
}
