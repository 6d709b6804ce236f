/** API keys of an account and mode. */
import { API_KEY_NAME_LENGTH, accountPermissions } from '../../accounts/api-key.ts';
import type { representApiKey, representNewApiKey } from '../../accounts/representation.ts';
import { html } from '../../lib/html.ts';
import type { Mistake } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import {
  checkboxes,
  chosenIn,
  type Form,
  field,
  keyAfter,
  onceField,
  onceIn,
  otherMistakes,
  second,
} from '../form.ts';
import { hereIn, pager, queryOf } from '../listing.ts';
import { type Outcome, refused, refusedAs } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import type { Declare, Visit } from '../screen.ts';
import { table } from '../table.ts';
import { secretsOf, timeIn } from '../texts.ts';

type ApiKey = ReturnType<typeof representApiKey>;
type NewApiKey = ReturnType<typeof representNewApiKey>;

const meanings: Readonly<Record<(typeof accountPermissions)[number], string>> = {
  read: 'see sessions, customers, events and bank entries',
  write: 'create, change and expire sessions, and keep customers',
  refund: 'refund payments',
  webhooks: 'keep webhook endpoints, and send deliveries again',
  bank: 'import bank statements, assign bank entries, make payment files',
  manage: 'keep API keys, settings, receiving accounts and credentials',
};

const permissionChoices = accountPermissions.map((each) => [each, `${each}: ${meanings[each]}`] as const);

type Sent = { readonly form: Form; readonly status: number; readonly mistakes: readonly Mistake[] };
const notSent: Sent = { form: {}, status: 200, mistakes: [] };

const current = 'keys';
const path = '/:account/:mode/keys';

export function keyScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  async function list(visit: Visit, { form, status, mistakes }: Sent = notSent): Promise<Outcome> {
    const { api, place, query, visitor } = visit;
    const answer = await api.get<readonly ApiKey[]>(`/v3/api_key${queryOf([], query)}`);
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    const here = `${basePath}${pathIn(place.tenant, 'keys')}`;
    const token = tokenField(visitor);
    const revoke = ({ id }: ApiKey) =>
      second(
        'Revoke',
        html`<p>Programs that use it are refused from then on. It cannot be made active again.</p>
<form method="post" action="${here}/${id}/revoke${hereIn(query)}">${token}<button>Revoke the key</button></form>`,
      );
    return {
      status: mistakes.length > 0 ? refusedAs(status) : 200,
      title: 'API keys',
      current,
      main: html`<section><h2>Keys for ${place.mode} mode</h2>
${table(
  'API keys',
  ['Name', 'Id', 'Permissions', 'Created', 'Revoked'],
  answer.data.map((key) => [
    key.name || '–',
    html`<code>${key.id}</code>`,
    key.permissions.join(', '),
    timeIn(key.created_at),
    timeIn(key.revoked_at, place.may('API_KEY.REVOKE') && revoke(key)),
  ]),
  'There is no key yet. A program needs one to create sessions.',
)}
${pager([], query, { action: here, nextCursor: answer.nextCursor })}</section>
${
  place.may('API_KEY.CREATE') &&
  html`<section><h2>New key</h2>
${otherMistakes(mistakes, ['name', 'permissions'])}
<form method="post" action="${here}${hereIn(query)}">${token}${onceField(keyAfter(form, status))}
${field({ name: 'name', label: 'Name', value: form.name, maxlength: API_KEY_NAME_LENGTH, hint: 'Such as the program that uses it.' }, mistakes)}
${checkboxes({ name: 'permissions', label: 'The key may', choices: permissionChoices, chosen: chosenIn(form, 'permissions') }, mistakes)}
<button>Create the key</button>
</form></section>`
}`,
    };
  }

  declare({ method: 'GET', path, needs: { operation: 'API_KEY.LIST' } }, (visit) => list(visit));

  declare(
    { method: 'POST', path, needs: { operation: 'API_KEY.CREATE', confirmed: true } },
    async (visit) => {
      const { api, form, place } = visit;
      const body = { name: form.name ?? '', permissions: chosenIn(form, 'permissions') };
      const answer = await api.send<NewApiKey>('POST', '/v3/api_key', body, onceIn(form));
      if (!answer.ok) return list(visit, { ...answer, form });
      const { id, secret } = answer.data;
      const here = `${basePath}${pathIn(place.tenant, 'keys')}`;
      if (secret === null)
        return {
          title: 'The key was created before',
          current,
          main: html`<p>This form was sent twice, and has created one key: <code>${id}</code>. Its secret was shown by the first answer. If that is lost, revoke the key and create another one.</p>
<p><a class="button" href="${here}">To the keys</a></p>`,
        };
      const shown = [
        ['API key (user name of HTTP Basic)', id],
        ['Secret (password, or bearer token)', secret],
      ] as const;
      return { title: 'Your new key', current, main: secretsOf(shown, here) };
    },
  );

  declare(
    { method: 'POST', path: `${path}/:id/revoke`, needs: { operation: 'API_KEY.REVOKE', confirmed: true } },
    async ({ api, params, place, query }) => {
      const answer = await api.send('POST', `/v3/api_key/${encodeURIComponent(params.id ?? '')}/revoke`);
      if (!answer.ok) return refused(answer.status, answer.mistakes);
      return { goTo: wayIn(place.tenant, `keys${hereIn(query)}`), done: 'key-revoked' };
    },
  );
}
