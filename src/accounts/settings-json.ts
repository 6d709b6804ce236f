/** Settings of an account as JSON: read with all of their mistakes at once, and serialized. Pure. */
import type { Problem } from '../checkout/refusals.ts';
import { isObject, trimmed } from '../lib/json-values.ts';
import { camelKeys, snakeKeys } from '../lib/key-names.ts';
import { escapedName } from '../lib/schema-problems.ts';
import {
  accountConflicts,
  numbersOf,
  receivingAccountFrom,
  withAccountDefaults,
} from '../methods/bank/receiving-account-schema.ts';
import { mappingConflicts, mappingFrom, withMappingDefaults } from '../statements/mapping.ts';
import { type AccountSettings, defaultSettings } from './settings.ts';
import { type SettingsJson, validateSettings } from './settings-schema.ts';

/** Parts of the settings to replace, each as a whole. */
export type SettingsParts = Partial<AccountSettings>;

/** The settings as JSON; reading that gives the same settings again. */
export function serializeSettings(settings: AccountSettings): Required<SettingsJson> {
  return snakeKeys<Required<SettingsJson>>(settings);
}

/**
 * The parts that are given, each as a whole: fields that are missing in a part get their defaults, and null gives all
 * fields of a part their defaults.
 */
export function readSettings(
  given: unknown,
): { readonly settings: SettingsParts } | { readonly problems: readonly Problem[] } {
  const settings = withDefaults(given);
  const validated = validateSettings(settings);
  const found = 'problems' in validated ? validated.problems : [];
  const problems = [...found, ...conflicts(settings, new Set(found.map(({ pointer }) => pointer)))];
  return 'valid' in validated && problems.length === 0
    ? { settings: partsFrom(validated.valid) }
    : { problems };
}

const defaults = serializeSettings(defaultSettings);

const completions: { readonly [Part in keyof SettingsJson]-?: (value: unknown) => unknown } = {
  business: (value) => withFieldsOf(defaults.business, trimmed(value)),
  branding: (value) => withFieldsOf(defaults.branding, inSmallLetters(trimmed(value))),
  policy: (value) => withFieldsOf(defaults.policy, value),
  receiving_accounts: (value) => (Array.isArray(value) ? value.map(withAccountDefaults) : value),
  csv_mappings: (value) => (isObject(value) ? mapValues(value, withMappingDefaults) : value),
  compatibility: (value) => value,
  webhook_url_events: (value) => value,
};

function withDefaults(given: unknown): unknown {
  if (!isObject(given)) return given;
  return mapValues(given, (value, name) => {
    if (!isPart(name)) return value;
    return value === null ? defaults[name] : completions[name](value);
  });
}

function isPart(name: string): name is keyof SettingsJson {
  return Object.hasOwn(completions, name);
}

/** Colors are written either way. */
function inSmallLetters(value: unknown): unknown {
  if (!isObject(value)) return value;
  return mapValues(value, (each) => (typeof each === 'string' ? each.toLowerCase() : each));
}

function withFieldsOf(otherwise: object, value: unknown): unknown {
  return isObject(value) ? { ...otherwise, ...value } : value;
}

function mapValues<T, U>(
  fields: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value, name)]));
}

/** Mistakes that the schema cannot know. A field at fault in itself takes no part: one sentence is enough for it. */
function conflicts(settings: unknown, faulty: ReadonlySet<string>): Problem[] {
  if (!isObject(settings)) return [];
  const { policy, receiving_accounts, csv_mappings } = settings;
  return [
    ...toleranceConflicts(policy),
    ...(Array.isArray(receiving_accounts) ? receivingAccountConflicts(receiving_accounts, faulty) : []),
    ...(isObject(csv_mappings) ? Object.entries(csv_mappings) : []).flatMap(([name, mapping]) =>
      within(`/csv_mappings/${escapedName(name)}`, mappingConflicts(mapping)),
    ),
  ].filter(({ pointer }) => !faulty.has(pointer));
}

/** A tolerance needs both of its limits: one alone would tolerate nothing, which nobody means. */
function toleranceConflicts(policy: unknown): Problem[] {
  if (!isObject(policy)) return [];
  const { underpayment_tolerance_basis_points: share, underpayment_tolerance_at_most: most } = policy;
  if (typeof share !== 'number' || typeof most !== 'number') return [];
  const missing = share > 0 && most === 0 ? 'at_most' : share === 0 && most > 0 ? 'basis_points' : null;
  const detail = 'must be more than 0 as well: one limit alone tolerates nothing';
  return missing === null ? [] : [{ pointer: `/policy/underpayment_tolerance_${missing}`, detail }];
}

/** A statement names an account by its number and currency, so two accounts with the same could not be told apart. */
function receivingAccountConflicts(accounts: readonly unknown[], faulty: ReadonlySet<string>): Problem[] {
  const ids = new Set<unknown>();
  const numbers = new Set<string>();
  return accounts.flatMap((account, index) => {
    const at = `/receiving_accounts/${index}`;
    const own = new Set(
      [...faulty].filter((each) => isWithin(at, each)).map((each) => each.slice(at.length)),
    );
    const problems = accountConflicts(account, own);
    if (!isObject(account)) return within(at, problems);
    const isTaken = { pointer: '', detail: 'is used by another receiving account' };
    if (ids.has(account.id)) problems.push({ ...isTaken, pointer: '/id' });
    ids.add(account.id);
    for (const [name, number] of Object.entries(numbersOf(account, own))) {
      const key = `${number} ${String(account.currency).toUpperCase()}`;
      if (numbers.has(key)) problems.push({ ...isTaken, pointer: `/${name}` });
      numbers.add(key);
    }
    return within(at, problems);
  });
}

function isWithin(parent: string, pointer: string): boolean {
  return pointer === parent || pointer.startsWith(`${parent}/`);
}

function within(parent: string, problems: readonly Problem[]): Problem[] {
  return problems.map(({ pointer, detail }) => ({ pointer: `${parent}${pointer}`, detail }));
}

/** The settings from their valid JSON. */
function partsFrom({ receiving_accounts, csv_mappings, ...valid }: SettingsJson): SettingsParts {
  return {
    ...camelKeys(valid),
    ...(receiving_accounts ? { receivingAccounts: receiving_accounts.map(receivingAccountFrom) } : {}),
    ...(csv_mappings ? { csvMappings: mapValues(csv_mappings, mappingFrom) } : {}),
  };
}
