/** Keys of lists, which the script makes work; it adds the button that turns them off. */
import { html } from '../lib/html.ts';
import { factsOf } from './texts.ts';

export const listKeys = ({ search }: { readonly search: boolean }) =>
  html`<details class="keys" id="keys"><summary>Keys</summary>${factsOf([
    ...(search ? [['Search', html`<kbd>/</kbd>`] as const] : []),
    ['Next and previous row', html`<kbd>j</kbd> <kbd>k</kbd>`],
    ['Open the row', html`<kbd>Enter</kbd>`],
    ['Show these keys', html`<kbd>?</kbd>`],
  ])}</details>`;
