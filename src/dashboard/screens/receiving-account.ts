/** An account that receives bank transfers. */
import type { representReceivingAccount } from '../../accounts/representation.ts';
import { html } from '../../lib/html.ts';
import type { ApiAnswer, Mistake } from '../api.ts';
import { testTransferOf } from '../bank/test-transfer.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { bodyOf, type Editable, editFields, isSent } from '../edit.ts';
import { checkboxes, chosenIn, type Form, field, mistake, otherMistakes, second } from '../form.ts';
import { doneIf } from '../notices.ts';
import { type Outcome, refused } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import { removeSeen, STALE, saveEdit } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { versionField } from '../seen.ts';
import { factsOf } from '../texts.ts';

type ReceivingAccount = ReturnType<typeof representReceivingAccount>;
type AccountField = Editable<Partial<ReceivingAccount>>;

const path = '/:account/:mode/settings/receiving-accounts/:id';
const newPath = '/:account/:mode/settings/new-receiving-account';
const current = 'settings';

const own = (name: Identifier, label: string, maxlength: number, hint?: string): AccountField => ({
  name,
  label,
  maxlength,
  ...(hint === undefined ? {} : { hint }),
  text: (account) => account[name] ?? '',
});

type Identifier = Exclude<keyof ReceivingAccount, 'id' | 'object' | 'holder' | 'methods'>;

const ofHolder = (
  name: keyof ReceivingAccount['holder'],
  label: string,
  maxlength: number,
): AccountField => ({
  name: `holder/${name}`,
  label,
  maxlength,
  text: ({ holder }) => holder?.[name] ?? '',
});

const fields: readonly AccountField[] = [
  own('currency', 'Currency', 3, 'ISO 4217, such as EUR.'),
  ofHolder('name', 'Name of the holder', 70),
  ofHolder('street', 'Street', 70),
  ofHolder('building_number', 'Building number', 16),
  ofHolder('postal_code', 'Postal code', 16),
  ofHolder('city', 'City', 35),
  ofHolder('country', 'Country', 2),
  own('iban', 'IBAN', 255),
  own('bic', 'BIC', 255),
  own('account_number', 'Account number', 34, 'Where there is no IBAN.'),
  own('bank_code', 'Code of the bank', 34, 'Such as a routing number.'),
  own('bank_name', 'Name of the bank', 140),
  own('qr_iban', 'Swiss QR-IBAN', 255),
  own('paynow', 'PayNow proxy (SGD)', 255),
  own('promptpay', 'PromptPay proxy (THB)', 255),
  own('pix', 'Pix key (BRL)', 255),
  own('upi', 'UPI id (INR)', 255),
];
const names = ['id', 'first', ...fields.map(({ name }) => name)];

const CHANGED = mistake(
  'Somebody has changed the account meanwhile: see what it is now. It was not removed.',
);

const addressOf = (id: string | undefined) => `/v3/receiving_account/${encodeURIComponent(id ?? '')}`;

/** The same account, however its numbers are written. */
const plain = (text: string): string => text.replaceAll(/[\s+-]/g, '').toLowerCase();

