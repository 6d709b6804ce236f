/** States of sessions, and of what belongs to them, as words in the color of what they mean. */
import { type Html, html } from '../../lib/html.ts';
import { wordsOf } from '../texts.ts';

const kinds: Readonly<Record<string, string>> = {
  completed: 'good',
  paid: 'good',
  succeeded: 'good',
  delivered: 'good',
  won: 'good',
  partial: 'warn',
  excess: 'warn',
  pending: 'warn',
  processing: 'warn',
  requires_action: 'warn',
  unknown: 'warn',
  open: 'warn',
  failed: 'bad',
  lost: 'bad',
};

/** A state by the name that the API has for it. */
export const stateOf = (name: string): Html =>
  html`<span class="state ${kinds[name] ?? 'plain'}">${wordsOf(name)}</span>`;
