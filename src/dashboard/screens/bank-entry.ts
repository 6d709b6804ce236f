/** A bank entry, and what a person decides about it. */
import type { representAuditEntry } from '../../accounts/representation.ts';
import { currencyExponent } from '../../checkout/money.ts';
import { type Html, html } from '../../lib/html.ts';
import { type Actors, actorLink, actorsOf } from '../actors.ts';
import { type Mistake, mistakesOf, type Told } from '../api.ts';
import { type Entry, entryFacts, isReopenable, isUndecided, subjectLink, whyOf } from '../bank/entry.ts';
import { moreButton, type PartRow, partFields, partForm, partsFrom, rowOf, rowsIn } from '../bank/parts.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { field, hidden, keyAfter, mistake, onceField, onceIn, otherMistakes, second } from '../form.ts';
import type { Notice } from '../notices.ts';
import { type Outcome, refused } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import { STALE } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { conditionIn, leftAfter, leftField, leftIn, versionAfter, versionField } from '../seen.ts';
import { stateOf } from '../sessions/states.ts';
import type { Session } from '../sessions/view.ts';
import { table } from '../table.ts';
import { amountOf, timeIn, wordsOf } from '../texts.ts';

type AuditEntry = ReturnType<typeof representAuditEntry>;

/** Form that was sent, and its result; `action` is the last part of its path. */
type Sent = {
  readonly action: string;
  readonly status: number;
  readonly mistakes: readonly Mistake[];
  /** The mistakes tell that the entry is no longer as its visitor has seen it. */
  readonly isStale?: boolean;
};

const path = '/:account/:mode/bank/entries/:id';
const ROWS = 2;
const MORE = 3;
/** Changes of an entry that are shown. */
const CHANGES = 20;

const idOf = ({ params }: Visit): string => encodeURIComponent(params.id ?? '');
const addressOf = (visit: Visit): string => `/v3/bank_entry/${idOf(visit)}`;
const wayTo = ({ place, params }: Visit): string => wayIn(place.tenant, `bank/entries/${params.id}`);

const bookedMeanwhile: Mistake = {
  message: 'Somebody has booked a part of it meanwhile. Look at what is left now before you assign it.',
  pointer: '/amount_unassigned',
};

const isOfLeft = ({ pointer }: Mistake): boolean => pointer === bookedMeanwhile.pointer;

const decidedMeanwhile = mistake(
  'The entry has changed meanwhile: see what it is now. What you have decided was not carried out.',
);

/** Each form of the screen has a field of its own for its reason. */
const reasonName = (action: string): string => `${action}_reason`;

/** Actions with a reason and nothing else. */
const reasoned = [
  { action: 'ignore', operation: 'BANK_ENTRY.IGNORE', done: 'entry-ignored' },
  { action: 'reopen', operation: 'BANK_ENTRY.REOPEN', done: 'entry-reopened' },
  { action: 'send_back', operation: 'BANK_ENTRY.SEND_BACK', done: 'entry-sent-back', confirmed: true },
] as const satisfies ReadonlyArray<{ action: string; operation: string; done: Notice; confirmed?: true }>;

