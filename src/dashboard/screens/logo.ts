/** The logo of an account and mode, which payers see: shown, replaced, removed. */
import { MAX_LOGO_BYTES, MAX_LOGO_PIXELS } from '../../accounts/logo.ts';
import { html } from '../../lib/html.ts';
import type { Mistake } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { type Form, field, hidden, mistake, otherMistakes, second } from '../form.ts';
import { doneIf } from '../notices.ts';
import { type Outcome, refused } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import { removeSeen, STALE } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { conditionIn, isOtherThanSeen, versionAfter, versionField, versionIn } from '../seen.ts';
import { bytesOf } from '../upload.ts';

const path = '/:account/:mode/settings/logo';
const current = 'settings';
const LOGO = '/v3/logo';

/** The field that tells a form that has brought no file from one that only proves who somebody is. */
const SENT = 'sent';

const replaced = (form: Form): string =>
  `Somebody has set ${versionIn(form) === '' ? 'a' : 'another'} logo meanwhile, which is shown above.`;

/** Mistakes to show beside the form; or what it came without, or too late for, in the words for what there is now. */
type Mistakes = readonly Mistake[] | 'without its file' | 'stale to set';

const KIB = 1024;
const TOO_LONG = `The file has more than ${MAX_LOGO_BYTES / KIB} KiB.`;

const onFile = (message: string): readonly Mistake[] => [{ message, pointer: '/file' }];

const WITHOUT_FILE = onFile('Choose a file, also if you did before.');

export function logoScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const setting = { operation: 'LOGO.SET', confirmed: true } as const;
  const hereOf = ({ place }: Visit) => `${basePath}${pathIn(place.tenant, 'settings/logo')}`;

  async function screen(visit: Visit, told: Mistakes = [], isStale = false): Promise<Outcome> {
    const { api, form, place, visitor } = visit;
    const logo = await api.file(LOGO);
    if (!logo.ok && logo.status !== 404) return refused(logo.status, logo.mistakes);
    const newest = logo.ok ? logo.data.etag : '';
    const isLate = told === 'stale to set' || (told === 'without its file' && isOtherThanSeen(form, newest));
    const mistakes = isLate ? lateMistakes(logo.ok, form) : typeof told === 'string' ? WITHOUT_FILE : told;
    const here = hereOf(visit);
    const token = tokenField(visitor);
    return {
      status: mistakes.length > 0 ? 422 : 200,
      title: 'Logo',
      current,
      main: html`<section><h2>What payers see in ${place.mode} mode</h2>
${
  logo.ok
    ? html`<p class="logo"><img src="${here}/image" alt="The logo of ${place.account.name}"></p>`
    : html`<p>There is none: payers see the first letter of the name.</p>`
}
${otherMistakes(mistakes, ['file'])}
<form method="post" action="${here}" enctype="multipart/form-data">${token}${hidden(SENT, 'yes')}${versionField(versionAfter(form, newest, isLate || isStale))}
${field({ name: 'file', label: 'Image', type: 'file', hint: `PNG or JPEG, ${MAX_LOGO_BYTES / KIB} KiB and ${MAX_LOGO_PIXELS} × ${MAX_LOGO_PIXELS} pixels at most. It is shown beside the name, and on receipts and invoices.` }, mistakes)}
<button>${logo.ok ? 'Replace the logo' : 'Save the logo'}</button>
</form></section>
${
  logo.ok &&
  place.may('LOGO.DELETE') &&
  html`<section><h2>Remove</h2>
${second(
  'Remove the logo',
  html`<p>Payers see the first letter of the name again.</p>
<form method="post" action="${here}/remove">${token}${versionField(newest)}<button>Remove it</button></form>`,
)}</section>`
}`,
    };
  }

  declare({ method: 'GET', path, needs: setting }, (visit) => screen(visit));

  declare({ method: 'GET', path: `${path}/image`, needs: { operation: 'LOGO.FETCH' } }, async ({ api }) => {
    const logo = await api.file(LOGO);
    if (!logo.ok) return refused(logo.status, logo.mistakes);
    const { type, bytes } = logo.data;
    return { file: { name: 'logo', type, content: once(bytes) } };
  });

  declare({ method: 'POST', path, needs: setting, upload: true }, async (visit) => {
    const { api, file, form, place } = visit;
    // A proof of who somebody is has come in between, and a file does not go along.
    if (file === null) return screen(visit, form[SENT] === undefined ? [] : 'without its file');
    const bytes = await bytesOf(file.content, MAX_LOGO_BYTES);
    if (bytes === null) return screen(visit, onFile(TOO_LONG));
    const answer = await api.send('PUT', LOGO, bytes, {
      'content-type': typeOf(bytes),
      ...conditionIn(form),
    });
    if (answer.ok) {
      const done = doneIf(answer.etag !== versionIn(form), 'logo-saved');
      return { goTo: wayIn(place.tenant, 'settings/logo'), done };
    }
    if (answer.status === STALE) return screen(visit, 'stale to set');
    return screen(visit, onFile(answer.mistakes.map(({ message }) => message).join(' ')));
  });

  declare(
    {
      method: 'POST',
      path: `${path}/remove`,
      needs: { operation: 'LOGO.DELETE', confirmed: true },
    },
    async (visit) => {
      const { api, form, place } = visit;
      const removed = await removeSeen(api, LOGO, form);
      if (!removed.ok && removed.status === STALE)
        return screen(visit, mistake(`${replaced(form)} It was not removed.`), true);
      if (!removed.ok) return refused(removed.status, removed.mistakes);
      const done = doneIf(removed.isChanged, 'logo-removed');
      return { goTo: wayIn(place.tenant, 'settings/logo'), done };
    },
  );
}

const lateMistakes = (isThere: boolean, form: Form): readonly Mistake[] =>
  onFile(
    isThere
      ? `${replaced(form)} Choose the file once more to put yours in its place.`
      : 'Somebody has removed the logo meanwhile. Choose the file once more to set yours.',
  );

/** Type by the first bytes; the API looks at the rest, and says what is wrong with a file that is neither. */
const typeOf = (bytes: Buffer): string =>
  bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])) ? 'image/jpeg' : 'image/png';

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
