/** Filters of the list of movements. */
import { movementTypes } from '../../checkout/movements.ts';
import { dayFilters, type Filter } from '../listing.ts';

export const movementFilters: readonly Filter[] = [
  {
    name: 'type',
    label: 'Kind',
    choices: [['', 'any'], ...movementTypes.map((type) => [type, type] as const)],
  },
  { name: 'currency', label: 'Currency', maxlength: 3 },
  ...dayFilters,
  {
    name: 'late',
    label: 'Late',
    choices: [
      ['', 'any'],
      ['true', 'yes'],
      ['false', 'no'],
    ],
  },
  { name: 'rail', label: 'Rail', maxlength: 64 },
  { name: 'reference', label: 'Reference at the rail', maxlength: 255 },
  { name: 'payin', label: 'Session', maxlength: 50 },
];
