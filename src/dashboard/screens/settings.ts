/** Settings of an account and mode, and the ways to its receiving accounts and credentials. */
import type {
  representRailCredentials,
  representReceivingAccount,
  representSecretFate,
  representWebhookSecret,
} from '../../accounts/representation.ts';
import { type Html, html } from '../../lib/html.ts';
import type { Mistake } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { type Editable, editFields } from '../edit.ts';
import { keyAfter, mistake, onceField, onceIn, otherMistakes } from '../form.ts';
import { doneIf } from '../notices.ts';
import { type Outcome, refused, refusedAs } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import { credentialRails } from '../rails.ts';
import { STALE, saveEdit } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { overlapField, secondsIn } from '../secret-overlap.ts';
import { conditionIn, versionAfter, versionField } from '../seen.ts';
import { nameField, type Settings, settingParts } from '../setting-fields.ts';
import { table } from '../table.ts';
import { factsOf, secretsOf, timeIn } from '../texts.ts';

type ReceivingAccount = ReturnType<typeof representReceivingAccount>;
type RailCredentials = ReturnType<typeof representRailCredentials>;
type NewSecret = ReturnType<typeof representSecretFate>;
type WebhookSecret = ReturnType<typeof representWebhookSecret>;

const path = '/:account/:mode/settings';
const current = 'settings';
const SETTINGS = '/v3/account_settings';

/** The form that was sent, and what became of it. */
type Sent = {
  readonly part: string;
  readonly status: number;
  readonly mistakes: readonly Mistake[];
  readonly isStale?: boolean;
};

const rotatedMeanwhile = mistake(
  'Somebody has made a new secret meanwhile, and yours was not made. Send the form again only if theirs is to be replaced too.',
);

