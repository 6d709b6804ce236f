/** Requests about members of an account. */
import { Type } from '../../lib/json-schema.ts';
import { meaningOf, roleNames } from '../../users/roles.ts';
import { USER_NAME_LENGTH } from '../../users/user.ts';
import { idOf, pageQuery } from './checkout.ts';
import { closed, email, text, titled } from './fields.ts';

export const memberParams = idOf('usr', 'member');

export const membersQuery = Type.Object(pageQuery('usr'), { additionalProperties: false });

export const ROLES = `Role on the account, in both modes: ${roleNames
  .map((each) => `\`${each}\` may ${meaningOf(each)}`)
  .join('; ')}.`;

const role = titled('GivenRole', closed([...roleNames], ROLES));

export const inviteMemberBody = Type.Object(
  {
    role,
    name: Type.Optional(
      text(USER_NAME_LENGTH, 'Name. Whoever accepts the invitation can change it.', 'Ada Lovelace'),
    ),
    email: Type.Optional(email),
  },
  {
    additionalProperties: false,
    examples: [{ role: 'support', name: 'Ada Lovelace', email: 'ada@example.com' }],
  },
);

export const updateMemberBody = Type.Object(
  { role },
  { additionalProperties: false, examples: [{ role: 'finance' }] },
);
