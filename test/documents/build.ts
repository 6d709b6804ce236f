/** Makes the sessions, payees and instructions that the documents of the tests are about. */
import type { Item } from '../../src/checkout/items.ts';
import { type Checkout, defaultPolicy, type Payment, type Refund } from '../../src/checkout/session.ts';
import {
  type Instructions,
  invoiceFacts,
  type Payee,
  type ReceiptFacts,
  receiptFacts,
} from '../../src/documents/facts.ts';
import { localeOf } from '../../src/i18n/locale.ts';

export const T = Date.UTC(2030, 0, 15, 12);
export const VERIFY_URL =
  'https://pay.example.com/verify/chk_01j9zq3v5w8x7y6z5a4b3c2d1e?proof=Zm9vYmFyYmF6cXV4';

export const payee: Payee = {
  name: 'Bäckerei Müller & Söhne GmbH',
  addressLines: ['Musterstraße 12', '80331 München', 'Deutschland'],
  taxId: 'DE123456789',
  email: 'rechnung@baeckerei.example',
};

export const items: readonly Item[] = [
  { name: 'Sauerteigbrot, 1 kg', quantity: 2, unitPrice: 650 },
  { name: 'Espresso „Altstadt“', quantity: 10, unitPrice: 1250, description: 'Ganze Bohne, 250 g' },
];

export function checkout(given: Partial<Checkout> = {}): Checkout {
  return {
    id: 'chk_01j9zq3v5w8x7y6z5a4b3c2d1e',
    tenant: { account: 1, mode: 'live' },
    version: 7,
    eventCount: 9,
    createdAt: T,
    token: 'token1',
    currency: 'EUR',
    amount: 14290,
    items,
    description: 'Weekly order of the office',
    referenceId: 'order-1001',
    metadata: {},
    payer: {
      customer: '',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      country: 'GB',
      phone: null,
      billingDetails: {
        name: 'Analytical Engines Ltd',
        address: { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4LB', country: 'GB' },
      },
      shippingDetails: null,
    },
    successUrl: '',
    cancelUrl: '',
    webhookUrl: '',
    methods: ['card'],
    expiresAt: T + 86_400_000,
    lifecycle: { state: 'completed', at: T },
    attempts: [
      {
        id: 'pat_a',
        createdAt: T,
        rail: 'sandbox',
        reference: 'ref_a',
        method: 'card',
        amount: 14290,
        version: 7,
        status: 'succeeded',
        reason: '',
        syncAt: null,
        traits: {},
        details: {},
      },
    ],
    payments: [payment(10_000), payment(5_000, { reference: 'pay_2', bookedAt: T + 3_600_000 })],
    refunds: [refund(500)],
    reversals: [],
    fees: [],
    policy: defaultPolicy,
    ...given,
  };
}

export function payment(amount: number, given: Partial<Payment> = {}): Payment {
  return {
    rail: 'sandbox',
    reference: 'pay_1',
    attempt: 'pat_a',
    amount,
    bookedAt: T + 60_000,
    late: false,
    ...given,
  };
}

export function refund(amount: number, given: Partial<Refund> = {}): Refund {
  return {
    id: 'rfd_1',
    createdAt: T + 7_200_000,
    attempt: 'pat_a',
    rail: 'sandbox',
    reference: 'rf_1',
    amount,
    reason: '',
    remarks: '',
    metadata: {},
    webhookUrl: '',
    status: 'succeeded',
    failure: '',
    syncAt: null,
    ...given,
  };
}

export function receiptOf(
  given: Partial<Checkout> = {},
  language = 'en',
  paidTo: Payee = payee,
): ReceiptFacts {
  return receiptFacts(checkout(given), paidTo, localeOf(undefined, language), VERIFY_URL);
}

const EPC = [
  'BCD',
  '002',
  '1',
  'SCT',
  'COBADEFFXXX',
  'Bäckerei Müller & Söhne GmbH',
  'DE89370400440532013000',
  'EUR142.90',
  '',
  'RF18539007547034',
  '',
  '',
].join('\n');

export const epcInstructions: Instructions = {
  fields: [
    { label: 'Payee', text: 'Bäckerei Müller & Söhne GmbH' },
    { label: 'IBAN', text: 'DE89 3704 0044 0532 0130 00' },
    { label: 'BIC', text: 'COBADEFFXXX' },
    { label: 'Amount', text: '€142.90' },
    { label: 'Reference', text: 'RF18 5390 0754 7034' },
  ],
  code: { payload: EPC, swissCross: false },
};

/** `amount` and `debtor` may be empty: the payer fills them in. */
export function swissPayload(amount: string, debtor: readonly string[]): string {
  const creditor = ['S', 'Robert Schneider AG', 'Rue du Lac', '1268', '2501', 'Biel', 'CH'];
  const empty = ['', '', '', '', '', '', ''];
  return [
    ...['SPC', '0200', '1', 'CH4431999123000889012', ...creditor, ...empty, amount, 'CHF'],
    ...(debtor.length === 0 ? empty : debtor),
    ...['QRR', '210000000003139471430009017', 'Bestellung vom 15.09.2030', 'EPD'],
  ].join('\n');
}

export const swissDebtor = [
  'S',
  'Pia-Maria Rutschmann-Schnyder',
  'Grosse Marktgasse',
  '28',
  '9400',
  'Rorschach',
  'CH',
];

export function invoiceOf(given: Partial<Checkout> = {}, language = 'en', instructions = epcInstructions) {
  const unpaid = checkout({
    payments: [],
    refunds: [],
    attempts: [],
    lifecycle: { state: 'active' },
    ...given,
  });
  return invoiceFacts(unpaid, payee, localeOf(undefined, language), instructions);
}

/** Number of an item, in three digits. */
export const number = (index: number) => String(index + 1).padStart(3, '0');

/** Items that fill many pages. */
export const longItems = Array.from({ length: 100 }, (_, index) => ({
  name:
    `begin${number(index)} ${'lorem ipsum '.repeat(20)}`.slice(0, 240).padEnd(240, 'x') +
    ` end${number(index)}`,
  quantity: index + 1,
  unitPrice: 1000 + index,
}));
