import type { Problem } from '../../../../checkout/refusals.ts';
import type { JsonObject } from '../../../../checkout/session.ts';
import { objectOf } from '../../../declare/json.ts';
import { flag, optional, optionName, required } from '../../../declare/parameter.ts';
import { nonEmpty, text } from '../../../declare/values.ts';
import { UsageError } from '../../../failure.ts';
import { placeOptions } from '../../../place.ts';
import { printable } from '../../../printable.ts';
import { receivingAccountsCommand } from '../../../receiving-accounts/command.ts';
import { lineOf, receivingAccountKeys } from '../../../receiving-accounts/receiving-accounts.ts';

/** Options for the fields of the account itself. */
const ofAccount = {
  currency: optional(text('currency'), 'Currency of the account, such as `EUR`.'),
  iban: optional(text('iban'), 'IBAN.'),
  bic: optional(text('bic'), 'BIC.'),
  accountNumber: optional(text('number'), 'Account number, where there is no IBAN.'),
  bankCode: optional(text('code'), 'Code of the bank, such as a routing number.'),
  bankName: optional(text('name'), 'Name of the bank.'),
  qrIban: optional(text('iban'), 'Swiss QR-IBAN.'),
  paynow: optional(text('proxy'), 'PayNow proxy (SGD).'),
  promptpay: optional(text('proxy'), 'PromptPay proxy (THB).'),
  pix: optional(text('key'), 'Pix key (BRL).'),
  upi: optional(text('id'), 'UPI id (INR).'),
};

/** Options for its holder: `--holder-name` is `/holder/name`. */
const ofHolder = {
  holderName: optional(text('name'), 'Name of the holder.'),
  holderStreet: optional(text('street'), 'Street.'),
  holderBuildingNumber: optional(text('number'), 'Building number.'),
  holderPostalCode: optional(text('code'), 'Postal code.'),
  holderCity: optional(text('city'), 'City.'),
  holderCountry: optional(text('country'), 'Country, such as `DE`.'),
};

const pointers = new Map(
  [...Object.keys(ofAccount), ...Object.keys(ofHolder)].map((key) => [key, pointerOf(key)]),
);

export const command = receivingAccountsCommand({
  purpose: 'Create a receiving account, or change fields of one.',
  details: [
    'A new account needs a currency, a holder with name and country, and an identifier such as an IBAN. For an existing account, only the given fields change; an empty value removes a field.',
  ],
  arguments: {
    id: required(nonEmpty('id', 'an id that you choose'), 'An id that you choose, such as `eur`.'),
  },
  options: {
    ...ofAccount,
    ...ofHolder,
    first: flag('Put the account before all others.'),
    ...placeOptions,
  },
  json: objectOf(receivingAccountKeys, 'receiving_account'),
  examples: [
    [
      "opentill bank account set eur --currency EUR --iban 'DE89 3704 0044 0532 0130 00' --holder-name 'Muster Handels GmbH' --holder-country DE",
      'Create an account for transfers in euros',
    ],
    ['opentill bank account set eur --bic COBADEFFXXX --first', 'Add a field, and show this account first'],
    [
      'opentill bank account set eur --bic COBADEFFXXX --url https://pay.example',
      'The same for the account and mode of `OPENTILL_API_KEY`',
    ],
  ],
  check: ({ id: _id, account: _account, live: _live, first, ...fields }) =>
    first || Object.values(fields).some((value) => value !== undefined)
      ? []
      : ['bank account set needs fields to set, such as --iban'],
  async run({ id, account, live, first, ...fields }, { accounts, output }) {
    const given = { id, fields: fieldsOf(fields), isFirst: first };
    const shown = await accounts.set({ account, live }, given, mistakes);
    output.record(shown, lineOf(shown));
  },
});

/** The given options as fields of the account and of its holder. */
function fieldsOf(options: Readonly<Record<string, string | undefined>>): JsonObject {
  const given = [...pointers].flatMap(([key, pointer]) => {
    const value = options[key];
    return value === undefined ? [] : [{ path: pointer.split('/').slice(1), value }];
  });
  const at = (depth: number) =>
    Object.fromEntries(
      given.filter(({ path }) => path.length === depth).map(({ path, value }) => [path.at(-1), value]),
    );
  return { ...at(1), holder: at(2) };
}

/** `qrIban` is `/qr_iban`, and `holderPostalCode` is `/holder/postal_code`. */
function pointerOf(key: string): string {
  const name = optionName(key).slice(2).replaceAll('-', '_');
  return `/${name.replace(/^holder_/, 'holder/')}`;
}

function mistakes(problems: readonly Problem[]): UsageError {
  const lines = problems.map(({ pointer, detail }) => {
    const key = [...pointers].find(([, each]) => each === pointer)?.[0];
    const id = pointer === '/id' ? '<id>' : pointer.slice(1) || 'the account';
    return printable(`${key === undefined ? id : optionName(key)} ${detail}`);
  });
  return new UsageError(...lines);
}
