/** Messages of payment providers that have led to nothing: those that wait for a person, and those that are looked at again. */
import type { representWaitingEvent } from '../../http/waiting-event-representation.ts';
import { type Html, html } from '../../lib/html.ts';
import type { WaitReason } from '../../methods/provider-event.ts';
import { mistakesOf } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { onceField, onceIn } from '../form.ts';
import { type Filter, filterForm, hereIn, pager, queryOf } from '../listing.ts';
import { refused } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import { subjectLink } from '../request-texts.ts';
import type { Declare, Visit } from '../screen.ts';
import { table } from '../table.ts';
import { timeIn } from '../texts.ts';

type WaitingEvent = ReturnType<typeof representWaitingEvent>;

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Show',
    choices: [
      ['open', 'waits for a person'],
      ['waiting', 'is looked at again'],
    ],
  },
];

const columns = [
  'Received',
  'Rail',
  'Kind',
  'Id at the rail',
  'Why it waits',
  'About',
  { name: 'Looked at', isNumber: true },
  'Again at',
] as const;

export function providerEventScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  declare(
    { method: 'GET', path: '/:account/:mode/provider-events', needs: { operation: 'PROVIDER_EVENT.LIST' } },
    async (visit) => {
      const { api, place, query } = visit;
      const found = await api.get<WaitingEvent[]>(`/v3/provider_event${queryOf(filters, query)}`);
      if (!found.ok && found.status !== 400) return refused(found.status, found.mistakes);
      const action = `${basePath}${pathIn(place.tenant, 'provider-events')}`;
      const isWaiting = query.status === 'waiting';
      const mayRetry = place.may('PROVIDER_EVENT.RETRY');
      const isFirst = query.after === undefined;
      const none = !isFirst
        ? 'No provider event is left on this page.'
        : isWaiting
          ? 'No provider event is looked at again: all have led to a session, or wait for a person.'
          : 'No provider event waits for a person. One comes here when nothing has been found for it in three days.';
      const rowOf = (event: WaitingEvent) => [
        timeIn(event.created_at),
        event.rail,
        event.type === '' ? '–' : html`<code>${event.type}</code>`,
        html`<code>${event.reference}</code>`,
        reasonIn(event),
        event.checkout === null ? referencesOf(event) : subjectLink(event.checkout, { place, basePath }),
        String(event.tries),
        timeIn(event.next_try_at),
        ...(mayRetry ? [retryForm(visit, event, action)] : []),
      ];
      const shown = mayRetry ? [...columns, ''] : columns;
      return {
        status: found.ok ? 200 : 422,
        title: 'Provider events',
        current: 'overview',
        main: html`<p class="hint">Each event is looked at nine times in three days. Once the cause is mended, have it looked at again. If there is none, look for its id in the dashboard of the provider: a payment that no session has was made by something else with the same keys there. Nothing is booked without a session.</p>
${filterForm(filters, query, { action, mistakes: mistakesOf(found), button: 'Show' })}
<section id="found" data-live>${found.ok && table('Provider events', shown, found.data.map(rowOf), none)}</section>
${found.ok && pager(filters, query, { action, nextCursor: found.nextCursor })}`,
      };
    },
  );

  declare(
    {
      method: 'POST',
      path: '/:account/:mode/provider-events/:id/retry',
      needs: { operation: 'PROVIDER_EVENT.RETRY' },
    },
    async ({ api, form, params, place, query }) => {
      const path = `/v3/provider_event/${encodeURIComponent(params.id ?? '')}/retry`;
      const answer = await api.send('POST', path, undefined, onceIn(form));
      // It has led to a session since the visitor saw the list, which is still the place to go to.
      const isGone = !answer.ok && answer.status === 404;
      if (!answer.ok && !isGone) return refused(answer.status, answer.mistakes);
      const here = hereIn(query, filters);
      const done = isGone ? 'provider-event-gone' : 'provider-event-retried';
      return { goTo: wayIn(place.tenant, `provider-events${here}`), done };
    },
  );
}

const retryForm = ({ query, visitor }: Visit, { id, reference }: WaitingEvent, action: string): Html =>
  html`<form method="post" action="${action}/${id}/retry${hereIn(query, filters)}">${tokenField(visitor)}${onceField()}
<button class="quiet" aria-label="Look again: ${reference}">Look again</button></form>`;

/** Why the last look came to nothing. */
const reasons: Readonly<Record<WaitReason, string>> = {
  no_session: 'No session had its payment.',
  no_answer: 'The rail did not answer, or was not asked.',
  key_refused: 'The rail refused the key, or there was none.',
  request_refused: 'The rail refused to tell of the payment. Its key may be of another account there.',
  answer_unclear: 'The answer of the rail did not fit the payment. The log says how.',
};

/** The reason is that of the last look, and the session that of now. */
function reasonIn({ reason, checkout }: WaitingEvent): string {
  if (reason === null) return 'It was not looked at yet.';
  return reason === 'no_session' && checkout !== null
    ? 'No session had its payment then. One has it now.'
    : reasons[reason];
}

const referencesOf = ({ attempt_reference: attempt, payment_reference: payment }: WaitingEvent): Html =>
  html`${[...new Set([attempt, payment])].map((each) => each !== null && html`<code>${each}</code> `)}`;
