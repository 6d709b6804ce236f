/** Members of an account as commands work with them: in the database, or through the API of a server. */
import type { representMember, representNewLink } from '../../users/representation.ts';
import type { Role } from '../../users/roles.ts';
import { printable } from '../printable.ts';

export type ShownMember = ReturnType<typeof representMember>;
export type MemberWithLink = ReturnType<typeof representNewLink>;

/** The account as it was typed; a server knows it by the key of the request. */
type Account = number | undefined;

export type Members = {
  /** Newest first. */
  list(account: Account): AsyncIterable<ShownMember>;
  invite(
    account: Account,
    given: {
      readonly role: Role;
      readonly name: string;
      readonly email: string;
      /** In the database alone: at a server nobody makes somebody an operator. */
      readonly isOperator?: true | undefined;
    },
  ): Promise<MemberWithLink>;
  setRole(account: Account, id: string, role: Role): Promise<ShownMember>;
  /** Tells of an operator, who stays one; a server tells nobody who is one. */
  remove(account: Account, id: string): Promise<{ readonly isOperator: boolean }>;
  /** In the database it is for any user, whatever accounts they work for. */
  reset(id: string): Promise<MemberWithLink>;
};

export const memberKeys = {
  id: 'The user, `usr_…`.',
  created_at: 'Time of the first invitation.',
  name: 'Their name, or empty.',
  email: 'The e-mail address by which they sign in, or empty.',
  role: 'Role on the account.',
  status: '`invited` or `active`.',
  has_second_factor: 'True with an authenticator app or a passkey.',
  last_seen_at: 'Time of the last request of a browser that is signed in, or null.',
  link_expires_at: 'Time until which the last link is good, or null.',
} as const;

export const withLinkKeys = {
  ...memberKeys,
  url: 'The link; it is shown only now.',
} as const;

export function lineOf({ id, role, email, name, status }: ShownMember): string {
  return [id, role, printable(email) || '-', printable(name) || '-', status].join('  ');
}

export function linesOfLink({ id, url, link_expires_at }: MemberWithLink): readonly string[] {
  return [
    `User  ${id}`,
    `Link  ${url}`,
    `Whoever opens the link chooses a password. It is good for one use until ${link_expires_at}, and is not shown again.`,
  ];
}
