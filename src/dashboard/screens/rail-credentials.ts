/** Credentials that an account has of its own at a rail. What is typed here is never shown again. */
import type { representRailCredentials } from '../../accounts/representation.ts';
import { html } from '../../lib/html.ts';
import { eventPath } from '../../methods/credentials.ts';
import { actorLink, actorsOf } from '../actors.ts';
import type { Mistake } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { field, hidden, mistake, otherMistakes, second } from '../form.ts';
import { TYPED_SECRETS } from '../kept.ts';
import { doneIf } from '../notices.ts';
import { notFound, type Outcome, refused } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import { credentialRails } from '../rails.ts';
import { removeSeen, STALE } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { conditionIn, isOtherThanSeen, versionAfter, versionField, versionIn } from '../seen.ts';
import { factsOf, timeIn } from '../texts.ts';

type RailCredentials = ReturnType<typeof representRailCredentials>;

const path = '/:account/:mode/settings/credentials/:rail';
const current = 'settings';

/** The field that tells a form whose secrets were left out from one that only proves who somebody is. */
const SENT = 'sent';
const TYPE_AGAIN = mistake('Type the secrets once more.');
const CHANGED = mistake(
  'Somebody has changed the credentials meanwhile, as is told above. Type the secrets once more to put yours in the place of theirs.',
);
const REMOVED = mistake(
  'Somebody has removed the credentials meanwhile. Type the secrets once more to set yours.',
);
const NOT_REMOVED = mistake(
  'Somebody has changed the credentials meanwhile, as is told above. They were not removed.',
);

/** Mistakes to show beside the form; or what it came without, or too late for, in the words for what there is now. */
type Mistakes = readonly Mistake[] | 'without its secrets' | 'stale to set';

const labels: Readonly<Record<string, string>> = {
  secret_key: 'Secret key',
  webhook_secret: 'Signing secret of the webhook',
};

const keys = {
  current: 'the one of the settings',
  previous: 'the one before: an operator of the installation encrypts them anew',
  unknown: 'one that is not in the settings: they cannot be used',
} as const;

export function credentialScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath, publicUrl } = dependencies;

  async function screen(visit: Visit, told: Mistakes = []): Promise<Outcome> {
    const { api, form, place, params, visitor } = visit;
    const { rail = '' } = params;
    const name = credentialRails.find(([each]) => each === rail)?.[1];
    if (name === undefined) return notFound;
    const answer = await api.get<RailCredentials>(`/v3/rail_credentials/${rail}`);
    if (!answer.ok && answer.status !== 404) return refused(answer.status, answer.mistakes);
    const found = answer.ok ? answer.data : null;
    const actors = await actorsOf(dependencies, place);
    const here = `${basePath}${pathIn(place.tenant, `settings/credentials/${rail}`)}`;
    const token = tokenField(visitor);
    const newest = answer.ok ? answer.etag : '';
    const isLate =
      told === 'stale to set' || (told === 'without its secrets' && isOtherThanSeen(form, newest));
    const lateMistakes = found === null ? REMOVED : CHANGED;
    const mistakes = isLate ? lateMistakes : typeof told === 'string' ? TYPE_AGAIN : told;
    const isStale = isLate || told === NOT_REMOVED;
    const hintOf = (each: string) => {
      const hint = found?.hints[each];
      return hint === undefined ? undefined : `Leave it empty to keep the one that ends with ${hint || '…'}.`;
    };
    return {
      status: mistakes.length > 0 ? 422 : 200,
      title: `Credentials at ${name}`,
      current,
      main: html`<section><h2>For ${place.mode} mode</h2>
${
  found === null
    ? html`<p>The account has none of its own. Those of the settings of the service count, if it has any.</p>`
    : factsOf([
        ['Set', timeIn(found.set_at)],
        ['Set by', actorLink(actors(found.set_by))],
        ['Encryption key', keys[found.encryption_key]],
      ])
}
${factsOf([['Address for the webhook of the provider', html`<code>${publicUrl}${eventPath(rail, place.tenant)}</code>`]])}
${otherMistakes(mistakes, TYPED_SECRETS)}
<form method="post" action="${here}">${token}${hidden(SENT, 'yes')}${versionField(versionAfter(form, newest, isStale))}
${TYPED_SECRETS.map((each) => field({ name: each, label: labels[each] ?? each, type: 'password', autocomplete: 'off', maxlength: 255, hint: hintOf(each), required: found === null }, mistakes))}
<button>Save</button>
</form>
<p class="hint">They are encrypted, and never shown again.</p></section>
${
  found !== null &&
  place.may('RAIL_CREDENTIALS.DELETE') &&
  html`<section><h2>Remove</h2>
${second(
  'Remove the credentials',
  html`<p>The rail can no longer be paid with, unless the settings of the service have credentials for it. Nobody asks any more about payments and refunds that are under way.</p>
<form method="post" action="${here}/remove">${token}${versionField(newest)}<button>Remove them</button></form>`,
)}</section>`
}`,
    };
  }

  const setting = { operation: 'RAIL_CREDENTIALS.SET', confirmed: true } as const;

  declare({ method: 'GET', path, needs: setting }, (visit) => screen(visit));

  declare({ method: 'POST', path, needs: setting }, async (visit) => {
    const { api, form, params, place } = visit;
    // A proof of who somebody is has come in between, and what they typed does not go along.
    if (TYPED_SECRETS.every((each) => form[each] === undefined))
      return screen(visit, form[SENT] === undefined ? [] : 'without its secrets');
    if (!credentialRails.some(([rail]) => rail === params.rail)) return notFound;
    const body = Object.fromEntries(TYPED_SECRETS.map((each) => [each, form[each] ?? '']));
    const answer = await api.send('PUT', `/v3/rail_credentials/${params.rail}`, body, conditionIn(form));
    if (!answer.ok && answer.status === STALE) return screen(visit, 'stale to set');
    if (!answer.ok) return screen(visit, answer.mistakes);
    const done = doneIf(answer.etag !== versionIn(form), 'credentials-saved');
    return { goTo: wayIn(place.tenant, 'settings'), done };
  });

  declare(
    {
      method: 'POST',
      path: `${path}/remove`,
      needs: { operation: 'RAIL_CREDENTIALS.DELETE', confirmed: true },
    },
    async (visit) => {
      const { api, form, params, place } = visit;
      if (!credentialRails.some(([rail]) => rail === params.rail)) return notFound;
      const removed = await removeSeen(api, `/v3/rail_credentials/${params.rail}`, form);
      if (!removed.ok && removed.status === STALE) return screen(visit, NOT_REMOVED);
      if (!removed.ok) return refused(removed.status, removed.mistakes);
      const done = doneIf(removed.isChanged, 'credentials-removed');
      return { goTo: wayIn(place.tenant, 'settings'), done };
    },
  );
}
