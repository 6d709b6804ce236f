/** All resources that both databases have in the same way: what is read, written and loaded of them. */

import type { Account } from '../../accounts/account.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { keysOf } from '../../lib/keys.ts';
import type { CheckoutChange, Following } from '../columns.ts';
import type { Load } from '../loads.ts';
import type { Sql } from '../sql.ts';
import type { AnyTable, Table } from '../tables.ts';
import { addChange, type RowChange, type Write } from '../writes.ts';
import { loadAnswers, type NewAnswer } from './answers.ts';
import { audit, writeAudit } from './audit.ts';
import { bankEntries, loadBankEntries, writeBankEntry } from './bank-entries.ts';
import { addBankFile, bankFiles, completeBankFile, loadStatements } from './bank-files.ts';
import { checkouts, loadOwners } from './checkouts.ts';
import { customers, loadCustomers, loadCustomersByEmail, writeCustomer } from './customers.ts';
import { deliveries, loadDeliveries } from './deliveries.ts';
import {
  type AccountChange,
  addApiKey,
  apiKeys,
  loadAccounts,
  loadApiKeys,
  loadKeyCounts,
  loadNextAccount,
  revokeApiKey,
} from './directory.ts';
import { loadReceivers, receivers, writeEndpoints, writeReceivers } from './endpoints.ts';
import { events } from './events.ts';
import { logos, writeLogo } from './logos.ts';
import { movements } from './movements.ts';
import { overview } from './overview.ts';
import { loadProviderEvents, providerEvents, writeProviderEvent } from './provider-events.ts';
import { type Asked, allAsked, type Read, type Run } from './read.ts';
import { requestLog } from './requests.ts';
import { secrets } from './secrets.ts';
import { totals } from './totals.ts';
import {
  dashboardUsers,
  loadAccountOwners,
  loadMemberCounts,
  loadOldInvitations,
  loadUserCount,
  loadUsers,
  loadUsersByEmail,
  loadUsersByIdentity,
  writeUser,
} from './users.ts';
import { work } from './work.ts';

/** Reads of resources that are operations of the store, under their names there. */
const reads = {
  checkouts,
  events,
  customers,
  providerEvents,
  bankEntries,
  bankFiles,
  receivers,
  deliveries,
  apiKeys,
  dashboardUsers,
  secrets,
  logos,
  audit,
  requestLog,
  movements,
  totals,
  overview,
  work,
};
export type AskedResources = {
  readonly [R in keyof typeof reads]: Asked<(typeof reads)[R]>;
};

export function askedResources(run: Run): AskedResources {
  const resources = Object.entries(reads).map(([name, resource]) => [name, allAsked(run, resource)]);
  return Object.fromEntries(resources) as AskedResources;
}

/**
 * Writes by their names in `Writes`. Tables come in this order in every batch, so that two batches that meet at a unique
 * key wait for each other in one direction only.
 */
const writes = {
  user: writeUser,
  customer: writeCustomer,
  providerEvent: writeProviderEvent,
  bankEntry: writeBankEntry,
  bankFile: addBankFile,
  ingestedFile: completeBankFile,
  endpoints: writeEndpoints,
  receivers: writeReceivers,
  newApiKey: addApiKey,
  revokedApiKey: revokeApiKey,
  logo: writeLogo,
  audit: writeAudit,
};

type Written = { readonly [K in keyof typeof writes]: (typeof writes)[K] extends Write<infer V> ? V : never };
export type ResourceWrites = Partial<Written>;

const byName: { readonly [K in keyof Written]: Write<Written[K]> } = writes;
const names = keysOf(writes);

/** The changes of rows that these writes come to, with those that follow from the sessions. */
export function rowChangesOf<T extends AnyTable>(
  all: readonly ResourceWrites[],
  sessions: readonly CheckoutChange[],
  following: ReadonlyArray<Following<T>>,
): RowChange<Table | T>[] {
  const changes: RowChange<Table | T>[] = [];
  function add<K extends keyof Written>(name: K): void {
    const values = given<K, Written[K]>(name, all);
    if (values.length > 0) addChange(changes, byName[name], values);
  }
  for (const name of names) add(name);
  for (const write of following) addChange(changes, write, sessions);
  return changes;
}

/** Values under a name, of those that have one. */
function given<K extends string, V>(name: K, all: ReadonlyArray<{ readonly [N in K]?: V }>): V[] {
  const values: V[] = [];
  for (const { [name]: value } of all) if (value !== undefined) values.push(value);
  return values;
}

/** Loads by their names in `Needs` and `Loaded`, those that lock rows first, in the order in which they lock them. */
const loads = {
  nextAccount: loadNextAccount,
  accountOwners: loadAccountOwners,
  oldInvitations: loadOldInvitations,
  users: loadUsers,
  usersByEmail: loadUsersByEmail,
  usersByIdentity: loadUsersByIdentity,
  userCount: loadUserCount,
  memberCounts: loadMemberCounts,
  receivers: loadReceivers,
  customers: loadCustomers,
  customersByEmail: loadCustomersByEmail,
  providerEvents: loadProviderEvents,
  bankEntries: loadBankEntries,
  accounts: loadAccounts,
  keyCounts: loadKeyCounts,
  statements: loadStatements,
  deliveries: loadDeliveries,
  owners: loadOwners,
  answers: loadAnswers,
  apiKeys: loadApiKeys,
};

