/** Payment files: what a new one would have, those that there are, and what became of their transfers. */
import type { representEntry, representOutgoing } from '../../banking/representation.ts';
import type { representRefund } from '../../checkout/representation.ts';
import { type Content, type Html, html } from '../../lib/html.ts';
import { type ApiAnswer, type ApiCaller, type Mistake, mistakesOf } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { field, hidden, keyAfter, onceField, onceIn, otherMistakes } from '../form.ts';
import { pager, queryOf } from '../listing.ts';
import { moneyWays, waysTo } from '../money/view.ts';
import { type Outcome, refused, refusedAs } from '../outcome.ts';
import { type Place, pathIn, wayIn } from '../place.ts';
import type { Declare, Visit } from '../screen.ts';
import { versionAfter, versionField, versionIn } from '../seen.ts';
import { stateOf } from '../sessions/states.ts';
import { table } from '../table.ts';
import { amountOf, factsOf, timeIn } from '../texts.ts';

type Preview = ReturnType<typeof representOutgoing>;
type Refund = ReturnType<typeof representRefund>;
type Entry = ReturnType<typeof representEntry>;

type PaymentFile = Readonly<
  Record<'id' | 'created_at' | 'receiving_account' | 'currency' | 'execute_on', string>
> & {
  readonly amount: number;
  readonly payments: ReadonlyArray<{
    readonly id: string;
    readonly amount: number;
    readonly account: string;
  }>;
  readonly left_out: Preview['left_out'];
};

/** Name of the field with the day for an account: each has a form on the screen. */
const dayField = (account: string): string => `execute_on_${account}`;

const othersMeanwhile: Mistake = {
  message:
    'Other payments are to be sent by now than when you opened this page: look at their number and sum, and create the file of these.',
  pointer: '/version',
};

const isOfVersion = ({ pointer }: Mistake): boolean => pointer === '/version';

/** Transfers that one screen tells the state of: each is asked for by itself. */
const SHOWN = 50;

