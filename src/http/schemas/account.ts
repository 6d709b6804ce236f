/** Requests about the accounts of the installation. */
import { ACCOUNT_NAME_LENGTH } from '../../lib/account-name.ts';
import { Type } from '../../lib/json-schema.ts';
import { pageSize } from './checkout.ts';
import { text } from './fields.ts';

/** In a path, an id of another form is one that no account has. */
export const accountParams = Type.Object({
  id: Type.String({ description: 'Id of the account: its number.', examples: ['2'] }),
});

const cursor = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,14}$', description, opaque: true }));

export const accountsQuery = Type.Object(
  {
    limit: pageSize,
    after: cursor('Cursor: the page of the next older rows.'),
    before: cursor('Cursor: the page of the next newer rows.'),
  },
  { additionalProperties: false },
);

export const accountBody = Type.Object(
  { name: text(ACCOUNT_NAME_LENGTH, 'The name that payers see.', 'Your Other Shop') },
  { additionalProperties: false, examples: [{ name: 'Your Other Shop' }] },
);