type Loads = typeof loads;
type LoadName = keyof Loads;
type Keys = { readonly [N in LoadName]: Parameters<Loads[N]['keyOf']>[0] };
type Values = { readonly [N in LoadName]: Loads[N] extends Load<never, infer T, never> ? T : never };
/** Writes that change what is loaded. */
type Changes = ResourceWrites & {
  readonly checkout?: CheckoutChange;
  readonly answer?: NewAnswer;
  readonly account?: AccountChange;
  readonly newAccount?: Account;
};

export type ResourceNeeds = { readonly [N in LoadName]?: ReadonlyArray<Keys[N]> };
/** Values by their keys. */
export type LoadedResources = { readonly [N in LoadName]: ReadonlyMap<string, Values[N]> };
export type Found = { [N in LoadName]: Map<string, Values[N]> };

const loadsByName: { readonly [N in LoadName]: Load<Keys[N], Values[N], Changes> } = loads;
const loadNames = keysOf(loads);
/** Stands for what was not asked for, and stays empty. */
const none = new Map<string, never>();
const noKeys: readonly never[] = [];
const entries = loadNames.map((name) => [name, none]);
const nothing: Found = Object.fromEntries(entries);

/** Runs a read now, or later. */
type RunLoad = <T>(read: Read<T>, done: (rows: T) => void, counted?: Table) => void;

/** Work of a load, whatever its keys and values are. */
function loadNamed<N extends LoadName>(name: N) {
  const { keyOf, read, lock, apply, counted, isShared = false } = loadsByName[name];
  function keysOf(all: readonly ResourceNeeds[]): ReadonlyArray<Keys[N]> {
    // On SQLite each unit by itself, for each kind of load.
    if (all.length === 1) return all[0]?.[name] ?? noKeys;
    return given<N, ReadonlyArray<Keys[N]>>(name, all).flat();
  }

  return {
    locks(tenant: Tenant, all: readonly ResourceNeeds[]): Sql[] {
      const keys = lock === undefined ? [] : keysOf(all);
      return lock === undefined || keys.length === 0 ? [] : [lock(tenant, keys)];
    },
    find(tenant: Tenant, all: readonly ResourceNeeds[], found: Found, run: RunLoad): void {
      const keys = keysOf(all);
      if (keys.length === 0) return;
      // For a single key all texts are the same.
      const form = keys.length === 1 ? { form: name } : {};
      run({ ...read(tenant, keys), ...form }, (rows) => void Object.assign(found, { [name]: rows }), counted);
    },
    show(needs: ResourceNeeds, found: Found, shown: Found): void {
      const wanted = needs[name]?.map(keyOf);
      if (wanted !== undefined) Object.assign(shown, { [name]: among(found[name], wanted) });
    },
    apply(found: Found, writes: Changes): void {
      if (found[name] !== none) apply?.(found[name], writes);
    },
    conflictKeys: (needs: ResourceNeeds): string[] =>
      isShared ? [] : (needs[name] ?? []).map((key) => `${name} ${keyOf(key)}`),
  };
}

const everyLoad = loadNames.map(loadNamed);

/** For PostgreSQL: statements that lock what these units may change, to be sent before anything of it is read. */
export const resourceLocks = (tenant: Tenant, needs: readonly ResourceNeeds[]): Sql[] =>
  everyLoad.flatMap((each) => each.locks(tenant, needs));

/** Loads what these units need. */
export function loadResources(tenant: Tenant, needs: readonly ResourceNeeds[], run: RunLoad): Found {
  const found = { ...nothing };
  for (const each of everyLoad) each.find(tenant, needs, found, run);
  return found;
}

/** The rows that a unit has asked for, of those that were loaded for all. */
export function shownTo(needs: ResourceNeeds, found: Found): LoadedResources {
  const shown = { ...nothing };
  for (const each of everyLoad) each.show(needs, found, shown);
  return shown;
}

/** The wanted ones that exist. */
export function among<T>(all: ReadonlyMap<string, T>, keys: readonly string[]): ReadonlyMap<string, T> {
  const some = new Map<string, T>();
  for (const key of keys) {
    const value = all.get(key);
    if (value !== undefined) some.set(key, value);
  }
  return some;
}

/** Brings what is loaded up to date with what a unit has decided to write, for those behind it in the batch. */
export function applyWrites(found: Found, writes: Changes): void {
  for (const each of everyLoad) each.apply(found, writes);
}

/** Keys within a tenant that no two concurrent batches may share. */
export const conflictKeysWithin = (needs: ResourceNeeds): string[] =>
  everyLoad.flatMap((each) => each.conflictKeys(needs));