export function paymentFileScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const root = '/:account/:mode/payment-files';
  const current = 'movements';
  const here = ({ tenant }: Place) => `${basePath}${pathIn(tenant, 'payment-files')}`;

  declare({ method: 'GET', path: root, needs: { operation: 'PAYMENT_FILE.PREVIEW' } }, (visit) =>
    list(visit),
  );

  declare(
    { method: 'POST', path: root, needs: { operation: 'PAYMENT_FILE.CREATE', confirmed: true } },
    async (visit) => {
      const { api, form, place } = visit;
      const { receiving_account = '' } = form;
      const { [dayField(receiving_account)]: execute_on = '' } = form;
      // Texts that are empty or absent are absent fields: a form that says nothing of a version is for what there is.
      const body = { receiving_account, execute_on, version: versionIn(form) };
      const answer = await api.send<PaymentFile>('POST', '/v3/payment_file', body, onceIn(form));
      return answer.ok
        ? { goTo: wayIn(place.tenant, `payment-files/${answer.data.id}`), done: 'payment-file-created' }
        : list(visit, answer);
    },
  );

  async function list(visit: Visit, created?: ApiAnswer<PaymentFile>): Promise<Outcome> {
    const { api, place, query } = visit;
    const [previews, files, waiting] = await Promise.all([
      api.get<Preview[]>('/v3/payment_file/preview'),
      api.get<PaymentFile[]>(`/v3/payment_file${queryOf([], query)}`),
      api.get<Refund[]>(`/v3/refund?status=pending&rail=bank&limit=${SHOWN}`),
    ]);
    if (!previews.ok) return refused(previews.status, previews.mistakes);
    if (!files.ok) return refused(files.status, files.mistakes);
    if (!waiting.ok) return refused(waiting.status, waiting.mistakes);
    const mistakes = (created === undefined ? [] : mistakesOf(created)).map((each) =>
      isOfVersion(each) ? othersMeanwhile : each,
    );
    const shown = previews.data.map(({ receiving_account }) => receiving_account);
    const isShown = shown.includes(visit.form.receiving_account ?? '');
    const ofForm = mistakes.filter((each) => each.pointer === '/execute_on' || isOfVersion(each));
    return {
      ...(created === undefined ? {} : { status: refusedAs(created.status) }),
      title: 'Payment files',
      current,
      main: html`${moneyWays(place, 'payment-files', basePath)}
${otherMistakes(mistakes, isShown ? ['execute_on', 'version'] : [])}
<p>Refunds by bank leave in a file for your bank (ISO 20022 pain.001). The statement that shows a transfer settles its refund.</p>
<section><h2>To be sent</h2>${
        previews.data.length === 0
          ? html`<p>Nothing has to be sent. Refunds of payments by bank, and money that goes back from the inbox, appear here.</p>`
          : previews.data.map((preview) => previewOf(visit, preview, ofForm, created?.status))
      }</section>
<section><h2>Files</h2>${table(
        'Payment files',
        [
          'Created (UTC)',
          'Account',
          { name: 'Payments', isNumber: true },
          { name: 'Sum', isNumber: true },
          'Execution',
        ],
        files.data.map((file) => [
          html`<a data-row href="${here(place)}/${file.id}">${timeIn(file.created_at)}</a>`,
          file.receiving_account,
          file.payments.length,
          amountOf(file.amount, file.currency),
          file.execute_on,
        ]),
        'There is no payment file yet. Create one as soon as there is something to be sent.',
      )}
${pager([], query, { action: here(place), nextCursor: files.nextCursor })}</section>
<section><h2>Refunds that wait for the bank</h2>${refundsIn(place, waiting.data)}${
        waiting.nextCursor !== null && html`<p class="hint">The newest ${SHOWN} are shown.</p>`
      }</section>`,
    };
  }

  const refundsIn = (place: Place, refunds: readonly Refund[]): Html =>
    table(
      'Refunds that wait for the bank',
      ['Created (UTC)', 'Session', { name: 'Amount', isNumber: true }, 'File'],
      refunds.map(({ id, created_at, reference_id, amount, currency, payment_file: file }) => [
        timeIn(created_at),
        html`<a href="${waysTo(place, basePath).refunds}/${id}">${reference_id}</a>`,
        amountOf(amount, currency),
        file === '' ? 'in none yet' : html`<a href="${here(place)}/${file}">${file}</a>`,
      ]),
      'No refund waits for the bank.',
    );

  /** The form for one account. What was typed stays in that of the account that it was typed for. */
  function previewOf(
    { form, place, visitor }: Visit,
    { receiving_account: account, count, amount, currency, version, left_out }: Preview,
    wrong: readonly Mistake[],
    status = 200,
  ): Html {
    const isOwn = form.receiving_account === account;
    const isStale = wrong.some(isOfVersion);
    const hint = 'A day, such as 2030-02-01. Leave it empty for today.';
    const day = {
      name: dayField(account),
      label: 'Execution',
      type: 'date' as const,
      value: form[dayField(account)],
      hint,
    };
    return html`<div class="card"><h3>${account}</h3>
${otherMistakes(isOwn ? wrong : [], ['execute_on'])}
<p>${count} ${count === 1 ? 'payment' : 'payments'}, ${amountOf(amount, currency)} together.</p>
${
  left_out.length > 0 &&
  html`<p>These can be in no file:</p><ul>${left_out.map(
    ({ id, reason }) => html`<li>${subjectLink(place, id)}: ${reason}</li>
`,
  )}</ul>`
}
${
  count > 0 &&
  place.may('PAYMENT_FILE.CREATE') &&
  html`<form method="post" action="${here(place)}">${tokenField(visitor)}${onceField(isOwn ? keyAfter(form, status) : undefined)}${hidden('receiving_account', account)}${versionField(versionAfter(form, version, !isOwn || isStale))}
${field(
  day,
  (isOwn ? wrong : [])
    .filter(({ pointer }) => pointer === '/execute_on')
    .map(({ message }) => ({ message, pointer: `/${dayField(account)}` })),
)}
<button>Create the file</button></form>`
}</div>`;
  }

  /** A refund, or a bank entry, such as one whose money goes back. */
  function subjectLink(place: Place, id: string): Html {
    if (id.startsWith('rfd_')) return html`<a href="${waysTo(place, basePath).refunds}/${id}">${id}</a>`;
    return place.may('BANK_ENTRY.FETCH')
      ? html`<a href="${basePath}${pathIn(place.tenant, `bank/entries/${id}`)}">${id}</a>`
      : html`<code>${id}</code>`;
  }

  declare(
    { method: 'GET', path: `${root}/:id`, needs: { operation: 'PAYMENT_FILE.FETCH' } },
    async ({ api, params, place, query }) => {
      const answer = await api.get<PaymentFile>(`/v3/payment_file/${encodeURIComponent(params.id ?? '')}`);
      if (!answer.ok) return refused(answer.status, answer.mistakes);
      const { data: file } = answer;
      const from = /^\d{1,4}$/.test(query.from ?? '') ? Number(query.from) : 0;
      const payments = file.payments.slice(from, from + SHOWN);
      const states = await Promise.all(payments.map(({ id }) => stateIn(api, place, file.id, id)));
      const path = `${here(place)}/${file.id}`;
      return {
        title: 'Payment file',
        current,
        main: html`${factsOf([
          ['Account', file.receiving_account],
          ['Sum', amountOf(file.amount, file.currency)],
          ['Payments', file.payments.length],
          ['Created', html`${timeIn(file.created_at)} UTC`],
          ['Execution', file.execute_on],
          ['Id', html`<code>${file.id}</code>`],
        ])}
${
  place.may('PAYMENT_FILE.CONTENT') &&
  html`<p><a class="button" href="${path}/content.xml">Download the file</a></p>
<p class="hint">Hand it to your bank once. A transfer that the bank has not taken goes with the same file again, never with a new one.</p>`
}
<section><h2>What became of its transfers</h2>${table(
          'Transfers of the file',
          ['Transfer', 'To', { name: 'Amount', isNumber: true }, 'State', 'Told by'],
          payments.map(({ id, account, amount }, index) => [
            subjectLink(place, id),
            account,
            amountOf(amount, file.currency),
            ...(states[index] ?? []),
          ]),
        )}
<nav class="row" aria-label="Pages">${from > 0 && html`<a href="${path}">First</a>`}
${from + SHOWN < file.payments.length && html`<a href="${path}?from=${from + SHOWN}">Further</a>`}</nav></section>
${
  file.left_out.length > 0 &&
  html`<section><h2>Not in the file</h2><ul>${file.left_out.slice(0, SHOWN).map(
    ({ id, reason }) => html`<li>${subjectLink(place, id)}: ${reason}</li>
`,
  )}</ul></section>`
}`,
      };
    },
  );

  /** State of a transfer, of the refund or of the money that goes back, and the bank entries that told of it. */
  async function stateIn(
    api: ApiCaller,
    place: Place,
    file: string,
    id: string,
  ): Promise<readonly [state: Content, toldBy: Content]> {
    if (id.startsWith('rfd_')) {
      const refund = await api.get<Refund>(`/v3/refund/${id}`);
      if (!refund.ok) return ['not known', ''];
      const { status, status_description: why, bank_entries: entries, reference } = refund.data;
      const told = entries.map((each) => html`${subjectLink(place, each)} `);
      return [html`${stateOf(status)} ${why}`, told.length > 0 ? told : reference];
    }
    if (!place.may('BANK_ENTRY.FETCH')) return ['not shown to your role', ''];
    const entry = await api.get<Entry>(`/v3/bank_entry/${id}`);
    const sent = entry.ok ? entry.data.sent_back : null;
    if (sent === null) return ['not known', ''];
    // Money that came back may have been sent once more, which says nothing of this file.
    return sent.payment_file === file
      ? [stateOf(sent.status), '']
      : [html`${stateOf('failed')} and sent back anew`, ''];
  }

  declare(
    { method: 'GET', path: `${root}/:id/content.xml`, needs: { operation: 'PAYMENT_FILE.CONTENT' } },
    async ({ api, params }) => {
      const id = encodeURIComponent(params.id ?? '');
      const answer = await api.get<Readonly<Record<'name' | 'media_type' | 'content', string>>>(
        `/v3/payment_file/${id}/content`,
      );
      if (!answer.ok) return refused(answer.status, answer.mistakes);
      const { name, media_type: type, content } = answer.data;
      return { file: { name, type, content: once(content) } };
    },
  );
}

async function* once(content: string): AsyncGenerator<string> {
  yield content;
}
