/** History of a session: its events, who caused them, and who was told. */
import type { representAuditEntry } from '../../accounts/representation.ts';
import { timestamp } from '../../checkout/representation.ts';
import type { representTimelineEntry } from '../../http/routes/event.ts';
import { type Html, html } from '../../lib/html.ts';
import type { representDelivery } from '../../webhooks/representation.ts';
import { type Actors, actorLink } from '../actors.ts';
import type { ApiAnswer, ApiCaller, ApiRefusal, Told } from '../api.ts';
import { type Place, pathIn } from '../place.ts';
import { requestLink } from '../request-texts.ts';
import { timeIn, wordsOf } from '../texts.ts';
import { stateOf } from './states.ts';

type AuditEntry = ReturnType<typeof representAuditEntry>;
export type Delivery = ReturnType<typeof representDelivery>;

/** An event as the API tells it in the timeline of a session. */
type Entry = ReturnType<typeof representTimelineEntry>;
type Evidence = Entry['evidence'][number];

export type History = {
  readonly ok: true;
  /** Newest first. */
  readonly entries: readonly Entry[];
  /** Where older ones go on. */
  readonly nextCursor: string | null;
  /** Changes by the version that they led to; without those that the visitor may not see. */
  readonly changes: ReadonlyMap<number, AuditEntry>;
  /** Newest first; empty where the visitor may not see them. */
  readonly deliveries: readonly Delivery[];
  /** True if a delivery has failed, which may be older than those. */
  readonly hasFailed: boolean;
};

const PAGE = 100;
/** Pages of the log of changes that are searched for the changes behind one page of events. */
const MAX_SEARCHED = 5;

/** `after` is where the events go on. A refusal is that of the first question that the API refuses. */
export async function historyOf(
  api: ApiCaller,
  place: Place,
  id: string,
  after: string | undefined,
): Promise<History | ApiRefusal> {
  const query = new URLSearchParams({ limit: String(PAGE), ...(after === undefined ? {} : { after }) });
  const timeline = await api.get<Entry[]>(`/v3/checkout/${id}/timeline?${query}`);
  if (!timeline.ok) return timeline;
  const { data: entries, nextCursor } = timeline;
  const seesDeliveries = place.may('WEBHOOK_DELIVERY.LIST');
  const none = { ok: true as const, data: [] };
  const [changes, deliveries, failed] = await Promise.all([
    place.may('AUDIT.LIST') ? changesOf(api, id, entries) : { ok: true as const, data: new Map() },
    seesDeliveries ? deliveriesOf(api, id) : none,
    // Those that have failed may be older than the newest of all.
    seesDeliveries ? deliveriesOf(api, id, { status: 'failed', limit: 1 }) : none,
  ]);
  if (!changes.ok) return changes;
  if (!deliveries.ok) return deliveries;
  if (!failed.ok) return failed;
  const hasFailed = failed.data.length > 0;
  return { ok: true, entries, nextCursor, changes: changes.data, deliveries: deliveries.data, hasFailed };
}

async function changesOf(
  api: ApiCaller,
  subject: string,
  entries: readonly Entry[],
): Promise<Told<Map<number, AuditEntry>>> {
  const changes = new Map<number, AuditEntry>();
  const times = entries.map(({ created_at }) => Date.parse(created_at));
  if (times.length === 0) return { ok: true, data: changes };
  const query = new URLSearchParams({
    subject,
    limit: String(PAGE),
    'created_at[gte]': timestamp(Math.min(...times)),
    'created_at[lt]': timestamp(Math.max(...times) + 1),
  });
  for (let searched = 0; searched < MAX_SEARCHED; searched++) {
    const answer = await api.get<AuditEntry[]>(`/v3/audit?${query}`);
    if (!answer.ok) return answer;
    for (const entry of answer.data) changes.set(entry.version, entry);
    if (answer.nextCursor === null || entries.every(({ version }) => changes.has(version))) break;
    query.set('after', answer.nextCursor);
  }
  return { ok: true, data: changes };
}

