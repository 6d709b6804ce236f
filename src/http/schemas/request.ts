/** Requests about the log of requests. */
import { type Static, Type } from '../../lib/json-schema.ts';
import { logFilters } from './audit.ts';
import { pageQuery } from './checkout.ts';

export const requestQuery = Type.Object(
  {
    ...pageQuery('rql'),
    ...logFilters,
    operation: Type.Optional(
      Type.String({
        pattern: '^[A-Z_.]{1,64}$',
        description: 'Only requests for this operation.',
        examples: ['CHECKOUT.UPDATE'],
      }),
    ),
    status: Type.Optional(
      Type.String({
        pattern: '^[1-5](\\d\\d|xx)$',
        description: 'Only requests that were answered with this status, or with one of these.',
        examples: ['404', '4xx'],
      }),
    ),
  },
  { additionalProperties: false },
);
export type RequestQuery = Static<typeof requestQuery>;
