/** Bank statements: those that were imported, and the import of a file behind a look at what it would do. */
import type { Readable } from 'node:stream';
import type { JsonObject } from '../../checkout/session.ts';
import { UPLOAD_LIMIT_BYTES } from '../../http/routes/bank-statement.ts';
import { type Html, html } from '../../lib/html.ts';
import type { Mistake } from '../api.ts';
import { MAX_CARRIED_BYTES, packed, unpacked } from '../bank/carried.ts';
import { entriesOf, mistakesOf, type Preview, previewFacts, statementsOf } from '../bank/preview.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { field, hidden, onceField, onceIn, otherMistakes } from '../form.ts';
import { pager } from '../listing.ts';
import { type Outcome, refused } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import type { Declare, Visit } from '../screen.ts';
import { table } from '../table.ts';
import { factsOf, timeIn } from '../texts.ts';
import { keeping } from '../upload.ts';

type Statement = {
  readonly id: string;
  readonly created_at: string;
  readonly sha256: string;
  readonly name: string;
  readonly statements: readonly string[];
  readonly entries: number;
  readonly new: number;
  readonly settled: number;
  readonly open: number;
};
export type SavedMapping = { readonly id: string; readonly mapping: JsonObject };

const path = '/:account/:mode/bank/statements';
const current = 'bank';
/** Characters of a name that the API takes. */
const MAX_NAME = 200;

type Failed = { readonly status: number; readonly mistakes: readonly Mistake[] };

/** A file that is refused by its length, before or while it comes. */
const tooLarge: Failed = {
  status: 413,
  mistakes: [
    {
      message:
        'The file is too large: at most 64 MiB are taken here. Ask your bank for a shorter time, or put the file into the folder that the service reads statements from.',
      pointer: '/file',
    },
  ],
};
const refusalOf = (failed: Failed): Failed => (failed.status === tooLarge.status ? tooLarge : failed);

const withoutFile: Failed = { status: 422, mistakes: [{ message: 'Choose a file.', pointer: '/file' }] };

/** A name without characters that nobody can see. */
export const nameIn = (name: string): string => name.replace(/\p{Cc}/gu, ' ').slice(0, MAX_NAME);

