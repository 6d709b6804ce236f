/** A session: what is known of it, and what can be done with it. */
import { type Html, html } from '../../lib/html.ts';
import type { representResend } from '../../webhooks/representation.ts';
import { actorsOf } from '../actors.ts';
import type { ApiAnswer, ApiRefusal, Mistake } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { hidden, mistake, onceField, onceIn, otherMistakes, second } from '../form.ts';
import { bookedOf, type Movement, waysTo } from '../money/view.ts';
import { type Outcome, refused } from '../outcome.ts';
import { type Place, pathIn, wayIn } from '../place.ts';
import { STALE } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { conditionIn, versionField } from '../seen.ts';
import { deliveriesOf, type History, historyList, historyOf } from '../sessions/history.ts';
import {
  attemptsOf,
  itemsOf,
  type Payin,
  pageOf,
  payerFacts,
  refundableOf,
  returnsOf,
  type Session,
  sessionFacts,
} from '../sessions/view.ts';

const CHANGED: ApiRefusal = {
  ok: false,
  status: 422,
  mistakes: mistake('The session has changed meanwhile: see what it is now. It was not expired.'),
};

/** The id in the path, for an address of the API. */
export const idIn = ({ params }: Visit): string => encodeURIComponent(params.id ?? '');

/** The way to the screen of the session that the path names. */
export const sessionWay = ({ place, params }: Visit): string => wayIn(place.tenant, `sessions/${params.id}`);

export function sessionScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath } = dependencies;
  const root = '/:account/:mode/sessions/:id';

  declare({ method: 'GET', path: root, needs: { operation: 'CHECKOUT.FETCH' } }, (visit) => screen(visit));

  declare(
    { method: 'POST', path: `${root}/expire`, needs: { operation: 'CHECKOUT.EXPIRE' } },
    async (visit) => {
      const { api, form } = visit;
      const path = `/v3/checkout/${idIn(visit)}`;
      const asked = { ...onceIn(form), ...conditionIn(form) };
      const answer = await api.send('POST', `${path}/expire`, undefined, asked);
      if (!answer.ok && answer.status !== STALE) return screen(visit, answer);
      if (!answer.ok) {
        // Somebody may have expired it in another window: what the form asks for is there.
        const now = await api.get<Session>(path);
        if (!now.ok || now.data.status !== 'expired') return screen(visit, CHANGED);
      }
      return { goTo: sessionWay(visit), done: 'session-expired' };
    },
  );

  declare(
    { method: 'POST', path: `${root}/resend`, needs: { operation: 'WEBHOOK_DELIVERY.RESEND_FAILED' } },
    async (visit) => {
      const { api, form, place, visitor } = visit;
      const session = await api.get<Session>(`/v3/checkout/${idIn(visit)}`);
      if (!session.ok) return refused(session.status, session.mistakes);
      const sent = await resendAll(visit, session.data.id);
      if (!sent.ok) return screen(visit, sent);
      if (sent.next !== null)
        return {
          title: 'There are more',
          current: 'sessions',
          main: html`<p>${sent.resent} webhooks are sent again so far.</p>
<form method="post" action="${basePath}${pathIn(place.tenant, `sessions/${session.data.id}`)}/resend">${tokenField(visitor)}${onceField()}${hidden('after', sent.next)}
<button>Send the next ones again</button>
</form>`,
        };
      // One of an endpoint that is disabled stops none of the others, and is refused in the words of the API.
      const left = await deliveriesOf(api, idIn(visit), { status: 'failed', limit: 1 });
      if (!left.ok) return refused(left.status, left.mistakes);
      for (const { id } of left.data) {
        const key = { 'idempotency-key': `${form.once ?? ''}-${id}` };
        const answer = await api.send('POST', `/v3/webhook_delivery/${id}/resend`, undefined, key);
        if (!answer.ok) return screen(visit, answer);
      }
      return { goTo: sessionWay(visit), done: 'webhooks-resent' };
    },
  );

  /** `refusal` is what the API has answered to an action. */
  async function screen(visit: Visit, refusal?: ApiAnswer<unknown>): Promise<Outcome> {
    const { api, place, query } = visit;
    const id = idIn(visit);
    const [answer, payin, booked] = await Promise.all([
      api.get<Session>(`/v3/checkout/${id}`),
      api.get<Payin>(`/v3/payin/${id}`),
      api.get<Movement[]>(
        `/v3/movement?${new URLSearchParams({ payin: visit.params.id ?? '', limit: '100' })}`,
      ),
    ]);
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    if (!payin.ok) return refused(payin.status, payin.mistakes);
    if (!booked.ok) return refused(booked.status, booked.mistakes);
    const history = await historyOf(api, place, id, query.after);
    if (!history.ok) return refused(history.status, history.mistakes);
    const { data: session } = answer;
    const list = `${basePath}${pathIn(place.tenant, 'sessions')}`;
    const path = `${list}/${session.id}`;
    const here = query.after === undefined ? path : `${path}?${new URLSearchParams({ after: query.after })}`;
    const ways = waysTo(place, basePath);
    const actors = await actorsOf(dependencies, place);
    const mistakes: readonly Mistake[] = refusal === undefined || refusal.ok ? [] : refusal.mistakes;
    return {
      ...(refusal === undefined ? {} : { status: refusal.status }),
      title: session.reference_id,
      current: 'sessions',
      main: html`${otherMistakes(mistakes)}
<div class="row"><div class="row" id="actions" data-live="${here}">${actions(visit, session, payin.data, history, path)}</div><div id="ending" data-live>${expiry(visit, answer, path)}</div></div>
<div class="columns"><div id="facts" data-live>${sessionFacts(session)}</div><div class="columns">${payerFacts(session, (screen) => `${basePath}${pathIn(place.tenant, screen)}`)}${pageOf(session)}</div></div>
<div id="items" data-live>${itemsOf(session)}</div>
<div class="parts" id="course" data-live>${attemptsOf(session)}${bookedOf(booked, ways)}${returnsOf(payin.data, ways.refunds)}
<section><h2>History</h2>${historyList(history, { place, actors, basePath })}${
        history.nextCursor !== null && html`<p><a href="${path}?after=${history.nextCursor}">Older</a></p>`
      }</section></div>`,
    };
  }
}

