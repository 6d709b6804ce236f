/** Operators of the installation, as commands print them. */
import { isInvited, type User } from '../../users/user.ts';

export const operatorKeys = {
  id: 'The user, `usr_…`.',
  name: 'Their name, or empty.',
  email: 'The e-mail address by which they sign in, or empty.',
  status: '`invited` or `active`.',
  is_operator: 'True for an operator.',
} as const;

export function shownOperator(user: User) {
  const { id, name, email, isOperator = false } = user;
  return { id, name, email, status: isInvited(user) ? 'invited' : 'active', is_operator: isOperator };
}
