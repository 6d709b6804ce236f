/** Time for which the secret before goes on signing, when a new one is made. */
import { type Form, field } from './form.ts';

const NAME = 'overlap_seconds';

export const overlapField = field({
  name: NAME,
  label: 'The secret before signs too',
  value: '86400',
  choices: [
    ['0', 'No longer'],
    ['3600', 'For an hour'],
    ['86400', 'For a day'],
    ['604800', 'For a week'],
  ],
  hint: 'Until then, a receiver with either of the two accepts what is sent.',
});

export const secondsIn = ({ [NAME]: text = '' }: Form): number | string =>
  /^\d{1,9}$/.test(text) ? Number(text) : text;
