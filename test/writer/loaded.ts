/** Loaded data of a command that the store has nothing for. */
import type { Loaded } from '../../src/store/store.ts';

export const nothing: Loaded = {
  nextAccount: new Map(),
  usersByIdentity: new Map(),
  checkouts: new Map(),
  customers: new Map(),
  customersByEmail: new Map(),
  owners: new Map(),
  providerEvents: new Map(),
  bankEntries: new Map(),
  statements: new Map(),
  deliveries: new Map(),
  answers: new Map(),
  endpoints: [],
  receivers: new Map(),
  accounts: new Map(),
  apiKeys: new Map(),
  keyCounts: new Map(),
  users: new Map(),
  usersByEmail: new Map(),
  userCount: new Map(),
  oldInvitations: new Map(),
  memberCounts: new Map(),
  accountOwners: new Map(),
};
