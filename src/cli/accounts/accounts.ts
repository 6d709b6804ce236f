/** Accounts as commands work with them: in the database, or through the API of a server. */
import type { representAccount, representNewAccount } from '../../accounts/representation.ts';

export type ShownAccount = ReturnType<typeof representAccount>;
export type NewAccount = ReturnType<typeof representNewAccount>;

export type Accounts = {
  /** Newest first. */
  list(): AsyncIterable<ShownAccount>;
  create(name: string): Promise<NewAccount>;
};

export const accountKeys = {
  id: 'Number of the account.',
  created_at: 'Time of creation.',
  name: 'The name that payers see.',
} as const;

export const newAccountKeys = {
  ...accountKeys,
  owner: 'The invitation of its owner, `usr_…`.',
  owner_url: 'The link of the invitation; it is shown only now.',
  webhook_secrets:
    'The secrets of webhooks to the addresses that sessions name, `test` and `live`; they are shown only now.',
} as const;