type Resend = ReturnType<typeof representResend>;

/** Before all deliveries. */
const BEGINNING = '2000-01-01T00:00:00Z';
/** Resends one request asks the API for: each is a transaction, and the next ones wait for a person. */
const RESENDS = 4;

/** Sends what has failed of a session again, the oldest first; `next` is where the rest begins, if there is too much. */
async function resendAll(
  { api, form }: Visit,
  checkout: string,
): Promise<ApiRefusal | { readonly ok: true; readonly resent: number; readonly next: string | null }> {
  let resent = 0;
  let next = form.after || null;
  for (let count = 0; count < RESENDS; count++) {
    const body = { since: BEGINNING, checkout, ...(next === null ? {} : { after: next }) };
    const key = { 'idempotency-key': `${form.once ?? ''}-${count}` };
    const answer = await api.send<Resend>('POST', '/v3/webhook_delivery/resend', body, key);
    if (!answer.ok) return answer;
    resent += answer.data.resent;
    next = answer.data.has_more ? answer.data.next_cursor : null;
    if (next === null) break;
  }
  return { ok: true, resent, next };
}

/** Actions that the visitor may take on the session as it is, but for its end. */
function actions(
  { place, visitor }: Visit,
  session: Session,
  payin: Payin,
  { hasFailed }: History,
  path: string,
): Html {
  const isActive = session.status === 'active';
  return html`${isActive && session.amount_paid === 0 && place.may('CHECKOUT.UPDATE') && html`<a class="button quiet" href="${path}/items">Edit the items</a>`}${
    refundableOf(payin) > 0 &&
    place.may('REFUND.CREATE') &&
    html`<a class="button quiet" href="${path}/refund">Refund</a>`
  }${mayTestPay(place) && isActive && html`<a class="button quiet" href="${path}/pay">Pay as a test</a>`}${
    hasFailed &&
    place.may('WEBHOOK_DELIVERY.RESEND_FAILED') &&
    html`<form method="post" action="${path}/resend">${tokenField(visitor)}${onceField()}<button class="quiet">Send the failed webhooks again</button></form>`
  }`;
}

type Seen = { readonly data: Session; readonly etag: string };

/** It is a part of its own: while it is open it stays as it is, and the other actions follow the session. */
const expiry = ({ place, visitor }: Visit, { data, etag }: Seen, path: string): Html | false =>
  data.status === 'active' &&
  place.may('CHECKOUT.EXPIRE') &&
  second(
    'Expire',
    html`<form method="post" action="${path}/expire">${tokenField(visitor)}${onceField()}${versionField(etag)}<p>Nobody can pay this session any more. This cannot be undone.</p><button>Expire the session</button></form>`,
  );

export const mayTestPay = (place: Place): boolean => place.mode === 'test' && place.may('TEST_HELPER.PAY');
