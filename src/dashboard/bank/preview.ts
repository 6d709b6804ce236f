/** Preview of the import of a statement, as parts of a screen. */
import type { representPreview } from '../../ingest/representation.ts';
import { type Content, type Html, html } from '../../lib/html.ts';
import { stateOf } from '../sessions/states.ts';
import { table } from '../table.ts';
import { amountOf, factsOf, wordsOf } from '../texts.ts';
import { movedOf } from './entry.ts';

export type Preview = ReturnType<typeof representPreview>;

/** Address of a screen of the account: `sessions/chk_…`. */
type To = (screen: string) => string;

const formats: Readonly<Record<string, string>> = { camt: 'camt (ISO 20022)', mt940: 'MT940', csv: 'CSV' };
const number = (name: string) => ({ name, isNumber: true }) as const;

export function previewFacts({ name, format, ...counts }: Preview): Html {
  const facts: ReadonlyArray<readonly [name: string, value: Content]> = [
    ['File', name],
    ['Format', formats[format] ?? 'unknown'],
    ['Entries', counts.entries],
    ['Known already', counts.known],
    ['Would be settled', counts.settled],
    ['Would wait for a person', counts.open],
    ['Not looked up', counts.not_matched > 0 && counts.not_matched],
  ];
  return html`<section><h2>The file</h2>${factsOf(facts.filter(([, value]) => value !== false && value !== ''))}</section>`;
}

export const statementsOf = ({ statements }: Preview): Html =>
  html`<section><h2>Statements</h2>${table(
    'Statements',
    ['Number', 'Receiving account', 'Days', number('Entries'), number('In'), number('Out')],
    statements.map((each) => [
      each.number || '–',
      each.receiving_account || 'none of yours',
      [...new Set([each.from, each.to])].filter(Boolean).join(' to ') || '–',
      each.entries,
      amountOf(each.amount_in, each.currency),
      amountOf(each.amount_out, each.currency),
    ]),
    'The file has no statement that could be read.',
  )}</section>`;

/** Mistakes by line; nothing where there are none. */
export function mistakesOf({ mistakes, first_mistakes: first }: Preview): Html | false {
  const left = mistakes - first.length;
  return (
    mistakes > 0 &&
    html`<section><h2>Mistakes</h2>
<p>Nothing of a file with a mistake is imported.</p>
${table(
  'Mistakes',
  [number('Line'), 'Entry', 'Column', 'Mistake'],
  first.map(({ line, entry, column, message }) => [line ?? '–', entry ?? '–', column || '–', message]),
)}
${left > 0 && html`<p>And ${left} more.</p>`}</section>`
  );
}

/** The first entries, each with what would become of it. */
export function entriesOf({ first_entries: entries, entries: count }: Preview, to: To): Html | false {
  return (
    entries.length > 0 &&
    html`<section><h2>Entries</h2>${table(
      'Entries',
      [number('Line'), 'Booked', 'From and text', number('Amount'), 'Would be'],
      entries.map((entry) => [
        entry.line,
        html`<time>${entry.booked_on}</time>`,
        html`${entry.counterparty.name || entry.counterparty.account || '–'}<br><span class="hint">${[entry.remittance, entry.creditor_reference].filter(Boolean).join(' · ')}</span>`,
        movedOf(entry),
        becomes(entry, to),
      ]),
    )}${count > entries.length && html`<p>And ${count - entries.length} more.</p>`}</section>`
  );
}

type Foreseen = Preview['first_entries'][number];

function becomes({ status, problem, parts, concerns, currency }: Foreseen, to: To): Content {
  if (status === '') return 'not looked up';
  if (status === 'known') return stateOf('known');
  const booked = parts.map(
    ({ payin, amount }) =>
      html`<br>${amountOf(amount, currency)} for <a href="${to(`sessions/${payin}`)}">${payin}</a>`,
  );
  return html`${stateOf(status)}${problem !== '' && html`<br><span class="hint">${wordsOf(problem)}</span>`}${booked}${concerns !== '' && html`<br><span class="hint">${concerns}</span>`}`;
}