export function statementScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const needs = { operation: 'BANK_STATEMENT.IMPORT' } as const;
  const to =
    ({ place }: Visit) =>
    (screen: string) =>
      `${basePath}${pathIn(place.tenant, screen)}`;

  declare({ method: 'GET', path, needs: { operation: 'BANK_STATEMENT.LIST' } }, (visit) => screen(visit));

  declare(
    { method: 'GET', path: `${path}/:id`, needs: { operation: 'BANK_STATEMENT.FETCH' } },
    async (visit) => {
      const id = encodeURIComponent(visit.params.id ?? '');
      const answer = await visit.api.get<Statement>(`/v3/bank_statement/${id}`);
      if (!answer.ok) return refused(answer.status, answer.mistakes);
      const { data: statement } = answer;
      const here = to(visit);
      return {
        title: statement.name || 'Bank statement',
        current,
        main: html`<section><h2>The file</h2>${factsOf([
          ['Imported', html`${timeIn(statement.created_at)} UTC`],
          ['Statements', statement.statements.filter(Boolean).join(', ') || '–'],
          ['Entries', statement.entries],
          ['New', statement.new],
          ['Settled', statement.settled],
          ['For a person', statement.open],
          ['SHA-256', html`<code>${statement.sha256}</code>`],
          ['Id', html`<code>${statement.id}</code>`],
        ])}</section>
<p class="row">${statement.open > 0 && html`<a class="button" href="${here('bank')}">See what waits</a>`}
<a href="${here('bank/statements')}">All statements</a></p>`,
      };
    },
  );

  declare({ method: 'POST', path: `${path}/preview`, needs, upload: true }, async (visit) => {
    const { api, file, form } = visit;
    if (file === null) return screen(visit, withoutFile);
    if (file.isTooLarge) return screen(visit, tooLarge);
    const name = nameIn(file.name);
    const mapping = form.mapping ?? '';
    const { content, kept } = keeping(file.content, MAX_CARRIED_BYTES);
    const query = queryOf({ name, mapping });
    const answer = await api.upload<Preview>(`/v3/bank_statement/preview?${query}`, content);
    if (!answer.ok) return screen(visit, refusalOf(answer));
    return previewScreen(visit, answer.data, { mapping, carried: await packed(kept()) });
  });

  declare({ method: 'POST', path: `${path}/import`, needs, upload: true }, async (visit) => {
    const { api, file, form, place } = visit;
    const content: Readable | Buffer | null =
      form.carried === undefined ? (file?.content ?? null) : await unpacked(form.carried);
    if (content === null) return screen(visit, withoutFile);
    if (form.carried === undefined && file?.isTooLarge === true) return screen(visit, tooLarge);
    const { name = '', mapping = '', sha256 = '' } = form;
    const query = queryOf({ name: nameIn(name), mapping, sha256 });
    const answer = await api.upload<Statement>(`/v3/bank_statement?${query}`, content, onceIn(form));
    if (answer.ok)
      return { goTo: wayIn(place.tenant, `bank/statements/${answer.data.id}`), done: 'statement-imported' };
    const { status } = answer;
    if (status === tooLarge.status) return screen(visit, tooLarge);
    const mistakes = answer.mistakes.map((each) => (each.pointer === '/sha256' ? anotherFile : each));
    return screen(visit, { status, mistakes });
  });

  async function screen(visit: Visit, failed?: Failed): Promise<Outcome> {
    const { api, query, place } = visit;
    const after = query.after === undefined ? '' : `?after=${encodeURIComponent(query.after)}`;
    const answer = await api.get<Statement[]>(`/v3/bank_statement${after}`);
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    const mayImport = place.may('BANK_STATEMENT.IMPORT');
    const saved = mayImport ? await api.get<SavedMapping[]>('/v3/csv_mapping') : null;
    if (saved?.ok === false) return refused(saved.status, saved.mistakes);
    const here = to(visit)('bank/statements');
    const rows = answer.data.map((each) => [
      timeIn(each.created_at),
      html`<a href="${here}/${each.id}">${each.name || each.id}</a>`,
      each.statements.filter(Boolean).slice(0, 3).join(', '),
      each.entries,
      each.new,
      each.settled,
      each.open,
    ]);
    const number = (name: string) => ({ name, isNumber: true }) as const;
    const columns = ['Imported (UTC)', 'File', 'Statements', number('Entries'), number('New')];
    return {
      status: failed?.status ?? 200,
      title: 'Bank statements',
      current,
      main: html`${saved && uploadForm(visit, saved.data, failed?.mistakes ?? [])}
<section><h2>Imported</h2>${table(
        'Statements',
        [...columns, number('Settled'), number('For a person')],
        rows,
        'No statement was imported yet. Get one from your bank (camt.053, camt.054, MT940 or CSV), and choose it above.',
      )}
${pager([], query, { action: here, nextCursor: answer.nextCursor })}</section>
<p class="row"><a href="${to(visit)('bank')}">Entries that wait</a>
${place.may('CSV_MAPPING.LIST') && html`<a href="${to(visit)('bank/mappings')}">CSV mappings</a>`}</p>`,
    };
  }

  function uploadForm(visit: Visit, mappings: readonly SavedMapping[], mistakes: readonly Mistake[]): Html {
    const { form, visitor } = visit;
    return html`<section><h2>Import a statement</h2>
${otherMistakes(mistakes, ['file', 'mapping'])}
<form method="post" action="${to(visit)('bank/statements/preview')}" enctype="multipart/form-data"${uploading}>${tokenField(visitor)}
${
  mappings.length > 0 &&
  field(
    {
      name: 'mapping',
      label: 'Columns of a CSV',
      value: form.mapping,
      choices: [['', 'it is no CSV'], ...mappings.map(({ id }) => [id, id] as const)],
    },
    mistakes,
  )
}
${field({ name: 'file', label: 'File', type: 'file', hint: 'camt.053, camt.054, MT940 or CSV as your bank made it, 64 MiB at most. You see what it would do before anything is booked.' }, mistakes)}
<button>Look at it</button>
</form></section>`;
  }

  type Looked = { readonly mapping: string; readonly carried: string | null };

  function previewScreen(visit: Visit, preview: Preview, looked: Looked): Outcome {
    const here = to(visit);
    return {
      title: 'Preview of a statement',
      current,
      main: html`${preview.imported_as !== null && html`<p class="alert">The file was <a href="${here(`bank/statements/${preview.imported_as}`)}">imported before</a>. An import of it changes nothing.</p>`}
${preview.mistakes === 0 && preview.imported_as === null && (preview.entries === 0 ? html`<p class="alert">The file has no entries: there is nothing to import.</p>` : importForm(visit, preview, looked))}
${mistakesOf(preview)}
<div class="columns">${previewFacts(preview)}${statementsOf(preview)}</div>
${entriesOf(preview, here)}
<p class="row"><a href="${here('bank/statements')}">Choose another file</a></p>`,
    };
  }

  function importForm(visit: Visit, { name, sha256, entries, known }: Preview, looked: Looked): Html {
    const { mapping, carried } = looked;
    return html`<form method="post" action="${to(visit)('bank/statements/import')}" enctype="multipart/form-data"${carried === null && uploading}>${tokenField(visit.visitor)}${onceField()}${hidden('name', name)}${hidden('mapping', mapping)}${hidden('sha256', sha256)}
${
  carried === null
    ? field({
        name: 'file',
        label: 'The same file again',
        type: 'file',
        required: true,
        hint: 'It is too large to stay in this page, and nothing of it is kept until you import it.',
      })
    : hidden('carried', carried)
}
<button>Import it: ${entries - known} new</button>
</form>`;
  }
}

/** Attributes of a form whose file shows, where there is JavaScript, how far it has come. */
const uploading = html` data-max-bytes="${UPLOAD_LIMIT_BYTES}" data-too-large="${tooLarge.mistakes[0]?.message}"`;

const anotherFile: Mistake = {
  message: 'This is not the file that you have looked at. Look at this one first.',
  pointer: '/file',
};

/** A query without what is empty. */
const queryOf = (given: Readonly<Record<string, string>>): URLSearchParams =>
  new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
