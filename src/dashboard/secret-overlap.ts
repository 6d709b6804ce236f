/** Time for which the secret before goes on signing, when a new one is made. */
import type { Html } from '../lib/html.ts';
import { type Form, field } from './form.ts';

const NAME = 'overlap_seconds';
const DAY = '86400';

const choices = [
  ['0', 'No longer'],
  ['3600', 'For an hour'],
  [DAY, 'For a day'],
  ['604800', 'For a week'],
] as const;

/** The field, with what was chosen in a form that comes again: to end a secret that has leaked must not become a day. */
export const overlapField = ({ [NAME]: chosen }: Form): Html =>
  field({
    name: NAME,
    label: 'The secret before signs too',
    value: choices.some(([seconds]) => seconds === chosen) ? chosen : DAY,
    choices,
    hint: 'Until then, a receiver with either of the two accepts what is sent.',
  });

export const secondsIn = ({ [NAME]: text = '' }: Form): number | string =>
  /^\d{1,9}$/.test(text) ? Number(text) : text;
