/** Mappings of CSV columns: those that are saved, and a new one made by choosing what each column of a sample is. */
import type { representReceivingAccount } from '../../accounts/representation.ts';
import { tagOf } from '../../lib/condition.ts';
import { type Html, html } from '../../lib/html.ts';
import { guessedForm, SAMPLE_BYTES, sampleRows, sampleText } from '../../statements/sample.ts';
import { type Mistake, mistakesOf } from '../api.ts';
import {
  formFor,
  mappingFields,
  mappingForm,
  mappingFrom,
  skippedIn,
  withoutNulls,
} from '../bank/mapping-form.ts';
import { entriesOf, mistakesOf as mistakesIn, type Preview } from '../bank/preview.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { checkboxes, chosenIn, type Form, field, hidden, mistake, otherMistakes, second } from '../form.ts';
import { doneIf } from '../notices.ts';
import { type Outcome, refused } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import { saveChange } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { versionField, versionIn } from '../seen.ts';
import type { Settings } from '../setting-fields.ts';
import { table } from '../table.ts';
import type { SavedMapping } from './statements.ts';

type ReceivingAccount = ReturnType<typeof representReceivingAccount>;
type Failed = { readonly status: number; readonly mistakes: readonly Mistake[] };

const path = '/:account/:mode/bank/mappings';
const current = 'bank';
const SETTINGS = '/v3/account_settings';

const CHANGED = mistake(
  'Somebody has changed the mapping meanwhile: see what it is now. It was not deleted.',
);