/** Deliveries about the session, those with a state alone if it is given. */
export function deliveriesOf(
  api: ApiCaller,
  id: string,
  { status, limit = PAGE }: { readonly status?: Delivery['status']; readonly limit?: number } = {},
): Promise<ApiAnswer<readonly Delivery[]>> {
  const query = new URLSearchParams({ checkout: id, limit: String(limit), ...(status ? { status } : {}) });
  return api.get<readonly Delivery[]>(`/v3/webhook_delivery?${query}`);
}

export function historyList(
  { entries, changes, deliveries }: History,
  { place, actors, basePath }: { place: Place; actors: Actors; basePath: string },
): Html {
  const versions = [...new Set(entries.map(({ version }) => version))];
  return html`<ul class="history">${versions.map((version) => {
    const events = entries.filter((each) => each.version === version);
    const change = changes.get(version);
    return html`<li><p>${events[0] && timeIn(events[0].created_at)}${
      change &&
      html` <strong>${wordsOf(change.action)}</strong> by ${actorLink(actors(change.actor))} <span class="hint">${requestLink(change.request_id, { place, basePath })}</span>`
    }</p>${evidenceIn(events, { place, basePath })}<ul>${events.map(
      ({ event, description }) => html`<li>${description}${toldOf(
        deliveries.filter((each) => each.event === event),
        { place, basePath },
      )}</li>
`,
    )}</ul></li>
`;
  })}</ul>`;
}

type Where = { readonly place: Place; readonly basePath: string };

/** Evidence of a change, each told once: what the bank or the provider has said. */
function evidenceIn(events: readonly Entry[], where: Where): Html | false {
  const isAsked = events.some(({ cause }) => cause === 'asked');
  const all = new Map(events.flatMap(({ evidence }) => evidence).map((each) => [JSON.stringify(each), each]));
  return (
    all.size > 0 &&
    html`<p>Evidence: ${[...all.values()].map(
      (each, index) => html`${index > 0 && ', '}${evidenceOf(each, isAsked, where)}`,
    )}</p>`
  );
}

/** Bank entries are shown on a screen of their own, to those who may see it. */
function evidenceOf(
  { rail, reference, bank_entry: entry, statement, provider_event: event }: Evidence,
  isAsked: boolean,
  { place, basePath }: Where,
): Html {
  if (entry === null) {
    const told = event !== null && html`, told by the event <code>${event}</code>`;
    return html`<code>${reference}</code> at ${rail}${told}${isAsked && ', found by asking'}`;
  }
  const shown = html`<code>${entry}</code>`;
  return html`bank entry ${
    place.may('BANK_ENTRY.FETCH')
      ? html`<a href="${basePath}${pathIn(place.tenant, `bank/entries/${entry}`)}">${shown}</a>`
      : shown
  }${statement !== null && html` of the statement <code>${statement}</code>`}`;
}

/** Receivers that were told of an event, and what they have answered. */
const toldOf = (
  deliveries: readonly Delivery[],
  { place, basePath }: { place: Place; basePath: string },
): Html | false =>
  deliveries.length > 0 &&
  html`<ul>${deliveries.map(
    (
      delivery,
    ) => html`<li>${stateOf(delivery.status)} <a href="${basePath}${pathIn(place.tenant, `webhooks/deliveries/${delivery.id}`)}">webhook</a> to ${delivery.url || delivery.endpoint} ${answerOf(delivery)}</li>
`,
  )}</ul>`;

/** Last answer of the receiver. */
function answerOf({ attempts, last_http_status, last_error, next_attempt_at }: Delivery): Html | false {
  if (attempts === 0) return false;
  const answer = last_http_status === null ? last_error : `answered ${last_http_status}`;
  return html`<span class="hint">${answer}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}${
    next_attempt_at !== null && html`, next at ${timeIn(next_attempt_at)}`
  }</span>`;
}
