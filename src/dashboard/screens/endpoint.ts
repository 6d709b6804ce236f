/** A webhook endpoint: its settings, its secret, its health. */
import { eventMeanings, eventTypes } from '../../events/types.ts';
import { html } from '../../lib/html.ts';
import type { ApiAnswer, ApiRefusal, Mistake } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { bodyOf, type Editable, editFields, isSent } from '../edit.ts';
import { type Form, hidden, keyAfter, mistake, onceField, onceIn, otherMistakes, second } from '../form.ts';
import { doneIf, type Notice } from '../notices.ts';
import { type Outcome, refused, refusedAs } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import { removeSeen, STALE, saveEdit } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { overlapField, secondsIn } from '../secret-overlap.ts';
import { conditionIn, versionAfter, versionField } from '../seen.ts';
import { factsOf, secretsOf, timeIn } from '../texts.ts';
import { type Endpoint, endpointState } from '../webhook-texts.ts';

type WithSecret = Endpoint & { readonly secret: string };
type Settings = Pick<Endpoint, 'url' | 'description' | 'events'>;
/** Actions on what was seen, whose forms come again with it where they are refused. */
type Action = 'status' | 'secret';
type Again = { readonly status?: number; readonly action?: Action | undefined };

const path = '/:account/:mode/webhooks/endpoints/:id';
const current = 'webhooks';

const CHANGED = mistake(
  'Somebody has changed the endpoint meanwhile: see what it is now. Nothing was done to it.',
);

