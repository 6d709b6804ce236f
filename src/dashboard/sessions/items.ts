/** Items of a session as rows of a form, whose names are the places of the items in a request. */
import { decimalAmount } from '../../checkout/money.ts';
import { type Html, html } from '../../lib/html.ts';
import { amountFrom } from '../amounts.ts';
import type { Mistake } from '../api.ts';
import { type Form, field } from '../form.ts';
import type { Session } from './view.ts';

/** An item as it was typed. */
export type ItemRow = {
  readonly name: string;
  readonly quantity: string;
  readonly unit_price: string;
  readonly description: string;
};

const MAX_ROWS = 100;
const blank: ItemRow = { name: '', quantity: '1', unit_price: '', description: '' };

/** Rows of the form in which anything but a quantity was typed. */
export function rowsIn(form: Form): ItemRow[] {
  const rows = Array.from({ length: MAX_ROWS }, (_, place): ItemRow => {
    const typed = (name: string) => (form[`items/${place}/${name}`] ?? '').replaceAll('\r\n', '\n').trim();
    return {
      name: typed('name'),
      quantity: typed('quantity'),
      unit_price: typed('unit_price'),
      description: typed('description'),
    };
  });
  return rows.filter(({ name, unit_price, description }) => `${name}${unit_price}${description}` !== '');
}

export const rowsOf = ({ items, invoice_currency }: Session): ItemRow[] =>
  items.map(({ name, quantity, unit_price, description }) => ({
    name,
    quantity: String(quantity),
    unit_price: decimalAmount(unit_price, invoice_currency),
    description,
  }));

/** The rows as a request has them, and what is wrong with their amounts. */
export function itemsFrom(rows: readonly ItemRow[], currency: string) {
  const own: Mistake[] = [];
  const items = rows.map(({ name, quantity, unit_price, description }, place) => ({
    name,
    quantity: /^\d{1,15}$/.test(quantity) ? Number(quantity) : quantity,
    unit_price: amountFrom(unit_price, currency, `/items/${place}/unit_price`, own),
    description,
  }));
  return { items, own };
}

const fieldsOf = (place: number) =>
  ['name', 'quantity', 'unit_price', 'description'].map((name) => `items/${place}/${name}`);

/** Names of the fields of so many rows. */
export const itemFields = (count: number): string[] =>
  Array.from({ length: count }, (_, place) => fieldsOf(place)).flat();

/** The rows and `blanks` empty ones; a row that is emptied is left out. */
export function itemForm(rows: readonly ItemRow[], blanks: number, mistakes: readonly Mistake[]): Html {
  const all = [...rows, ...Array.from({ length: blanks }, () => blank)].slice(0, MAX_ROWS);
  return html`${all.map(
    (
      { name, quantity, unit_price, description },
      place,
    ) => html`<fieldset class="item"><legend>Item ${place + 1}</legend><div class="fields">
${field({ name: `items/${place}/name`, label: 'Name', value: name, maxlength: 250 }, mistakes)}
${field({ name: `items/${place}/quantity`, label: 'Quantity', value: quantity, inputmode: 'numeric' }, mistakes)}
${field({ name: `items/${place}/unit_price`, label: 'Unit price', value: unit_price, inputmode: 'decimal' }, mistakes)}
${field({ name: `items/${place}/description`, label: 'Description', value: description, rows: 1 }, mistakes)}
</div></fieldset>
`,
  )}`;
}

/** The button that adds rows. It is not the first of its form, which Enter presses. */
export const moreButton = html`<button class="quiet" name="more" value="1">More rows</button>`;
