/** The rail of transfers as the contract of rails sees it: its provider is a bank, which tells everything in statements. */
import { endToEndIdOf } from '../../../src/banking/entry.ts';
import { decimalAmount } from '../../../src/checkout/money.ts';
import { bank } from '../../../src/methods/bank/rail.ts';
import { type Provider, unreliable } from '../contract-provider.ts';
import type { Data, Till } from '../contract-till.ts';
import { account, DE_IBAN } from './build.ts';

const PAYER_IBAN = 'DE02120300000000202051';
const BOOKED_ON = '2026-03-02';

const accounts = [
  account({ id: 'eur', currency: 'EUR', iban: DE_IBAN, bic: 'COBADEFFXXX' }),
  account({ id: 'jpy', currency: 'JPY', accountNumber: '1234567', bankCode: '0001-123' }),
  account({ id: 'kwd', currency: 'KWD', iban: 'KW81CBKU0000000000001234560101' }),
  account({ id: 'clf', currency: 'CLF', accountNumber: '00123456789' }),
];

type Entry = {
  readonly direction: 'CRDT' | 'DBIT';
  readonly amount: number;
  readonly bankReference: string;
  readonly endToEndId?: string;
  readonly remittance?: string;
  /** ISO 20022 external code, of money that comes back. */
  readonly returnReason?: string;
};

let count = 0;
const next = () => String(++count).padStart(16, '0');

/** A camt.053 of one account; each has an id of its own, so that the same entries make another file. */
function statement(currency: string, entries: readonly Entry[]): string {
  const { iban, accountNumber } = accounts.find((each) => each.currency === currency) ?? account();
  const id = iban ? `<IBAN>${iban}</IBAN>` : `<Othr><Id>${accountNumber}</Id></Othr>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
<GrpHdr><MsgId>M${next()}</MsgId><CreDtTm>${BOOKED_ON}T23:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>S${next()}</Id><Acct><Id>${id}</Id><Ccy>${currency}</Ccy></Acct>
${entries.map((entry) => entryText(entry, currency)).join('\n')}
</Stmt></BkToCstmrStmt></Document>
`;
}

function entryText(entry: Entry, currency: string): string {
  const { direction, amount, bankReference, endToEndId, remittance = '', returnReason } = entry;
  const side = direction === 'CRDT' ? 'Dbtr' : 'Cdtr';
  const isReturn = returnReason !== undefined;
  return `<Ntry><Amt Ccy="${currency}">${decimalAmount(amount, currency)}</Amt><CdtDbtInd>${direction}</CdtDbtInd>
<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${BOOKED_ON}</Dt></BookgDt><AcctSvcrRef>${bankReference}</AcctSvcrRef>
<NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId ?? 'NOTPROVIDED'}</EndToEndId></Refs>
<RltdPties><${side}><Pty><Nm>Ada Lovelace</Nm></Pty></${side}><${side}Acct><Id><IBAN>${PAYER_IBAN}</IBAN></Id></${side}Acct></RltdPties>
<RmtInf><Ustrd>${remittance}</Ustrd></RmtInf>
${isReturn ? `<RtrInf><Rsn><Cd>${returnReason}</Cd></Rsn></RtrInf>` : ''}</TxDtls></NtryDtls></Ntry>`;
}

const show = (till: Till, file: string): Promise<Data> =>
  till.ask('POST', '/bank_statement', file, { 'content-type': 'application/xml' });

const openEntries = async (till: Till): Promise<Data[]> => till.ask('GET', '/bank_entry?status=open');