export function receivingAccountScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const hereOf = ({ place }: Visit, screen: string) => `${basePath}${pathIn(place.tenant, screen)}`;
  const fetchIn = ({ api, params }: Visit): Promise<ApiAnswer<ReceivingAccount>> =>
    api.get<ReceivingAccount>(addressOf(params.id));

  async function isFirst({ api, params }: Visit): Promise<boolean> {
    const all = await api.get<readonly ReceivingAccount[]>('/v3/receiving_account');
    return all.ok && all.data[0]?.id === params.id;
  }

  const firstBox = (form: Form) =>
    checkboxes({
      name: 'order',
      label: 'Order',
      choices: [['first', 'Put it before all others: payers see the first one of a currency']],
      chosen: chosenIn(form, 'order'),
    });
  const firstIn = (form: Form) => (chosenIn(form, 'order').includes('first') ? { first: true } : {});

  function newScreen(visit: Visit, mistakes: readonly Mistake[] = []): Outcome {
    const { form, visitor } = visit;
    return {
      status: mistakes.length > 0 ? 422 : 200,
      title: 'New receiving account',
      current,
      main: html`<section>${otherMistakes(mistakes, names)}
<form method="post" action="${hereOf(visit, 'settings/new-receiving-account')}">${tokenField(visitor)}
${field({ name: 'id', label: 'Id', value: form.id, required: true, maxlength: 32, hint: 'A name of your own, of a to z, 0 to 9 and -. It cannot be changed.' }, mistakes)}
${editFields(fields, {}, { form, mistakes })}
${firstBox(form)}
<button>Add the account</button>
</form></section>`,
    };
  }

  const set = { operation: 'RECEIVING_ACCOUNT.SET', confirmed: true } as const;

  declare({ method: 'GET', path: newPath, needs: set }, (visit) => newScreen(visit));

  declare({ method: 'POST', path: newPath, needs: set }, async (visit) => {
    const { api, form, place } = visit;
    if (!isSent(form)) return newScreen(visit);
    const id = (form.id ?? '').trim();
    if (id === '') return newScreen(visit, [{ message: 'id is required.', pointer: '/id' }]);
    const done = { goTo: wayIn(place.tenant, 'settings'), done: 'saved' } as const;
    // An account is not written over because nobody could see that it is there.
    const body = { ...bodyOf(fields, form), ...firstIn(form) };
    const answer = await api.send('PUT', addressOf(id), body, { 'if-none-match': '*' });
    if (answer.ok) return done;
    if (answer.status !== STALE) return newScreen(visit, answer.mistakes);
    // A form that was sent twice has made it.
    const known = await api.get<ReceivingAccount>(addressOf(id));
    const isSame =
      known.ok && fields.every(({ name, text }) => plain(text(known.data)) === plain(form[name] ?? ''));
    const message = 'There is a receiving account with this id already.';
    return isSame ? done : newScreen(visit, [{ message, pointer: '/id' }]);
  });

  async function screen(visit: Visit, mistakes: readonly Mistake[] = []): Promise<Outcome> {
    const { form, place, visitor } = visit;
    const answer = await fetchIn(visit);
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    const { data: account } = answer;
    const here = hereOf(visit, `settings/receiving-accounts/${account.id}`);
    const token = tokenField(visitor);
    return {
      status: mistakes.length > 0 ? 422 : 200,
      title: `Receiving account ${account.id}`,
      current,
      main: html`<section><h2>${account.holder.name}</h2>
${factsOf([
  ['Currency', account.currency],
  ['Payment methods', account.methods.join(', ')],
])}
${
  place.may('RECEIVING_ACCOUNT.SET') &&
  html`${otherMistakes(mistakes, names)}
<form method="post" action="${here}">${token}
${editFields(fields, account, { form, mistakes })}
${firstBox(form)}
<button>Save</button>
</form>`
}</section>
${testTransferOf(account)}
${
  place.may('RECEIVING_ACCOUNT.DELETE') &&
  html`<section><h2>Remove</h2>
${second(
  'Remove the account',
  html`<p>Payers who have its details already can still pay into it. Its statements can be imported only while it is here.</p>
<form method="post" action="${here}/remove">${token}${versionField(answer.etag)}<button>Remove it</button></form>`,
)}</section>`
}`,
    };
  }

  declare({ method: 'GET', path, needs: { operation: 'RECEIVING_ACCOUNT.FETCH' } }, (visit) => screen(visit));

  declare({ method: 'POST', path, needs: set }, async (visit) => {
    const { api, form, params, place } = visit;
    const edited = { fields, form };
    // Its place among the others is no part of its version.
    const isMoved = chosenIn(form, 'order').includes('first') && !(await isFirst(visit));
    const saved = await saveEdit<ReceivingAccount>(api, addressOf(params.id), edited, (patch) => ({
      body: { ...patch, ...firstIn(form) },
    }));
    if ('refusal' in saved) return refused(saved.refusal.status, saved.refusal.mistakes);
    if ('mistakes' in saved) return screen(visit, saved.mistakes);
    const done = doneIf(saved.isChanged || isMoved, 'saved');
    return { goTo: wayIn(place.tenant, `settings/receiving-accounts/${saved.data.id}`), done };
  });

  declare(
    {
      method: 'POST',
      path: `${path}/remove`,
      needs: { operation: 'RECEIVING_ACCOUNT.DELETE', confirmed: true },
    },
    async (visit) => {
      const { api, form, params, place } = visit;
      const removed = await removeSeen(api, addressOf(params.id), form);
      if (!removed.ok && removed.status === STALE) return screen(visit, CHANGED);
      if (!removed.ok) return refused(removed.status, removed.mistakes);
      const done = doneIf(removed.isChanged, 'receiving-account-removed');
      return { goTo: wayIn(place.tenant, 'settings'), done };
    },
  );
}
