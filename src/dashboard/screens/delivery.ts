/** A delivery: the event that was sent, and what the receiver answered each time. */
import { type Html, html } from '../../lib/html.ts';
import type { representDeliveryAttempt } from '../../webhooks/representation.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { onceField, onceIn } from '../form.ts';
import { refused } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import type { Declare, Visit } from '../screen.ts';
import { factsOf, timeIn } from '../texts.ts';
import { type Delivery, deliveryState, stateOf } from '../webhook-texts.ts';
import { listBehind } from './webhooks.ts';

type Attempt = ReturnType<typeof representDeliveryAttempt>;
type DeliveryWithLog = Delivery & { readonly attempt_log: readonly Attempt[] };

const path = '/:account/:mode/webhooks/deliveries/:id';
const current = 'webhooks';

const addressOf = ({ params }: Pick<Visit, 'params'>) =>
  `/v3/webhook_delivery/${encodeURIComponent(params.id ?? '')}`;

export function deliveryScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  declare({ method: 'GET', path, needs: { operation: 'WEBHOOK_DELIVERY.FETCH' } }, async (visit) => {
    const { api, place, visitor } = visit;
    const answer = await api.get<DeliveryWithLog>(addressOf(visit));
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    const { data: delivery } = answer;
    const event = await api.get<object>(`/v3/event/${delivery.event}`);
    if (!event.ok && event.status !== 404) return refused(event.status, event.mistakes);
    const here = `${basePath}${pathIn(place.tenant, 'webhooks')}`;
    const toEndpoint = html`<a href="${here}/endpoints/${delivery.endpoint}">${delivery.url || 'a deleted endpoint'}</a>`;
    const toSession = html`<a href="${basePath}${pathIn(place.tenant, `sessions/${delivery.checkout}`)}">${delivery.checkout}</a>`;
    const mayResend = place.may('WEBHOOK_DELIVERY.RESEND') && delivery.status !== 'pending';
    return {
      title: `Delivery of ${delivery.event_type}`,
      current,
      main: html`<section><h2>Delivery</h2>
${factsOf([
  ['State', deliveryState(delivery)],
  ['Id', html`<code>${delivery.id}</code>`],
  ['Created', timeIn(delivery.created_at)],
  ['Receiver', delivery.endpoint && delivery.url ? toEndpoint : delivery.url || 'a deleted endpoint'],
  ['Health of the receiver', delivery.receiver_status],
  ['Session', delivery.checkout ? toSession : '–'],
  ['Next attempt', timeIn(delivery.next_attempt_at)],
])}
${
  mayResend &&
  html`<form method="post" action="${here}/deliveries/${delivery.id}/resend">${tokenField(visitor)}${onceField()}
<button>Resend</button></form>`
}</section>
<section><h2>Attempts</h2>
${delivery.attempt_log.length === 0 ? html`<p>None was made yet.</p>` : delivery.attempt_log.toReversed().map(attemptIn)}</section>
<section><h2>What is sent</h2>
<p>Event <code>${delivery.event}</code></p>
${event.ok ? html`<pre tabindex="0">${JSON.stringify(event.data, null, 2)}</pre>` : html`<p>The event is no longer kept.</p>`}</section>`,
    };
  });

  declare(
    { method: 'POST', path: `${path}/resend`, needs: { operation: 'WEBHOOK_DELIVERY.RESEND' } },
    async (visit) => {
      const { api, form, params, place } = visit;
      const answer = await api.send('POST', `${addressOf(visit)}/resend`, undefined, onceIn(form));
      if (!answer.ok) return refused(answer.status, answer.mistakes);
      const screen = listBehind(form) ?? `webhooks/deliveries/${encodeURIComponent(params.id ?? '')}`;
      return { goTo: wayIn(place.tenant, screen), done: 'delivery-resent' };
    },
  );
}

function attemptIn({ number, created_at: at, http_status: status, ...attempt }: Attempt): Html {
  const isGood = attempt.error === '';
  return html`<article><h3>${number}. ${timeIn(at)} ${stateOf(isGood ? `status ${status}` : attempt.error, isGood ? 'good' : 'bad')}</h3>
<p class="hint">${attempt.duration_ms} ms</p>
${attempt.answer === '' ? html`<p class="hint">The answer had no text.</p>` : html`<pre tabindex="0">${attempt.answer}</pre>`}</article>
`;
}