export function mappingScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const change = { operation: 'ACCOUNT_SETTINGS.UPDATE' } as const;
  const hereOf = ({ place }: Visit) => `${basePath}${pathIn(place.tenant, 'bank/mappings')}`;

  declare({ method: 'GET', path, needs: { operation: 'CSV_MAPPING.LIST' } }, (visit) => list(visit));

  async function list(visit: Visit, failed?: Failed): Promise<Outcome> {
    const { api, place, visitor } = visit;
    const answer = await api.get<SavedMapping[]>('/v3/csv_mapping');
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    const here = hereOf(visit);
    const mayChange = place.may('ACCOUNT_SETTINGS.UPDATE');
    const removal = ({ id, mapping }: SavedMapping) =>
      second(
        `Delete ${id}`,
        html`<form method="post" action="${here}/delete">${tokenField(visitor)}${hidden('name', id)}${versionField(versionOf({ id, mapping }))}<button class="quiet">Delete it</button></form>`,
      );
    const rows = answer.data.map((each) => [
      each.id,
      html`<details><summary>Fields</summary>${fieldsIn(each)}</details>`,
      mayChange && removal(each),
    ]);
    return {
      status: failed?.status ?? 200,
      title: 'CSV mappings',
      current,
      main: html`<section>${table('CSV mappings', ['Name', 'Columns', ''], rows, 'There is no mapping yet. A CSV statement can be read only by one.')}</section>
${
  mayChange &&
  html`<section><h2>New mapping</h2>${otherMistakes(failed?.mistakes ?? [], ['file'])}
<form method="post" action="${here}/sample" enctype="multipart/form-data">${tokenField(visitor)}
${field({ name: 'file', label: 'A CSV file of your bank', type: 'file', hint: 'Its first rows are shown, and you choose what each column is. Nothing of it is kept.' }, failed?.mistakes)}
<button>Show its columns</button>
</form></section>`
}`,
    };
  }

  declare({ method: 'POST', path: `${path}/sample`, needs: change, upload: true }, async (visit) => {
    const { api, file } = visit;
    const sample = file === null ? Buffer.alloc(0) : await beginningOf(file.content);
    if (sample.length === 0)
      return list(visit, { status: 422, mistakes: [{ message: 'Choose a file.', pointer: '/file' }] });
    const accounts = await api.get<ReceivingAccount[]>('/v3/receiving_account');
    if (!accounts.ok) return refused(accounts.status, accounts.mistakes);
    const [first] = accounts.data;
    const account = first?.iban ?? first?.account_number ?? '';
    const form = formFor(guessedForm(sample), { currency: first?.currency ?? '', account });
    return edit(visit, { form, sample });
  });

  declare({ method: 'POST', path: `${path}/try`, needs: change }, async (visit) => {
    const { api, form } = visit;
    const sample = sampleIn(form);
    if (sample === null) return list(visit);
    const { mapping, own } = mappingFrom(form, await rowsOf(form, sample));
    const query = new URLSearchParams({ csv_mapping: JSON.stringify(withoutNulls(mapping)) });
    // The text is read as it is shown: with a mark, the encoding of the mapping does not count once more.
    const text = Buffer.from(`\ufeff${sampleText(sample, form.encoding ?? '')}`);
    const answer = await api.upload<Preview>(`/v3/bank_statement/preview?${query}`, text);
    const mistakes = inForm(mistakesOf(answer, own));
    if (!answer.ok || own.length > 0) return edit(visit, { form, sample, failed: { status: 422, mistakes } });
    return edit(visit, { form, sample, preview: answer.data });
  });

  declare({ method: 'POST', path: `${path}/save`, needs: { ...change, confirmed: true } }, async (visit) => {
    const { api, form, place } = visit;
    const sample = sampleIn(form);
    if (sample === null) return list(visit);
    const { mapping, own } = mappingFrom(form, await rowsOf(form, sample));
    const name = (form.name ?? '').trim();
    let there: SavedMapping | undefined;
    const saved = await saveChange<Settings>(api, SETTINGS, ({ csv_mappings: known }) => {
      const found = Object.hasOwn(known, name) ? known[name] : undefined;
      const isNew = found === undefined || tagOf(withoutNulls(found)) === tagOf(withoutNulls(mapping));
      there = isNew ? undefined : { id: name, mapping: found };
      // A mapping is not written over because nobody could see that it is there, or what it is by now.
      const isTaken = there !== undefined && !(wantsToReplace(form) && versionIn(form) === versionOf(there));
      return {
        body: { csv_mappings: { [name]: mapping } },
        mistakes: [...own, ...(isTaken ? taken(form) : [])],
      };
    });
    if ('data' in saved)
      return { goTo: wayIn(place.tenant, 'bank/mappings'), done: doneIf(saved.isChanged, 'mapping-saved') };
    const { status, mistakes } = 'refusal' in saved ? saved.refusal : saved;
    return edit(visit, { form, sample, there, failed: { status, mistakes: inForm(mistakes, name) } });
  });

  declare(
    { method: 'POST', path: `${path}/delete`, needs: { ...change, confirmed: true } },
    async (visit) => {
      const { api, form, place } = visit;
      const { name = '' } = form;
      const seen = versionIn(form);
      const saved = await saveChange<Settings>(api, SETTINGS, ({ csv_mappings: known }) => {
        const found = Object.hasOwn(known, name) ? known[name] : undefined;
        const isAsSeen =
          seen === undefined || found === undefined || versionOf({ id: name, mapping: found }) === seen;
        return { body: { csv_mappings: { [name]: null } }, mistakes: isAsSeen ? [] : CHANGED };
      });
      if ('data' in saved)
        return {
          goTo: wayIn(place.tenant, 'bank/mappings'),
          done: doneIf(saved.isChanged, 'mapping-deleted'),
        };
      return list(visit, 'refusal' in saved ? saved.refusal : saved);
    },
  );

  type Edited = {
    readonly form: Form;
    readonly sample: Buffer;
    readonly preview?: Preview;
    readonly failed?: Failed;
    /** The mapping that has the name already, which the visitor sees from now on. */
    readonly there?: SavedMapping | undefined;
  };

  async function edit(visit: Visit, { form, sample, preview, failed, there }: Edited): Promise<Outcome> {
    const here = hereOf(visit);
    const rows = await rowsOf(form, sample);
    const mistakes = failed?.mistakes ?? [];
    const shown = [...mappingFields, ...(rows[0] ?? []).map((_, place) => `columns/${place}`)];
    const to = (screen: string) => `${basePath}${pathIn(visit.place.tenant, screen)}`;
    const version = there === undefined ? versionIn(form) : versionOf(there);
    return {
      status: failed?.status ?? 200,
      title: 'New CSV mapping',
      current,
      main: html`${otherMistakes(mistakes, shown)}
${preview && tried(preview, to)}
<section><form method="post" action="${here}/try">${tokenField(visit.visitor)}${hidden('sample', sample.toString('base64url'))}
${mappingForm(form, rows, mistakes)}
<button>Try it</button>
${field({ name: 'name', label: 'Name', value: form.name, maxlength: 32, hint: 'Of a to z, 0 to 9 and -, such as the name of the bank.' }, mistakes)}
${there && html`<p>The mapping ${there.id} is so:</p>${fieldsIn(there)}`}
${version !== undefined && html`${versionField(version)}${replaceBox(form)}`}
<button formaction="${here}/save">Save the mapping</button>
</form></section>`,
    };
  }
}