export function settingsScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const hereOf = ({ place }: Visit) => `${basePath}${pathIn(place.tenant, 'settings')}`;

  /** The name is of both modes, and a change in test mode must not reach payers. */
  const fieldsOf = (
    { place }: Visit,
    { part, fields }: (typeof settingParts)[number],
  ): ReadonlyArray<Editable<Settings>> =>
    part === 'business' && place.mode === 'live' ? [nameField, ...fields] : fields;

  async function screen(
    visit: Visit,
    sent: Sent = { part: '', status: 200, mistakes: [] },
  ): Promise<Outcome> {
    const { api, place, form, visitor } = visit;
    const [settings, accounts, credentials, secret] = await Promise.all([
      api.get<Settings>(SETTINGS),
      api.get<readonly ReceivingAccount[]>('/v3/receiving_account'),
      api.get<readonly RailCredentials[]>('/v3/rail_credentials'),
      place.may('WEBHOOK_SECRET.ROTATE') ? api.get<WebhookSecret>('/v3/webhook_secret') : null,
    ]);
    if (!settings.ok) return refused(settings.status, settings.mistakes);
    if (!accounts.ok) return refused(accounts.status, accounts.mistakes);
    if (!credentials.ok) return refused(credentials.status, credentials.mistakes);
    if (secret?.ok === false) return refused(secret.status, secret.mistakes);
    const token = tokenField(visitor);
    const partIn = (part: (typeof settingParts)[number]): Html => {
      const fields = fieldsOf(visit, part);
      const isSent = part.part === sent.part;
      const mistakes = isSent ? sent.mistakes : [];
      const names = fields.map(({ name }) => name);
      return html`<section><h2>${part.title}</h2>
${otherMistakes(mistakes, names)}
<form method="post" action="${hereOf(visit)}/${part.part}">${token}
${editFields(fields, settings.data, { form: isSent ? form : {}, mistakes })}
<button>Save</button>
</form>
${part.part === 'branding' && place.may('LOGO.SET') && html`<p><a href="${hereOf(visit)}/logo">Logo</a></p>`}</section>
`;
    };
    const isOfSecret = sent.part === 'webhook-secret';
    const ofSecret = isOfSecret ? sent.mistakes : [];
    return {
      status: sent.mistakes.length > 0 ? refusedAs(sent.status) : 200,
      title: 'Settings',
      current,
      main: html`${receivingAccountsIn(visit, accounts.data)}
${credentialsIn(visit, credentials.data)}
${place.may('ACCOUNT_SETTINGS.UPDATE') && settingParts.map(partIn)}
${
  secret &&
  html`<section><h2>Secret of webhooks to the addresses of sessions</h2>
<p>Endpoints have secrets of their own.</p>
${factsOf([['The secret before signs until', timeIn(secret.data.previous_secret_expires_at)]])}
${otherMistakes(ofSecret)}
<form method="post" action="${hereOf(visit)}/webhook-secret">${token}${versionField(versionAfter(form, secret.etag, !isOfSecret || sent.isStale))}${onceField(isOfSecret ? keyAfter(form, sent.status) : undefined)}
${overlapField(isOfSecret ? form : {})}
<button>Make a new secret</button>
</form></section>`
}
<section><h2>What is kept</h2>
<p><a href="${hereOf(visit)}/retention">For how long deliveries and events are kept</a></p></section>`,
    };
  }

  function receivingAccountsIn(visit: Visit, accounts: readonly ReceivingAccount[]): Html {
    const here = hereOf(visit);
    const rows = accounts.map((each) => [
      html`<a href="${here}/receiving-accounts/${each.id}">${each.id}</a>`,
      each.currency,
      each.holder.name,
      each.iban ?? each.account_number ?? each.paynow ?? each.promptpay ?? each.pix ?? each.upi ?? '–',
      each.methods.join(', '),
    ]);
    const none = 'There is no receiving account yet. Payers need one to pay by bank transfer.';
    return html`<section><h2>Receiving accounts</h2>
${table('Receiving accounts', ['Id', 'Currency', 'Holder', 'Account', 'Payment methods'], rows, none)}
${visit.place.may('RECEIVING_ACCOUNT.SET') && html`<p><a class="button" href="${here}/new-receiving-account">Add a receiving account</a></p>`}</section>`;
  }

  function credentialsIn(visit: Visit, credentials: readonly RailCredentials[]): Html {
    const rows = credentialRails.map(([rail, name]) => {
      const found = credentials.find(({ id }) => id === rail);
      const hints = Object.entries(found?.hints ?? {}).map(([field, hint]) => `${field} …${hint}`);
      return [
        html`<a href="${hereOf(visit)}/credentials/${rail}">${name}</a>`,
        found === undefined ? 'none of its own' : hints.join(', '),
        timeIn(found?.set_at ?? null),
      ];
    });
    return html`<section><h2>Credentials at rails</h2>
${table('Credentials', ['Rail', 'Secrets', 'Set'], rows, '')}</section>`;
  }

  declare({ method: 'GET', path, needs: { operation: 'ACCOUNT_SETTINGS.FETCH' } }, (visit) => screen(visit));

  for (const part of settingParts)
    declare(
      {
        method: 'POST',
        path: `${path}/${part.part}`,
        needs: { operation: 'ACCOUNT_SETTINGS.UPDATE', confirmed: true },
      },
      async (visit) => {
        const { api, form, place } = visit;
        const saved = await saveEdit<Settings>(api, SETTINGS, { fields: fieldsOf(visit, part), form });
        if ('refusal' in saved) return refused(saved.refusal.status, saved.refusal.mistakes);
        if ('mistakes' in saved) return screen(visit, { part: part.part, ...saved });
        return { goTo: wayIn(place.tenant, 'settings'), done: doneIf(saved.isChanged, 'saved') };
      },
    );

  declare(
    {
      method: 'POST',
      path: `${path}/webhook-secret`,
      needs: { operation: 'WEBHOOK_SECRET.ROTATE', confirmed: true },
    },
    async (visit) => {
      const { api, form } = visit;
      const body = { overlap_seconds: secondsIn(form) };
      const answer = await api.send<NewSecret>('POST', '/v3/webhook_secret/rotate', body, {
        ...onceIn(form),
        ...conditionIn(form),
      });
      if (!answer.ok) {
        const isStale = answer.status === STALE;
        const mistakes = isStale ? rotatedMeanwhile : answer.mistakes;
        return screen(visit, { part: 'webhook-secret', status: answer.status, mistakes, isStale });
      }
      const { secret, previous_secret_expires_at: until } = answer.data;
      return {
        title: 'The new secret of webhooks',
        current,
        main: html`<p>It signs webhooks to the addresses of sessions.${until !== null && html` The one before signs too, until ${timeIn(until)}.`}</p>
${secretsOf([['Signing secret', secret]], hereOf(visit))}`,
      };
    },
  );
}