export function bankEntryScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath } = dependencies;

  declare({ method: 'GET', path, needs: { operation: 'BANK_ENTRY.FETCH' } }, (visit) => screen(visit));

  declare(
    { method: 'POST', path: `${path}/assign`, needs: { operation: 'BANK_ENTRY.ASSIGN' } },
    async (visit) => {
      const { api, form } = visit;
      if (form.more !== undefined) return screen(visit, { action: 'assign', status: 200, mistakes: [] });
      const entry = await api.get<Entry>(addressOf(visit));
      if (!entry.ok) return refused(entry.status, entry.mistakes);
      const made = await partsFrom(rowsIn(form), entry.data.currency, api);
      if ('status' in made) return refused(made.status, made.mistakes);
      const { parts, own } = made;
      // The decision was made on what was left when the form was made: it counts only while that is so.
      const body = { parts, amount_unassigned: leftIn(form) };
      const answer = await api.send('POST', `${addressOf(visit)}/assign`, body, onceIn(form));
      if (answer.ok) return { goTo: wayTo(visit), done: 'entry-assigned' };
      const mistakes = mistakesOf(answer, own).map((each) => (isOfLeft(each) ? bookedMeanwhile : each));
      return screen(visit, {
        action: 'assign',
        status: answer.status,
        mistakes,
        isStale: mistakes.some(isOfLeft),
      });
    },
  );

  for (const { action, operation, done, ...more } of reasoned)
    declare({ method: 'POST', path: `${path}/${action}`, needs: { operation, ...more } }, async (visit) => {
      const { api, form } = visit;
      const name = reasonName(action);
      const body = { reason: (form[name] ?? '').trim() };
      const asked = { ...onceIn(form), ...conditionIn(form) };
      const answer = await api.send('POST', `${addressOf(visit)}/${action}`, body, asked);
      if (answer.ok) return { goTo: wayTo(visit), done };
      if (answer.status === STALE)
        return screen(visit, { action, status: 422, mistakes: decidedMeanwhile, isStale: true });
      const mistakes = answer.mistakes.map(({ message, pointer }) => ({
        message,
        pointer: pointer === '/reason' ? `/${name}` : pointer,
      }));
      return screen(visit, { action, status: answer.status, mistakes });
    });

  async function screen(visit: Visit, sent: Sent | null = null): Promise<Outcome> {
    const { api, place } = visit;
    const answer = await api.get<Entry>(addressOf(visit));
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    const { data: entry, etag } = answer;
    const [sessions, changes, next, actors] = await Promise.all([
      sessionsOf(visit, entry),
      place.may('AUDIT.LIST')
        ? api.get<AuditEntry[]>(`/v3/audit?subject=${entry.id}&limit=${CHANGES}`)
        : null,
      nextOf(visit, entry),
      actorsOf(dependencies, place),
    ]);
    if (!sessions.ok) return refused(sessions.status, sessions.mistakes);
    if (changes?.ok === false) return refused(changes.status, changes.mistakes);
    if (!next.ok) return refused(next.status, next.mistakes);
    const to = (screen: string) => `${basePath}${pathIn(place.tenant, screen)}`;
    const here = to(`bank/entries/${entry.id}`);
    const shown = { visit, entry, etag, sessions: sessions.data, sent, here, to };
    return {
      status: sent?.status ?? 200,
      title: `${entry.counterparty.name || 'Bank entry'}, ${amountOf(entry.amount, entry.currency)}`,
      current: 'bank',
      main: html`${sent !== null && otherMistakes(sent.mistakes, isUndecided(entry) ? namesOf(visit, sent) : [])}
<nav class="row" aria-label="Inbox">
${next.data !== null && html`<a class="button${isUndecided(entry) && ' quiet'}" href="${to(`bank/entries/${next.data}`)}">Next that waits</a>`}
<a href="${to('bank')}">All that wait</a>
</nav>
<p>${stateOf(entry.status)} ${whyOf(entry)}</p>
<div class="columns"><section><h2>What the bank says</h2>${entryFacts(entry, { to })}</section>
${(isUndecided(entry) || isReopenable(entry)) && html`<div class="parts">${actionsOf(shown)}</div>`}</div>
${
  entry.parts.length > 0 &&
  html`<section><h2>Booked</h2>${table(
    'Booked parts',
    ['Session', { name: 'Amount', isNumber: true }, 'Payment'],
    entry.parts.map(({ payin, amount, payment }) => [
      subjectLink(payin, { to }),
      amountOf(amount, entry.currency),
      html`<code>${payment}</code>`,
    ]),
  )}</section>`
}
${changes && changesOf(changes.data, actors)}`,
    };
  }

  type Shown = {
    readonly visit: Visit;
    readonly entry: Entry;
    readonly etag: string;
    readonly sessions: readonly Suggested[];
    readonly sent: Sent | null;
    readonly here: string;
    readonly to: (screen: string) => string;
  };

  function actionsOf(shown: Shown): Html {
    const { visit, entry, etag, sessions, sent, here, to } = shown;
    const { form, place, visitor } = visit;
    const mistakesIn = (action: string) => (sent?.action === action ? sent.mistakes : []);
    const token = tokenField(visitor);
    const isCredit = entry.amount_unassigned > 0;
    const isAssignable = isCredit || entry.direction === 'debit';
    const once = (action: string) =>
      onceField(
        sent?.action === action
          ? form.more === undefined
            ? keyAfter(form, sent.status)
            : form.once
          : undefined,
      );
    const isStaleAt = (action: string) => sent?.action !== action || sent.isStale;
    const reasonForm = (action: string, button: string, label: string) =>
      html`<form method="post" action="${here}/${action}">${token}${once(action)}${versionField(versionAfter(form, etag, isStaleAt(action)))}
${field({ name: reasonName(action), label, value: form[reasonName(action)], maxlength: 500 }, mistakesIn(action))}
<button class="quiet">${button}</button></form>`;
    const leftFor = (isStale?: boolean) => leftField(leftAfter(form, entry.amount_unassigned, isStale));
    const canAssign = isUndecided(entry) && isAssignable && place.may('BANK_ENTRY.ASSIGN');
    const toOne = ({ id, session }: Suggested) =>
      html`<form method="post" action="${here}/assign" data-drop="entry" data-payin="${id}" data-session="${session?.reference_id ?? id}">${token}${onceField()}${leftFor(true)}${hidden('parts/0/payin', id)}<button class="quiet">Assign to ${session?.reference_id ?? id}</button></form>`;
    return html`${
      sessions.length > 0 &&
      html`<section><h2>It may be for</h2>${table(
        'Suggestions',
        ['Session', 'Payer', { name: 'Due', isNumber: true }, { name: 'Likelihood', isNumber: true }],
        sessions.map((each) => [
          html`<a href="${to(`sessions/${each.id}`)}"${canAssign && html` data-drag="session" data-payin="${each.id}" data-due="${each.session === null ? '' : rowOf(each.session).amount}"`}>${each.session?.reference_id ?? each.id}</a>${canAssign && toOne(each)}`,
          each.session?.customer_details.name || '–',
          each.session && amountOf(dueOf(each.session), each.session.invoice_currency),
          `${each.score} of 100`,
        ]),
      )}</section>`
    }
${canAssign && html`<section><h2>Assign</h2>${assignForm(shown, html`${token}${once('assign')}${leftFor(isStaleAt('assign'))}`)}</section>`}
${
  isUndecided(entry) &&
  html`<section><h2>Or</h2>
${
  isCredit &&
  place.may('BANK_ENTRY.SEND_BACK') &&
  (entry.counterparty.account === ''
    ? html`<p>It cannot be sent back: the bank did not report the account of the sender.</p>`
    : html`<details class="second"${mistakesIn('send_back').length > 0 && html` open`}><summary>Send it back</summary><p>${amountOf(entry.amount_unassigned, entry.currency)} goes back to ${entry.counterparty.account} with the next payment file.</p>${reasonForm('send_back', 'Send it back', 'Reason that the sender is told')}</details>`)
}
${place.may('BANK_ENTRY.IGNORE') && html`<details class="second"${mistakesIn('ignore').length > 0 && html` open`}><summary>Ignore it</summary><p>It concerns no session, such as interest.</p>${reasonForm('ignore', 'Ignore it', 'Reason')}</details>`}
</section>`
}
${
  isReopenable(entry) &&
  place.may('BANK_ENTRY.REOPEN') &&
  html`<section><h2>Undo</h2>${second(
    'Reopen it',
    html`${entry.sent_back?.status === 'pending' && html`<p>Make sure first that the bank will not carry out the transfer.</p>`}${reasonForm('reopen', 'Reopen it', 'Reason')}`,
  )}</section>`
}`;
  }

  function assignForm({ visit, entry, sessions, sent, here }: Shown, fields: Html): Html {
    const { form } = visit;
    const isSent = sent?.action === 'assign';
    const rows = isSent ? rowsIn(form) : proposed(entry, sessions);
    const blanks = isSent && form.more !== undefined ? MORE : Math.max(1, ROWS - rows.length);
    const isCredit = entry.amount_unassigned > 0;
    return html`<p>${
      isCredit
        ? html`<strong data-drag="entry" data-amount="${amountOf(entry.amount_unassigned, entry.currency)}" data-left="${entry.amount_unassigned}" data-digits="${currencyExponent(entry.currency) ?? 2}">${amountOf(entry.amount_unassigned, entry.currency)}</strong> can be assigned. Name a session by its id or its reference. One session without an amount gets all that is left. A booking is final.`
        : 'Name the session whose transfer was taken back, by its id or its reference.'
    }</p>
<form method="post" action="${here}/assign">${fields}
${partForm({ rows, blanks, currency: entry.currency, left: isCredit ? entry.amount_unassigned : null, mistakes: isSent ? sent.mistakes : [] })}
<p class="row"><button>Assign</button>${moreButton}</p>
</form>`;
  }
}

