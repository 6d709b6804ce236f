/** What an account configures, as it is given and shown as JSON: what is right about it, or all that is wrong. Pure. */
import { MAX_AMOUNT } from '../checkout/money.ts';
import type { Problem } from '../checkout/refusals.ts';
import { defaultPolicy, type Policy } from '../checkout/session.ts';
import {
  presentReceivingAccount,
  type ReceivingAccount,
  readReceivingAccount,
} from '../methods/bank/receiving-account.ts';
import type { CsvMapping } from '../statements/mapping.ts';
import { presentCsvMapping, readCsvMapping } from './csv-mapping.ts';
import { type AccountSettings, type BusinessDetails, defaultSettings } from './settings.ts';

/** Some parts of the settings, each of them as a whole. */
export type SettingsParts = Partial<AccountSettings>;

type Read = { readonly settings: SettingsParts } | { readonly problems: readonly Problem[] };
type Given = Readonly<Record<string, unknown>>;
/** Reads one value; what is wrong with it goes to `problems`, and then what comes back means nothing. */
type Reader<T> = (value: unknown, pointer: string, problems: Problem[]) => T;

const MAX_ADDRESS_LINES = 6;
const MAX_LINE = 100;
/** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
const MAX_EMAIL = 254;
const MAX_TOLERANCE_BASIS_POINTS = 1000;
/** Thirty days. */
const MAX_GRACE_MINUTES = 43_200;
const MAX_RECEIVING_ACCOUNTS = 100;
const MAX_MAPPINGS = 100;