const kinds = [...new Set(eventTypes.map((type) => type.split('.')[0] ?? ''))];
const selectors = [
  ['*', 'all events'],
  ...kinds.map((kind) => [`${kind}.*`, `all of ${kind}`] as const),
  ...eventTypes.map((type) => [type, `${type}: ${eventMeanings[type].replaceAll('`', '')}`] as const),
] as const;

const inOrder = (chosen: readonly string[]): string[] =>
  selectors.map(([selector]) => selector).filter((selector) => chosen.includes(selector));

const fields: ReadonlyArray<Editable<Settings>> = [
  {
    name: 'url',
    label: 'Address',
    required: true,
    maxlength: 2048,
    hint: 'It gets each event as a POST request. In live mode, it begins with https.',
    text: ({ url }) => url,
  },
  { name: 'description', label: 'Description', maxlength: 250, text: ({ description }) => description },
  {
    name: 'events',
    label: 'Events',
    many: true,
    choices: selectors,
    text: ({ events }) => inOrder(events).join(' '),
    value: (text) => text.split(' ').filter(Boolean),
  },
];
const names = fields.map(({ name }) => name);

const fresh: Settings = { url: '', description: '', events: ['*'] };

/** To the API, an empty text is an absent one, which changes nothing. */
const emptied = (patch: object): Mistake[] =>
  Object.entries(patch)
    .filter(([, value]) => value === '')
    .map(([name]) => ({ message: `${name} can be changed, but not be emptied.`, pointer: `/${name}` }));

const addressOf = ({ params }: Pick<Visit, 'params'>) =>
  `/v3/webhook_endpoint/${encodeURIComponent(params.id ?? '')}`;

export function endpointScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const listOf = ({ place }: Visit) => `${basePath}${pathIn(place.tenant, 'webhooks')}`;
  const fetchIn = (visit: Visit): Promise<ApiAnswer<Endpoint>> => visit.api.get<Endpoint>(addressOf(visit));

  function newScreen(visit: Visit, status = 200, mistakes: readonly Mistake[] = []): Outcome {
    const { form } = visit;
    return {
      status: mistakes.length > 0 ? refusedAs(status) : 200,
      title: 'New endpoint',
      current,
      main: html`<section>${otherMistakes(mistakes, names)}
<form method="post" action="${listOf(visit)}/new-endpoint">${tokenField(visit.visitor)}${onceField(keyAfter(form, status))}
${editFields(fields, fresh, { form, mistakes })}
<button>Add the endpoint</button>
</form></section>`,
    };
  }

  const creating = { operation: 'WEBHOOK_ENDPOINT.CREATE', confirmed: true } as const;
  const newPath = '/:account/:mode/webhooks/new-endpoint';

  declare({ method: 'GET', path: newPath, needs: creating }, (visit) => newScreen(visit));

  declare({ method: 'POST', path: newPath, needs: creating }, async (visit) => {
    const { api, form } = visit;
    if (!isSent(form)) return newScreen(visit);
    const body = bodyOf(fields, form);
    const answer = await api.send<WithSecret>('POST', '/v3/webhook_endpoint', body, onceIn(form));
    if (!answer.ok) return newScreen(visit, answer.status, answer.mistakes);
    return secretScreen(visit, answer.data);
  });

  const secretScreen = (visit: Visit, { id, secret }: WithSecret): Outcome => ({
    title: 'The secret of the endpoint',
    current,
    main: html`<p>The receiver checks with it that a request is from here.</p>
${secretsOf([['Signing secret', secret]], `${listOf(visit)}/endpoints/${id}`)}`,
  });

  async function screen(
    visit: Visit,
    form: Form = {},
    mistakes: readonly Mistake[] = [],
    { status = 422, action: again }: Again = {},
  ): Promise<Outcome> {
    const answer = await fetchIn(visit);
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    const { data: endpoint } = answer;
    const { id, health } = endpoint;
    const here = `${listOf(visit)}/endpoints/${id}`;
    const token = tokenField(visit.visitor);
    const newest = versionField(answer.etag);
    const versionFor = (action: Action) =>
      again === action ? versionField(versionAfter(form, answer.etag)) : newest;
    const { may } = visit.place;
    const isEnabled = endpoint.status === 'enabled';
    return {
      status: mistakes.length > 0 ? refusedAs(status) : 200,
      title: 'Webhook endpoint',
      current,
      main: html`<section><h2>${endpoint.url}</h2>
${factsOf([
  ['State', endpointState(endpoint)],
  ['Id', html`<code>${id}</code>`],
  ['Events', endpoint.events.join(', ')],
  ['Failing since', timeIn(health.failing_since)],
  ['Failures in a row', health.consecutive_failures],
  ['Last error', health.last_error || '–'],
  ['Next probe', timeIn(health.next_probe_at)],
  ['The secret before signs until', timeIn(endpoint.previous_secret_expires_at)],
  ['Created', timeIn(endpoint.created_at)],
  ['Changed', timeIn(endpoint.updated_at)],
])}
<p><a href="${listOf(visit)}?endpoint=${id}">Deliveries to this endpoint</a></p></section>
${
  may('WEBHOOK_ENDPOINT.UPDATE') &&
  html`<section><h2>Settings</h2>
${otherMistakes(mistakes, names)}
<form method="post" action="${here}">${token}
${editFields(fields, endpoint, { form, mistakes })}
<button>Save</button>
</form>
${second(
  isEnabled ? 'Disable' : 'Enable',
  html`<p>${isEnabled ? 'Its pending deliveries fail. They can be sent again once it is enabled.' : 'It receives events from then on.'}</p>
<form method="post" action="${here}/status">${token}${versionFor('status')}${hidden('status', isEnabled ? 'disabled' : 'enabled')}
<button>${isEnabled ? 'Disable the endpoint' : 'Enable the endpoint'}</button></form>`,
)}</section>`
}
${
  may('WEBHOOK_ENDPOINT.ROTATE_SECRET') &&
  html`<section><h2>Secret</h2>
<form method="post" action="${here}/secret">${token}${versionFor('secret')}${onceField(keyAfter(form, status))}
${overlapField(form)}
<button>Make a new secret</button>
</form></section>`
}
${
  may('WEBHOOK_ENDPOINT.DELETE') &&
  html`<section><h2>Delete</h2>
${second(
  'Delete the endpoint',
  html`<p>Its pending deliveries fail, and cannot be sent again. It stays in the list of deliveries.</p>
<form method="post" action="${here}/delete">${token}${newest}<button>Delete it</button></form>`,
)}</section>`
}`,
    };
  }

  declare({ method: 'GET', path, needs: { operation: 'WEBHOOK_ENDPOINT.FETCH' } }, (visit) => screen(visit));

  const updating = { operation: 'WEBHOOK_ENDPOINT.UPDATE', confirmed: true } as const;

  /** The screen behind an action that the API has refused. */
  const notDone = (visit: Visit, { status, mistakes }: ApiRefusal, action?: Action): Promise<Outcome> =>
    status === STALE
      ? screen(visit, visit.form, CHANGED)
      : screen(visit, visit.form, mistakes, { status, action });

  async function update(visit: Visit, status: Endpoint['status'], done: Notice): Promise<Outcome> {
    const answer = await visit.api.send<Endpoint>(
      'PUT',
      addressOf(visit),
      { status },
      conditionIn(visit.form),
    );
    // The form may have been sent twice: what it asks for is there by the first time.
    const now = !answer.ok && answer.status === STALE ? await fetchIn(visit) : answer;
    if (!answer.ok && !(now.ok && now.data.status === status)) return notDone(visit, answer, 'status');
    return { goTo: wayIn(visit.place.tenant, `webhooks/endpoints/${visit.params.id}`), done };
  }

  declare({ method: 'POST', path, needs: updating }, async (visit) => {
    const { api, form, place } = visit;
    const saved = await saveEdit<Endpoint>(api, addressOf(visit), { fields, form }, (patch) => ({
      body: patch,
      mistakes: emptied(patch),
    }));
    if ('refusal' in saved) return refused(saved.refusal.status, saved.refusal.mistakes);
    if ('mistakes' in saved) return screen(visit, form, saved.mistakes, saved);
    const done = doneIf(saved.isChanged, 'saved');
    return { goTo: wayIn(place.tenant, `webhooks/endpoints/${saved.data.id}`), done };
  });

  declare({ method: 'POST', path: `${path}/status`, needs: updating }, (visit) => {
    const isEnabled = visit.form.status === 'enabled';
    const status = isEnabled ? 'enabled' : 'disabled';
    return update(visit, status, isEnabled ? 'endpoint-enabled' : 'endpoint-disabled');
  });

  declare(
    {
      method: 'POST',
      path: `${path}/secret`,
      needs: { operation: 'WEBHOOK_ENDPOINT.ROTATE_SECRET', confirmed: true },
    },
    async (visit) => {
      const { api, form } = visit;
      const body = { overlap_seconds: secondsIn(form) };
      const answer = await api.send<WithSecret>('POST', `${addressOf(visit)}/rotate_secret`, body, {
        ...onceIn(form),
        ...conditionIn(form),
      });
      return answer.ok ? secretScreen(visit, answer.data) : notDone(visit, answer, 'secret');
    },
  );

  declare(
    {
      method: 'POST',
      path: `${path}/delete`,
      needs: { operation: 'WEBHOOK_ENDPOINT.DELETE', confirmed: true },
    },
    async (visit) => {
      const removed = await removeSeen(visit.api, addressOf(visit), visit.form);
      if (!removed.ok && removed.status === STALE) return notDone(visit, removed);
      if (!removed.ok) return refused(removed.status, removed.mistakes);
      const done = doneIf(removed.isChanged, 'endpoint-deleted');
      return { goTo: wayIn(visit.place.tenant, 'webhooks'), done };
    },
  );
}
