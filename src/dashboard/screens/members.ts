/** Members: who works for the account, and with which role. A role counts in both modes, and is changed in live mode. */
import { type Html, html } from '../../lib/html.ts';
import type { representMember, representNewLink } from '../../users/representation.ts';
import { meaningOf, type Role, roleNames } from '../../users/roles.ts';
import { EMAIL_LENGTH, USER_NAME_LENGTH } from '../../users/user.ts';
import type { ApiAnswer, ApiRefusal, Mistake } from '../api.ts';
import { tokenField } from '../document.ts';
import { type Editable, seenField } from '../edit.ts';
import { type Form, field, hidden, keyAfter, mistake, onceField, onceIn, otherMistakes } from '../form.ts';
import { hereIn } from '../listing.ts';
import { doneIf } from '../notices.ts';
import { type Outcome, refused, refusedAs } from '../outcome.ts';
import { type Place, pathIn } from '../place.ts';
import { STALE, saveEdit } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { versionField, versionIn } from '../seen.ts';
import { table } from '../table.ts';

type Member = ReturnType<typeof representMember>;
type NewLink = ReturnType<typeof representNewLink>;

type Sent = { readonly form: Form; readonly status: number; readonly mistakes: readonly Mistake[] };
/** A member whose role somebody else has changed meanwhile, and the one that was chosen, if that is to be shown. */
type Chosen = { readonly id: string; readonly role: string | null; readonly mistakes: readonly Mistake[] };
const notSent: Sent = { form: {}, status: 200, mistakes: [] };

export const roleTitles: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  finance: 'Finance',
  support: 'Support',
  read_only: 'Read only',
};

const roleChoices = roleNames.map((role) => [role, roleTitles[role]] as const);

const roleFields: ReadonlyArray<Editable<Member>> = [
  { name: 'role', label: 'Role', choices: roleChoices, text: ({ role = '' }) => role },
];

const SCREEN = 'members';
const PATH = '/:account/:mode/members';
/** Members on a page: more than most accounts have. */
const LIMIT = 100;

export function memberScreens(declare: Declare, basePath: string): void {
  const to = ({ tenant }: Place, path = '') => `${basePath}${pathIn(tenant, SCREEN)}${path}`;
  const goTo = ({ tenant }: Place) => pathIn(tenant, SCREEN).slice('/dashboard'.length);

  async function members(
    visit: Visit,
    { form, status, mistakes }: Sent = notSent,
    chosen?: Chosen,
  ): Promise<Outcome> {
    const { place, live, query, visitor } = visit;
    const answer = await live.get<Member[]>(listOf(query));
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    const token = tokenField(visitor);
    const about = chosen && answer.data.find(({ id }) => id === chosen.id);
    const named = (chosen?.mistakes ?? []).map(({ message }) => ({
      message: `${about?.name || about?.email || chosen?.id}: ${message}`,
      pointer: '',
    }));
    return {
      status: mistakes.length > 0 ? refusedAs(status) : named.length > 0 ? 422 : 200,
      title: 'Members',
      current: SCREEN,
      main: html`${otherMistakes(named)}<section><h2>Who works for ${place.account.name}</h2>
${table(
  'Members',
  ['Name', 'E-mail address', 'Role', 'Second factor', 'Last seen', ''],
  answer.data.map((member) => [
    html`<span id="${member.id}">${member.name || '–'}</span>`,
    member.email || '–',
    roleForm(member, (chosen?.id === member.id ? chosen.role : null) ?? member.role ?? '', visit, token),
    member.has_second_factor ? 'yes' : 'no',
    member.status === 'invited'
      ? 'invited'
      : (member.last_seen_at?.slice(0, 16).replace('T', ' ') ?? 'signed out'),
    html`<div class="row">${buttonFor(member, visit, token, 'link', 'New link')}${buttonFor(member, visit, token, 'remove', 'Remove')}</div>`,
  ]),
)}
${answer.nextCursor !== null && html`<p><a href="${to(place)}?after=${answer.nextCursor}">Invited before</a></p>`}
</section>
<section><h2>Invite somebody</h2>
${otherMistakes(mistakes, ['role', 'name', 'email'])}
<form method="post" action="${to(place)}${hereIn(query)}">${token}${onceField(keyAfter(form, status))}
${field({ name: 'role', label: 'Role', value: form.role ?? 'support', choices: roleChoices }, mistakes)}
${field({ name: 'name', label: 'Name', value: form.name, maxlength: USER_NAME_LENGTH }, mistakes)}
${field({ name: 'email', label: 'E-mail address', type: 'email', value: form.email, maxlength: EMAIL_LENGTH, hint: 'They may choose another one.' }, mistakes)}
<button>Make a link</button>
</form>
<dl>${roleNames.map((role) => html`<dt>${roleTitles[role]}</dt><dd>may ${meaningOf(role)}.</dd>`)}</dl>
</section>`,
    };
  }

  const roleForm = (member: Member, role: string, visit: Visit, token: Html): Html =>
    html`<form method="post" action="${to(visit.place, '/role')}${hereIn(visit.query)}" class="row">${token}${hidden('id', member.id)}${seenField(roleFields, member)}<select name="role" aria-label="Role">${roleChoices.map(
      ([value, title]) =>
        html`<option value="${value}"${value === role && html` selected`}>${title}</option>`,
    )}</select><button class="quiet">Change</button></form>`;

  const buttonFor = (
    { id, name, email, role }: Member,
    { place, query }: Visit,
    token: Html,
    action: string,
    text: string,
  ): Html =>
    html`<form method="post" action="${to(place, `/${action}`)}${hereIn(query)}">${token}${hidden('id', id)}${versionField(role ?? '')}<button class="quiet" aria-label="${text}: ${name || email || id}">${text}</button></form>`;

  /** The screen behind what the API has refused to do to a member; `stays` says what was not done. */
  function notDone(
    visit: Visit,
    { status, mistakes }: ApiRefusal,
    stays: string,
  ): Outcome | Promise<Outcome> {
    if (status !== STALE) return refused(status, mistakes);
    const message = `Somebody has changed the role meanwhile: see what it is now. ${stays}`;
    return members(visit, notSent, { id: visit.form.id ?? '', role: null, mistakes: mistake(message) });
  }

  declare({ method: 'GET', path: PATH, needs: { operation: 'MEMBER.LIST' } }, (visit) => members(visit));

  declare(
    { method: 'POST', path: PATH, needs: { operation: 'MEMBER.INVITE', confirmed: true } },
    async (visit) => {
      const { form, live, place } = visit;
      const { role = '', name = '', email = '' } = form;
      const answer = await live.send<NewLink>('POST', '/v3/member', { role, name, email }, onceIn(form));
      if (!answer.ok) return members(visit, { ...answer, form });
      return answer.data.url === null
        ? repeatedScreen(answer.data, to(place))
        : linkScreen(answer.data, to(place));
    },
  );

  declare(
    { method: 'POST', path: `${PATH}/role`, needs: { operation: 'MEMBER.UPDATE', confirmed: true } },
    async (visit) => {
      const { form, place, live } = visit;
      const { id = '', role = '' } = form;
      const edit = { fields: roleFields, form: { ...form, role } };
      // A form that was sent as it was sends the role that there is.
      const saved = await saveEdit<Member>(live, memberPath(id), edit, (patch, now) => ({
        body: { role: now.role, ...patch },
      }));
      if ('data' in saved)
        return saved.data.role === role
          ? { goTo: goTo(place) + hereIn(visit.query), done: doneIf(saved.isChanged, 'role') }
          : members(visit, notSent, stays(saved.data));
      if ('refusal' in saved) return refused(saved.refusal.status, saved.refusal.mistakes);
      const { status, mistakes } = saved;
      return status === CHANGED ? members(visit, notSent, { id, role, mistakes }) : refused(status, mistakes);
    },
  );

  declare(
    { method: 'POST', path: `${PATH}/remove`, needs: { operation: 'MEMBER.DELETE', confirmed: true } },
    async (visit) => {
      const { place, live, query, visitor } = visit;
      const { id = '' } = visit.form;
      const answer = await askAsSeen(visit, 'DELETE', memberPath(id));
      const isGone = !answer.ok && answer.status === 404;
      if (!answer.ok && !isGone) return notDone(visit, answer, 'The member was not removed.');
      if (id === visitor.user.id) return { goTo: '' };
      // The page may have had nobody else.
      const left = await live.get<Member[]>(listOf(query));
      const page = left.ok && left.data.length > 0 ? hereIn(query) : '';
      return { goTo: goTo(place) + page, done: doneIf(!isGone, 'removed') };
    },
  );

  declare(
    { method: 'POST', path: `${PATH}/link`, needs: { operation: 'MEMBER.RESET', confirmed: true } },
    async (visit) => {
      const { form, place, query } = visit;
      const answer = await askAsSeen<NewLink>(visit, 'POST', `${memberPath(form.id ?? '')}/reset`);
      return answer.ok
        ? linkScreen(answer.data, to(place) + hereIn(query))
        : notDone(visit, answer, 'There is no new link.');
    },
  );
}