const EMAIL = /^[^\s@"<>()[\]\\,;:]+@[^\s@.]+(\.[^\s@.]+)+$/;
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const MAPPING_NAME = /^[a-z0-9-]{1,32}$/;
/** As the rails call themselves. */
const railNames = ['bank', 'sandbox', 'stripe'];

/**
 * The parts that are given, each as a whole: what is not said in a part is as by default, and null is a part all of whose
 * settings are as by default. Names are those that `presentSettings` writes.
 */
export function readSettings(given: unknown): Read {
  const problems: Problem[] = [];
  const settings = parts(given, '', problems);
  return problems.length === 0 ? { settings } : { problems };
}

/** The settings as JSON; reading that gives the same settings again. */
export function presentSettings({ business, policy, receivingAccounts, csvMappings }: AccountSettings) {
  return {
    business: {
      address_lines: business.addressLines,
      tax_id: business.taxId,
      email: business.email,
    },
    policy: {
      underpayment_tolerance_basis_points: policy.underpaymentToleranceBasisPoints,
      underpayment_tolerance_at_most: policy.underpaymentToleranceAtMost,
      excess: policy.excess,
      late: policy.late,
      unreferenced: policy.unreferenced,
      grace_minutes: policy.graceMinutes,
    },
    receiving_accounts: receivingAccounts.map(presentReceivingAccount),
    csv_mappings: Object.fromEntries(
      Object.entries(csvMappings).map(([name, mapping]) => [name, presentCsvMapping(mapping)]),
    ),
  };
}

/** One line of text. */
function line(maxLength: number): Reader<string> {
  return (value, pointer, problems) => {
    const wrong = (detail: string) => problems.push({ pointer, detail });
    if (typeof value !== 'string') wrong('must be a string');
    else if (UNPRINTABLE.test(value)) wrong('must have no control characters and no line breaks');
    else if ([...value.trim()].length > maxLength) wrong(`must have at most ${maxLength} characters`);
    return String(value).trim();
  };
}

const email: Reader<string> = (value, pointer, problems) => {
  const before = problems.length;
  const text = line(MAX_EMAIL)(value, pointer, problems);
  const isWrong = problems.length === before && text !== '' && !EMAIL.test(text);
  if (isWrong) problems.push({ pointer, detail: 'must be an e-mail address' });
  return text;
};

const addressLines: Reader<readonly string[]> = (value, pointer, problems) => {
  if (Array.isArray(value) && value.length <= MAX_ADDRESS_LINES) {
    return value.map((each, index) => line(MAX_LINE)(each, `${pointer}/${index}`, problems));
  }
  problems.push({ pointer, detail: `must be a list of at most ${MAX_ADDRESS_LINES} lines` });
  return [];
};

function whole(maximum: number): Reader<number> {
  return (value, pointer, problems) => {
    const isRight = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maximum;
    if (!isRight) problems.push({ pointer, detail: `must be a whole number from 0 to ${maximum}` });
    return Number(value);
  };
}

function oneOf<T extends string>(...allowed: readonly T[]): Reader<T> {
  return (value, pointer, problems) => {
    const found = allowed.find((each) => each === value);
    if (found === undefined) problems.push({ pointer, detail: `must be ${allowed.join(' or ')}` });
    return found ?? (allowed[0] as T);
  };
}

const graceMinutes: Reader<Policy['graceMinutes']> = (value, pointer, problems) => {
  const read: Record<string, number> = {};
  for (const [rail, minutes] of entriesOf(value, pointer, problems)) {
    const at = `${pointer}/${escaped(rail)}`;
    if (railNames.includes(rail)) read[rail] = whole(MAX_GRACE_MINUTES)(minutes, at, problems);
    else problems.push({ pointer: at, detail: `is no rail; there are ${railNames.join(', ')}` });
  }
  return read;
};

const business = fields<BusinessDetails>(defaultSettings.business, {
  addressLines: ['address_lines', addressLines],
  taxId: ['tax_id', line(MAX_LINE)],
  email: ['email', email],
});

const policyFields = fields<Policy>(defaultPolicy, {
  underpaymentToleranceBasisPoints: [
    'underpayment_tolerance_basis_points',
    whole(MAX_TOLERANCE_BASIS_POINTS),
  ],
  underpaymentToleranceAtMost: ['underpayment_tolerance_at_most', whole(MAX_AMOUNT)],
  excess: ['excess', oneOf('keep', 'refund')],
  late: ['late', oneOf('accept', 'hold')],
  unreferenced: ['unreferenced', oneOf('match', 'ask')],
  graceMinutes: ['grace_minutes', graceMinutes],
});

/** One half of the tolerance without the other is a tolerance of nothing, which nobody means who gives one. */
const policy: Reader<Policy> = (value, pointer, problems) => {
  const read = policyFields(value, pointer, problems);
  const { underpaymentToleranceBasisPoints: share, underpaymentToleranceAtMost: most } = read;
  const missing = share > 0 && most === 0 ? 'at_most' : share === 0 && most > 0 ? 'basis_points' : null;
  if (missing !== null) {
    const at = `${pointer}/underpayment_tolerance_${missing}`;
    problems.push({ pointer: at, detail: 'must be more than 0 as well, or nothing may be missing' });
  }
  return read;
};

const receivingAccounts: Reader<readonly ReceivingAccount[]> = (value, pointer, problems) => {
  if (!Array.isArray(value) || value.length > MAX_RECEIVING_ACCOUNTS) {
    problems.push({ pointer, detail: `must be a list of at most ${MAX_RECEIVING_ACCOUNTS} accounts` });
    return [];
  }
  const ids = new Set<unknown>();
  // A statement names an account by its number and currency: two of the same could not be told apart.
  const numbers = new Set<string>();
  return value.flatMap((each, index) => {
    const at = `${pointer}/${index}`;
    const read = readReceivingAccount(each);
    const id = isObject(each) && typeof each.id === 'string' ? each.id.trim() : each;
    if (ids.has(id)) problems.push({ pointer: `${at}/id`, detail: 'is that of another account too' });
    ids.add(id);
    if ('problems' in read) {
      problems.push(...within(at, read.problems));
      return [];
    }
    const { currency, iban, qrIban, accountNumber } = read.account;
    for (const [name, number] of Object.entries({ iban, qr_iban: qrIban, account_number: accountNumber })) {
      if (number === null) continue;
      const key = `${number} ${currency}`;
      if (numbers.has(key))
        problems.push({ pointer: `${at}/${name}`, detail: 'is that of another account too' });
      numbers.add(key);
    }
    return [read.account];
  });
};

const csvMappings: Reader<Readonly<Record<string, CsvMapping>>> = (value, pointer, problems) => {
  const entries = entriesOf(value, pointer, problems);
  if (entries.length > MAX_MAPPINGS) {
    problems.push({ pointer, detail: `must have at most ${MAX_MAPPINGS} mappings` });
    return {};
  }
  const mappings = entries.flatMap(([name, given]) => {
    const at = `${pointer}/${escaped(name)}`;
    if (!MAPPING_NAME.test(name)) {
      problems.push({
        pointer: at,
        detail: 'must have a name of 1 to 32 characters of a to z, 0 to 9 and -',
      });
      return [];
    }
    const read = readCsvMapping(given);
    if ('mapping' in read) return [[name, read.mapping] as const];
    problems.push(...within(at, read.problems));
    return [];
  });
  return Object.fromEntries(mappings);
};

const parts = fields<SettingsParts>(
  {},
  {
    business: ['business', orDefault(business, defaultSettings.business)],
    policy: ['policy', orDefault(policy, defaultPolicy)],
    receivingAccounts: ['receiving_accounts', orDefault(receivingAccounts, [])],
    csvMappings: ['csv_mappings', orDefault(csvMappings, {})],
  },
);

function orDefault<T>(reader: Reader<T>, otherwise: T): Reader<T> {
  return (value, ...rest) => (value === null ? otherwise : reader(value, ...rest));
}

/** An object with fields of these names, each of which may be left out. */
function fields<T extends object>(
  otherwise: T,
  readers: { readonly [K in keyof T]-?: readonly [name: string, read: Reader<NonNullable<T[K]>>] },
): Reader<T> {
  const rows = Object.entries(readers) as Array<[string, readonly [string, Reader<unknown>]]>;
  const byName = new Map(rows.map(([key, [name, read]]) => [name, { key, read }]));
  return (value, pointer, problems) => {
    const read = entriesOf(value, pointer, problems).flatMap(([name, each]) => {
      const at = `${pointer}/${escaped(name)}`;
      const field = byName.get(name);
      if (field) return [[field.key, field.read(each, at, problems)] as const];
      problems.push({
        pointer: at,
        detail: `is not a known field; there are ${[...byName.keys()].join(', ')}`,
      });
      return [];
    });
    return { ...otherwise, ...Object.fromEntries(read) };
  };
}

function entriesOf(value: unknown, pointer: string, problems: Problem[]): Array<[string, unknown]> {
  if (isObject(value)) return Object.entries(value);
  problems.push({ pointer, detail: 'must be an object' });
  return [];
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function within(parent: string, problems: readonly Problem[]): Problem[] {
  return problems.map(({ pointer, detail }) => ({ pointer: `${parent}${pointer}`, detail }));
}

/** A name within a JSON pointer (RFC 6901, section 3). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
