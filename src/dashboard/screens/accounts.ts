/** Accounts of the installation, for its operators. */
import type { representAccount, representNewAccount } from '../../accounts/representation.ts';
import { ACCOUNT_NAME_LENGTH } from '../../lib/account-name.ts';
import { html } from '../../lib/html.ts';
import { roleOn } from '../../users/user.ts';
import type { Mistake } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { type Editable, editFields } from '../edit.ts';
import { type Form, field, keyAfter, onceField, onceIn, otherMistakes } from '../form.ts';
import { pager, queryOf } from '../listing.ts';
import { doneIf } from '../notices.ts';
import { type Outcome, refused, refusedAs } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import { saveEdit } from '../save.ts';
import type { Declare, InstallationVisit } from '../screen.ts';
import { table } from '../table.ts';
import { timeIn } from '../texts.ts';
import { roleTitles } from './members.ts';
import { resealSection } from './reseal.ts';

type Account = ReturnType<typeof representAccount>;
type NewAccount = ReturnType<typeof representNewAccount>;

type Sent = { readonly form: Form; readonly status: number; readonly mistakes: readonly Mistake[] };
const notSent: Sent = { form: {}, status: 200, mistakes: [] };

const current = 'accounts';
const path = '/accounts';
const ONE = `${path}/:id`;

const nameField: Editable<Account> = {
  name: 'name',
  label: 'Name',
  hint: 'Payers see it.',
  required: true,
  maxlength: ACCOUNT_NAME_LENGTH,
  text: ({ name }) => name,
};

const urlOf = (id: string | undefined): string => `/v3/account/${encodeURIComponent(id ?? '')}`;

const placeOf = ({ id }: Pick<Account, 'id'>) => ({ account: Number(id), mode: 'live' }) as const;

export function accountScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const here = `${basePath}/dashboard${path}`;

  async function list(
    visit: InstallationVisit,
    { form, status, mistakes }: Sent = notSent,
  ): Promise<Outcome> {
    const { api, query, visitor } = visit;
    const answer = await api.get<readonly Account[]>(`/v3/account${queryOf([], query)}`);
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    const rows = answer.data.map((account) => {
      const role = roleOn(visitor.user, Number(account.id));
      return [
        role === undefined
          ? account.name
          : html`<a href="${basePath}${pathIn(placeOf(account), 'sessions')}">${account.name}</a>`,
        account.id,
        role === undefined ? 'none' : roleTitles[role],
        timeIn(account.created_at),
        html`<a href="${here}/${account.id}" aria-label="Rename: ${account.name}">Rename</a>`,
      ];
    });
    return {
      status: mistakes.length > 0 ? refusedAs(status) : 200,
      title: 'Accounts',
      current,
      main: html`<section><h2>Accounts of the installation</h2>
${table('Accounts', ['Name', 'Number', 'Your role', 'Created', ''], rows)}
${pager([], query, { action: here, nextCursor: answer.nextCursor })}</section>
<section><h2>New account</h2>
<p>Each account has its own sessions, keys, members and settings. You become its owner.</p>
${otherMistakes(mistakes, ['name'])}
<form method="post" action="${here}">${tokenField(visitor)}${onceField(keyAfter(form, status))}
${field({ name: 'name', label: 'Name', value: form.name, hint: 'Payers see it.', required: true, maxlength: ACCOUNT_NAME_LENGTH }, mistakes)}
<button>Create the account</button>
</form></section>
${resealSection(visit, basePath)}`,
    };
  }

  async function one(
    { api, params, form, visitor }: InstallationVisit,
    { status, mistakes }: Omit<Sent, 'form'> = notSent,
  ): Promise<Outcome> {
    const answer = await api.get<Account>(urlOf(params.id));
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    const { id, name } = answer.data;
    return {
      status: mistakes.length > 0 ? refusedAs(status) : 200,
      title: `Rename ${name}`,
      current,
      main: html`<section>${otherMistakes(mistakes, ['name'])}
<form method="post" action="${here}/${id}">${tokenField(visitor)}
${editFields([nameField], answer.data, { form, mistakes })}
<button>Save</button>
</form></section>
<p><a href="${here}">To the accounts</a></p>`,
    };
  }

  declare({ method: 'GET', path, needs: { installation: 'ACCOUNT.LIST' } }, (visit) => list(visit));

  declare(
    { method: 'POST', path, needs: { installation: 'ACCOUNT.CREATE', confirmed: true } },
    async (visit) => {
      const { api, form } = visit;
      const answer = await api.send<NewAccount>(
        'POST',
        '/v3/account',
        { name: (form.name ?? '').trim() },
        onceIn(form),
      );
      if (!answer.ok) return list(visit, { ...answer, form });
      return { goTo: wayIn(placeOf(answer.data), 'settings'), done: 'account-created' };
    },
  );

  declare({ method: 'GET', path: ONE, needs: { installation: 'ACCOUNT.FETCH' } }, (visit) => one(visit));

  declare(
    { method: 'POST', path: ONE, needs: { installation: 'ACCOUNT.UPDATE', confirmed: true } },
    async (visit) => {
      const { api, form, params } = visit;
      const edited = { fields: [nameField], form };
      const saved = await saveEdit<Account>(api, urlOf(params.id), edited, (patch, { name }) => ({
        body: { name, ...patch },
      }));
      if ('refusal' in saved) return refused(saved.refusal.status, saved.refusal.mistakes);
      if ('mistakes' in saved) return one(visit, saved);
      return { goTo: path, done: doneIf(saved.isChanged, 'account-renamed') };
    },
  );
}