/** The version of one mapping by its name: another that has the same fields is another mapping, which may never have been seen. */
const versionOf = ({ id, mapping }: SavedMapping): string => tagOf({ id, mapping });

const fieldsIn = ({ id, mapping }: SavedMapping): Html =>
  html`<pre tabindex="0" role="region" aria-label="${`Mapping ${id}`}">${JSON.stringify(mapping, null, 2)}</pre>`;

/** The choice is there for who has seen the mapping that has the name, and is of that one alone. */
const replaceBox = (form: Form): Html =>
  checkboxes({
    name: 'replace',
    label: 'The mapping with this name',
    choices: [['yes', 'Replace it']],
    chosen: chosenIn(form, 'replace'),
  });
const wantsToReplace = (form: Form): boolean => chosenIn(form, 'replace').includes('yes');

const taken = (form: Form): readonly Mistake[] => [
  {
    message:
      wantsToReplace(form) && versionIn(form) !== undefined
        ? 'The mapping with this name is not the one that you have seen: see what it is now.'
        : 'There is a mapping with this name already.',
    pointer: '/name',
  },
];

/** Rows of the sample as the mapping reads them. */
const tried = (preview: Preview, to: (screen: string) => string): Html =>
  html`<p role="status" class="notice">Rows that can be read: ${preview.entries}. Mistakes: ${preview.mistakes}.</p>
${mistakesIn(preview)}
${entriesOf(preview, to)}`;

/** The sample that a form brings; null where it has none. */
function sampleIn({ sample = '' }: Form): Buffer | null {
  const bytes = Buffer.from(sample, 'base64url').subarray(0, SAMPLE_BYTES);
  return bytes.length === 0 ? null : bytes;
}

const rowsOf = (form: Form, sample: Buffer): Promise<string[][]> =>
  sampleRows(sample, {
    delimiter: delimiterIn(form),
    encoding: encodingIn(form),
    skipLines: skippedIn(form),
  });

const delimiterIn = ({ delimiter }: Form) =>
  ([',', ';', '\t', '|'] as const).find((each) => each === delimiter) ?? ',';
const encodingIn = ({ encoding }: Form) =>
  (['utf-8', 'iso-8859-1', 'iso-8859-15', 'windows-1252', 'utf-16le'] as const).find(
    (each) => each === encoding,
  ) ?? 'utf-8';

/** The first bytes of a file; the rest is not read. */
async function beginningOf(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= SAMPLE_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, SAMPLE_BYTES);
}

/** Mistakes of a mapping at the fields of the form; what is wrong with the name of one stands with that. */
function inForm(mistakes: readonly Mistake[], name = ''): Mistake[] {
  const prefixes = ['/csv_mapping', `/csv_mappings/${name}`];
  return mistakes.map(({ message, pointer }) => {
    const prefix = prefixes.find((each) => pointer.startsWith(`${each}/`));
    if (prefix !== undefined)
      return {
        message,
        pointer: pointer.slice(prefix.length).replace('/amount/', '/').replace('/only/words', '/only_words'),
      };
    return { message, pointer: pointer.startsWith('/csv_mappings') ? '/name' : pointer };
  });
}
