/** Requests about API keys. */
import { API_KEY_NAME_LENGTH, accountPermissions } from '../../accounts/api-key.ts';
import { Type } from '../../lib/json-schema.ts';
import { pageSize } from './checkout.ts';
import { closed, text } from './fields.ts';

/** In a path, an id of another form is one that nobody has. */
export const apiKeyParams = Type.Object({
  id: Type.String({ description: 'Id of the API key.', examples: ['ak_test_5x8m2kq07vw3cd9r'] }),
});

const cursor = (description: string) =>
  Type.Optional(Type.String({ pattern: '^ak_(test|live)_[\\w-]{1,100}$', description, opaque: true }));

export const apiKeysQuery = Type.Object(
  {
    limit: pageSize,
    after: cursor('Cursor: the page of the next older rows.'),
    before: cursor('Cursor: the page of the next newer rows.'),
  },
  { additionalProperties: false },
);

export const createApiKeyBody = Type.Object(
  {
    permissions: Type.Array(closed([...accountPermissions], 'A permission.'), {
      minItems: 1,
      maxItems: accountPermissions.length,
      uniqueItems: true,
      description:
        'What the key may do, all of it named: there is no default. `accounts` comes from the command line alone.',
      examples: [['read', 'write']],
    }),
    name: Type.Optional(
      text(API_KEY_NAME_LENGTH, 'A name of your own, such as the program that uses it.', 'Till 2'),
    ),
  },
  { additionalProperties: false, examples: [{ permissions: ['read', 'write'], name: 'Till 2' }] },
);