export async function startBank(): Promise<Provider> {
  const { rail, troubles } = unreliable(bank);
  const credits = new Map<string, Entry[]>();
  /** Transfers that the bank was told to make, as often as it was told, by the id of the refund. */
  const transfers: Array<{ refund: string; amount: number; currency: string }> = [];
  /** The attempt that each transfer pays for. */
  const attemptsOf = new Map<string, string>();
  /** Transfers for refunds that came back. */
  const returned = new Set<string>();
  const referenceOf = (attempt: Data): string => attempt.payment_method_details.reference;

  async function fileRefunds(till: Till, currency: string): Promise<void> {
    const receiving = { receiving_account: currency.toLowerCase() };
    const { status, data, text } = await till.call('POST', '/payment_file', receiving);
    if (status === 409 && text.includes('NOTHING_TO_PAY')) return;
    if (status !== 201) throw new Error(`no file of payments: ${text}`);
    const { content } = await till.ask('GET', `/payment_file/${data.id}/content`);
    const pattern = /<EndToEndId>(\w+)<\/EndToEndId>[\s\S]*?<InstdAmt Ccy="[A-Z]+">([\d.]+)</g;
    for (const [, refund = '', amount = ''] of content.matchAll(pattern)) {
      transfers.push({ refund, amount: Number(amount.replace('.', '')), currency });
    }
  }

  return {
    rail,
    receivingAccounts: accounts,
    offers: [
      { why: 'a transfer', method: 'local_bank_transfer_eur', occasion: {}, carried: true },
      { why: 'a transfer from abroad', method: 'wire_transfer', occasion: {}, carried: true },
      {
        why: 'an amount that is not known',
        method: 'wire_transfer',
        occasion: { amount: null },
        carried: true,
      },
      { why: 'payers of any country', method: 'wire_transfer', occasion: { country: 'BR' }, carried: true },
      {
        why: 'an account without a BIC',
        method: 'wire_transfer',
        occasion: { currency: 'JPY' },
        carried: false,
      },
      {
        why: 'a currency without an account',
        method: 'local_bank_transfer_usd',
        occasion: { currency: 'USD' },
        carried: false,
      },
      { why: 'another method', method: 'card', occasion: {}, carried: false },
      {
        why: 'a mode without accounts',
        method: 'local_bank_transfer_eur',
        occasion: { mode: 'live' },
        carried: false,
      },
      {
        why: 'a shop without accounts',
        method: 'local_bank_transfer_eur',
        occasion: {},
        isConfigured: false,
        carried: false,
      },
    ],
    methodFor: (currency) => `local_bank_transfer_${currency.toLowerCase()}`,
    amounts: {
      JPY: [1, 1050, 999_999_999_999_999],
      EUR: [1, 1051, 999_999_999_999_999],
      KWD: [1, 1234, 999_999_999_999_999],
      CLF: [1, 12_345, 999_999_999_999_999],
    },
    form: {},
    meansOf: async (till, id) =>
      (await till.stored(id)).attempts.map(({ reference, details }) => ({ reference, details })),
    pay(attempt, amount = attempt.amount) {
      const remittance = `Order, thanks ${referenceOf(attempt)}`;
      const entry: Entry = { direction: 'CRDT', amount, bankReference: next(), remittance };
      credits.set(attempt.id, [...(credits.get(attempt.id) ?? []), entry]);
    },
    news(till, attempt) {
      const entries = credits.get(attempt.id) ?? [];
      const file = statement(attempt.charge_currency, entries);
      const other: Entry = { direction: 'DBIT', amount: 250, bankReference: next(), remittance: 'Fee' };
      const overlapping = statement(attempt.charge_currency, [other, ...entries]);
      return [file, file, overlapping].map((each) => () => show(till, each));
    },
    asked: () => 1,
    isOpen: () => null,
    troubles,
    paidUnheard: null,
    async unknownState(till, session) {
      const attempt = await till.choose(session, 'local_bank_transfer_eur');
      const before = (await openEntries(till)).length;
      const undone: Entry = {
        direction: 'CRDT',
        amount: session.amount,
        bankReference: next(),
        remittance: referenceOf(attempt),
        returnReason: 'XX99',
      };
      await show(till, statement('EUR', [undone]));
      return { attempt, seen: (await openEntries(till)).length - before };
    },
    async payEarly(till, session) {
      const { attempt, write } = await till.plan(session.id, rail, 'local_bank_transfer_eur');
      const { amount, reference } = attempt;
      const entry: Entry = { direction: 'CRDT', amount, bankReference: next(), remittance: reference };
      await show(till, statement('EUR', [entry]));
      return { write };
    },
    refundFields: () => ({}),
    async carryOut(till, { id, currency, payment_attempt: attempt, amount }, ending = 'succeeded') {
      attemptsOf.set(endToEndIdOf(id), attempt);
      await till.pass();
      await fileRefunds(till, currency);
      const common = { amount, bankReference: next(), endToEndId: endToEndIdOf(id) };
      await show(till, statement(currency, [{ ...common, direction: 'DBIT' }]));
      if (ending === 'succeeded') return;
      returned.add(endToEndIdOf(id));
      await show(till, statement(currency, [{ ...common, direction: 'CRDT', returnReason: 'AC04' }]));
    },
    refundsAt: (attempt) =>
      transfers
        .filter(({ refund }) => attemptsOf.get(refund) === attempt.id && !returned.has(refund))
        .map(({ amount }) => amount),
    async takeBack(till, attempt, amount = attempt.amount) {
      const entry: Entry = {
        direction: 'DBIT',
        amount,
        bankReference: next(),
        remittance: `Return of ${referenceOf(attempt)}`,
        returnReason: 'MD06',
      };
      const file = statement(attempt.charge_currency, [entry]);
      await show(till, file);
      await show(till, statement(attempt.charge_currency, [entry]));
      return { win: null };
    },
  };
}
