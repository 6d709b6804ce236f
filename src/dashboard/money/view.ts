/** Movements of money as parts of screens, and the ways between the screens that are about money. */
import type { representMovement } from '../../checkout/representation.ts';
import { type Content, type Html, html } from '../../lib/html.ts';
import type { ApiAnswer } from '../api.ts';
import { type Place, pathIn } from '../place.ts';
import { stateOf } from '../sessions/states.ts';
import { type Column, table } from '../table.ts';
import { amountOf, timeIn, wordsOf } from '../texts.ts';

export type Movement = ReturnType<typeof representMovement>;

/** Paths of screens that movements lead to. */
export type Ways = Readonly<Record<'movements' | 'refunds' | 'sessions', string>>;

export const waysTo = ({ tenant }: Place, basePath: string): Ways => ({
  movements: `${basePath}${pathIn(tenant, 'movements')}`,
  refunds: `${basePath}${pathIn(tenant, 'refunds')}`,
  sessions: `${basePath}${pathIn(tenant, 'sessions')}`,
});

/** Screens about money, each with the operation that it needs. */
const screens = [
  ['movements', 'Movements', 'MOVEMENT.LIST'],
  ['reports', 'Reports', 'TOTAL.LIST'],
  ['payment-files', 'Payment files', 'PAYMENT_FILE.PREVIEW'],
] as const;

export type MoneyScreen = (typeof screens)[number][0];

/** The ways to the other screens about money. */
export const moneyWays = (place: Place, current: MoneyScreen, basePath: string): Html =>
  html`<nav class="row" aria-label="Money">${screens
    .filter(([, , operation]) => place.may(operation))
    .map(
      ([screen, name]) =>
        html`<a href="${basePath}${pathIn(place.tenant, screen)}"${screen === current && html` aria-current="page"`}>${name}</a>
`,
    )}</nav>`;

const columns: readonly Column[] = [
  'Booked (UTC)',
  'Kind',
  { name: 'Amount', isNumber: true },
  { name: 'Fee', isNumber: true },
  'Rail and reference',
];

/** A table of movements, with their sessions unless all are of one. */
export function movementTable(
  movements: readonly Movement[],
  { ways, ofSession = false, empty }: { ways: Ways; ofSession?: boolean; empty?: Content },
): Html {
  const rows = movements.map((movement) => {
    const { created_at, payin, reference_id } = movement;
    const cells = [
      timeIn(created_at),
      kindOf(movement),
      moved(movement),
      feeOf(movement),
      railOf(movement, ways),
    ];
    return ofSession
      ? cells
      : [...cells, html`<a data-row href="${ways.sessions}/${payin}">${reference_id}</a>`];
  });
  return table('Movements of money', ofSession ? columns : [...columns, 'Session'], rows, empty);
}

const kindOf = ({ type, late, refund_status: status }: Movement): Html =>
  html`${wordsOf(type)}${late && html` ${stateOf('late')}`}${status !== '' && html` ${stateOf(status)}`}`;

/** An amount as the account has it: less than nothing for what goes back. */
const moved = ({ type, amount, currency }: Movement): string =>
  amountOf(type === 'payment' ? amount : -amount, currency);

const feeOf = ({ fee }: Movement): string => (fee === null ? '' : amountOf(fee.amount, fee.currency));

const railOf = ({ type, rail, reference }: Movement, { refunds }: Ways): Html =>
  html`${rail}<br><span class="hint">${
    type === 'refund' ? html`<a href="${refunds}/${reference}">${reference}</a>` : reference
  }</span>`;

/** Money of a session as it was booked. */
export function bookedOf(
  { data, nextCursor }: ApiAnswer<Movement[]> & { readonly ok: true },
  ways: Ways,
): Html | false {
  const [first] = data;
  return (
    first !== undefined &&
    html`<section><h2>Booked payments, refunds and reversals</h2>${movementTable(data, { ways, ofSession: true })}${
      nextCursor !== null &&
      html`<p><a href="${ways.movements}?${String(new URLSearchParams({ payin: first.payin }))}">All of them</a></p>`
    }</section>`
  );
}