/** Asks for something about a member who has the role that the visitor has seen, which is the version in the list. */
async function askAsSeen<T>(
  { form, live }: Visit,
  method: 'POST' | 'DELETE',
  url: string,
): Promise<ApiAnswer<T>> {
  const now = await live.get<Member>(memberPath(form.id ?? ''));
  if (!now.ok) return now;
  const seen = versionIn(form);
  if (seen !== undefined && seen !== now.data.role) return { ok: false, status: STALE, mistakes: [] };
  return live.send<T>(method, url, undefined, { 'if-match': now.etag });
}

/** Status of a form for what somebody else has changed meanwhile. */
const CHANGED = 422;

/** The page of the members that a screen has. */
const listOf = ({ after }: Form): string =>
  `/v3/member?${new URLSearchParams({ limit: String(LIMIT), ...(after === undefined ? {} : { after }) })}`;

/** A role that the visitor left as they saw it, and that somebody else has changed meanwhile. */
function stays({ id, role }: Member): Chosen {
  const now = role === undefined ? 'none' : roleTitles[role];
  const message = `Somebody has changed the role meanwhile, to ${now}. It stays so.`;
  return { id, role: role ?? '', mistakes: mistake(message) };
}

const memberPath = (id: string): string => `/v3/member/${encodeURIComponent(id)}`;

function linkScreen({ name, email, url, link_expires_at }: NewLink, members: string): Outcome {
  return {
    title: 'A link to send',
    current: SCREEN,
    main: html`<p>Send this link to ${name || email || 'whoever it is for'}, on a way that nobody else reads. It is good once, until ${link_expires_at?.slice(0, 16).replace('T', ' ')} UTC, and is shown only now.</p>
<p><code class="secret">${url}</code></p>
<p><a class="button" href="${members}">I have sent it</a></p>`,
  };
}

const repeatedScreen = ({ name, email }: NewLink, members: string): Outcome => ({
  title: 'The invitation was made before',
  current: SCREEN,
  main: html`<p>This form was sent twice, and has invited ${name || email || 'somebody'} once. The first answer has shown the link. If that is lost, make a new link on the list of members.</p>
<p><a class="button" href="${members}">To the members</a></p>`,
});