/** Fields that show what is wrong with them. */
const namesOf = ({ form }: Visit, { action }: Sent): string[] =>
  action === 'assign' ? partFields(rowsIn(form).length) : [reasonName(action)];

type Suggested = { readonly id: string; readonly score: number; readonly session: Session | null };

const dueOf = ({ amount, amount_paid }: Session): number => Math.max(0, amount - amount_paid);

/** Sessions that the entry may be for, as far as the visitor may see them. */
async function sessionsOf({ api }: Visit, { suggestions }: Entry): Promise<Told<Suggested[]>> {
  const answers = await Promise.all(
    suggestions.map(async (each) => [each, await api.get<Session>(`/v3/checkout/${each.payin}`)] as const),
  );
  const data: Suggested[] = [];
  for (const [{ payin, score }, answer] of answers) {
    if (!answer.ok && answer.status !== 404) return answer;
    data.push({ id: payin, score, session: answer.ok ? answer.data : null });
  }
  return { ok: true, data };
}

/** Rows to begin with: where an entry names several sessions, what is due for each of them. */
function proposed({ problem }: Entry, sessions: readonly Suggested[]): PartRow[] {
  if (problem !== 'several_references') return [];
  return sessions.flatMap(({ session }) => (session === null ? [] : [rowOf(session)]));
}

/** The id of the next entry that waits for a person: the next older one, else the newest. */
async function nextOf({ api }: Visit, { id }: Entry): Promise<Told<string | null>> {
  for (const after of [`&after=${id}`, '']) {
    const answer = await api.get<Entry[]>(`/v3/bank_entry?status=open&limit=2${after}`);
    if (!answer.ok) return answer;
    const found = answer.data.find((each) => each.id !== id);
    if (found !== undefined) return { ok: true, data: found.id };
  }
  return { ok: true, data: null };
}

const changesOf = (changes: readonly AuditEntry[], actors: Actors): Html =>
  html`<section><h2>What was done</h2>${table(
    'Changes',
    ['Time (UTC)', 'By', 'Action'],
    changes.map(({ created_at, actor, action }) => [
      timeIn(created_at),
      actorLink(actors(actor)),
      wordsOf(action),
    ]),
    'Nothing yet.',
  )}</section>`;
