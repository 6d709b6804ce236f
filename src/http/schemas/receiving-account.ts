/** Requests about receiving accounts. The rules read what is in the fields; the schema says which there are. */
import { type Static, Type } from '../../lib/json-schema.ts';
import { closedObject, nullable } from '../../lib/schemas.ts';
import { kind } from './answer-fields.ts';

const optional = (limits: object, description: string, example: string) =>
  Type.Optional(nullable(Type.String({ ...limits, description, examples: [example] })));
const text = (maxLength: number, description: string, example: string) =>
  optional({ maxLength }, description, example);

/** Longest identifier that is looked at: with blanks, which are removed. */
const IDENTIFIER = 255;

export const receivingAccountParams = Type.Object({
  id: Type.String({
    description: 'Id of the receiving account, which you choose: 1 to 32 characters of a to z, 0 to 9 and -.',
    examples: ['eur'],
  }),
});

const holder = closedObject(
  {
    name: text(70, 'Name of the holder.', 'Muster Handels GmbH'),
    street: text(70, 'Street.', 'Musterstraße'),
    building_number: text(16, 'Number.', '1'),
    postal_code: text(16, 'Postcode.', '10115'),
    city: text(35, 'City.', 'Berlin'),
    country: optional({ format: 'iso-3166' }, 'ISO 3166-1 alpha-2 code.', 'DE'),
  },
  { description: 'The holder of the account. Required for a new one, with name and country.' },
);

export const setReceivingAccountBody = closedObject(
  {
    // As they came: what was fetched may be changed and put back.
    id: Type.Optional(Type.String({ description: 'Id, as in the path.', examples: ['eur'] })),
    object: Type.Optional(kind('receiving_account')),
    currency: optional({ format: 'iso-4217' }, 'ISO 4217 currency code. Required for a new account.', 'EUR'),
    holder: Type.Optional(holder),
    iban: text(IDENTIFIER, 'IBAN.', 'DE89370400440532013000'),
    bic: text(IDENTIFIER, 'BIC.', 'COBADEFFXXX'),
    account_number: text(34, 'Account number, where there is no IBAN.', '532013000'),
    bank_code: text(34, 'Code of the bank, such as a routing number.', '37040044'),
    bank_name: text(140, 'Bank name.', 'Commerzbank'),
    qr_iban: text(IDENTIFIER, 'Swiss QR-IBAN.', 'CH4431999123000889012'),
    paynow: text(IDENTIFIER, 'PayNow (SGD).', '+6591234567'),
    promptpay: text(IDENTIFIER, 'PromptPay (THB).', '0812345678'),
    pix: text(IDENTIFIER, 'Pix key (BRL).', 'pix@shop.example.com'),
    upi: text(IDENTIFIER, 'UPI id (INR).', 'shop@upi'),
    methods: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 100,
        description: 'Payment methods. They follow from the other fields: these are not read.',
        examples: [['local_bank_transfer_eur', 'wire_transfer']],
      }),
    ),
    first: Type.Optional(
      Type.Boolean({
        description:
          'Puts the account before all others: payers see the first one of a currency. Otherwise it stays where it is, and a new one comes last.',
        examples: [true],
      }),
    ),
  },
  {
    examples: [
      {
        currency: 'EUR',
        holder: { name: 'Muster Handels GmbH', country: 'DE' },
        iban: 'DE89 3704 0044 0532 0130 00',
        bic: 'COBADEFFXXX',
      },
    ],
  },
);

export type ReceivingAccountBody = Static<typeof setReceivingAccountBody>;
