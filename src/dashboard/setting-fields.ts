/** Settings of an account and mode as fields of forms. */
import type { representSettings } from '../accounts/representation.ts';
import {
  MAX_ADDRESS_LINES,
  MAX_EMAIL,
  MAX_LINE,
  MAX_TOLERANCE_BASIS_POINTS,
  sessionEvents,
} from '../accounts/settings-schema.ts';
import { ACCOUNT_NAME_LENGTH } from '../lib/account-name.ts';
import { type Editable, wholeNumber } from './edit.ts';

export type Settings = ReturnType<typeof representSettings>;
type SettingField = Editable<Settings>;

/** Beside the types of events, none of which has this name. */
const NONE = 'none';

const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const nameField: SettingField = {
  name: 'name',
  label: 'Name',
  required: true,
  maxlength: ACCOUNT_NAME_LENGTH,
  hint: 'Payers see it, in both modes.',
  text: ({ name }) => name,
};

const businessFields: readonly SettingField[] = [
  {
    name: 'business/address_lines',
    label: 'Address',
    rows: 4,
    hint: `On receipts and invoices: ${MAX_ADDRESS_LINES} lines at most.`,
    text: ({ business }) => business.address_lines.join('\n'),
    value: linesIn,
  },
  {
    name: 'business/tax_id',
    label: 'VAT or tax id',
    maxlength: MAX_LINE,
    text: ({ business }) => business.tax_id,
  },
  {
    name: 'business/email',
    label: 'E-mail address for payers',
    maxlength: MAX_EMAIL,
    text: ({ business }) => business.email,
  },
];

const brandingFields: readonly SettingField[] = [
  {
    name: 'branding/accent_color',
    label: 'Color of buttons and links',
    maxlength: 7,
    hint: 'Such as #0b6b57. Without one, it is the usual one.',
    text: ({ branding }) => branding.accent_color,
  },
];

const grace = (rail: 'bank' | 'sandbox' | 'stripe', label: string): SettingField => ({
  name: `policy/grace_minutes/${rail}`,
  label: `Grace for ${label}, in minutes`,
  inputmode: 'numeric',
  text: ({ policy }) => String(policy.grace_minutes[rail] ?? ''),
  value: wholeNumber,
});

const policyFields: readonly SettingField[] = [
  {
    name: 'policy/underpayment_tolerance_basis_points',
    label: 'Part of the amount that may be missing',
    inputmode: 'numeric',
    hint: `In hundredths of a percent, ${MAX_TOLERANCE_BASIS_POINTS} at most.`,
    text: ({ policy }) => String(policy.underpayment_tolerance_basis_points),
    value: wholeNumber,
  },
  {
    name: 'policy/underpayment_tolerance_at_most',
    label: 'But no more than',
    inputmode: 'numeric',
    hint: 'In minor units, such as cents.',
    text: ({ policy }) => String(policy.underpayment_tolerance_at_most),
    value: wholeNumber,
  },
  {
    name: 'policy/excess',
    label: 'Money beyond the amount',
    choices: [
      ['keep', 'Keep it'],
      ['refund', 'Refund it'],
    ],
    text: ({ policy }) => policy.excess,
  },
  {
    name: 'policy/late',
    label: 'Bank transfers behind the expiry',
    choices: [
      ['accept', 'Accept them'],
      ['hold', 'Hold them for a person'],
    ],
    text: ({ policy }) => policy.late,
  },
  {
    name: 'policy/unreferenced',
    label: 'Bank transfers without a reference',
    choices: [
      ['match', 'Match them by amount and payer'],
      ['ask', 'Ask a person'],
    ],
    text: ({ policy }) => policy.unreferenced,
  },
  grace('bank', 'bank transfers'),
  grace('stripe', 'cards'),
  grace('sandbox', 'the sandbox'),
];

const apiFields: readonly SettingField[] = [
  {
    name: 'compatibility',
    label: 'Compatibility',
    choices: [
      ['strict', 'Strict'],
      ['v3', 'Clients of other v3 services'],
    ],
    text: ({ compatibility }) => compatibility,
  },
  {
    name: 'webhook_url_events',
    label: 'Events to the addresses of sessions',
    many: true,
    choices: [[NONE, 'no event'], ...sessionEvents.map((type) => [type, type] as const)],
    hint: 'With nothing checked, those that the compatibility implies.',
    text: ({ webhook_url_events: events }) => (events?.length === 0 ? NONE : (events ?? []).join(' ')),
    value: (text) => (text === '' ? null : text.split(' ').filter((type) => type !== NONE)),
  },
];

type Part = {
  readonly part: string;
  readonly title: string;
  readonly fields: readonly SettingField[];
};

/** The forms of the settings, by the last part of their paths. */
export const settingParts: readonly Part[] = [
  { part: 'business', title: 'Business', fields: businessFields },
  { part: 'branding', title: 'Look of the pages that payers see', fields: brandingFields },
  { part: 'policy', title: 'Money that does not fit', fields: policyFields },
  { part: 'api', title: 'API', fields: apiFields },
];
