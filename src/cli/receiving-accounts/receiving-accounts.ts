/** Receiving accounts, as commands work with them: in the database, or through the API of a server. */
import type { representReceivingAccount } from '../../accounts/representation.ts';
import type { Problem } from '../../checkout/refusals.ts';
import type { JsonObject } from '../../checkout/session.ts';
import type { Place } from '../place.ts';
import { printable } from '../printable.ts';

export type ShownAccount = ReturnType<typeof representReceivingAccount>;

/** Fields to set, by their names in JSON: a merge patch (RFC 7396), in which an empty text removes as well. */
export type AccountFields = {
  readonly id: string;
  readonly fields: JsonObject;
  readonly isFirst: boolean;
};

export type ReceivingAccounts = {
  /** In their order. */
  list(place: Place): Promise<readonly ShownAccount[]>;
  /** Mistakes have their places in the receiving account, and are thrown as `mistakes` tells them. */
  set(
    place: Place,
    account: AccountFields,
    mistakes: (problems: readonly Problem[]) => Error,
  ): Promise<ShownAccount>;
  remove(place: Place, id: string): Promise<void>;
};

export const receivingAccountKeys = {
  id: 'Its id, which you chose.',
  currency: 'Its currency.',
  holder: 'Name and address of its holder.',
  iban: 'IBAN; this and each of the following is null where there is none.',
  bic: 'BIC.',
  account_number: 'Account number.',
  bank_code: 'Code of the bank, such as a routing number.',
  bank_name: 'Name of the bank.',
  qr_iban: 'Swiss QR-IBAN.',
  paynow: 'PayNow proxy.',
  promptpay: 'PromptPay proxy.',
  pix: 'Pix key.',
  upi: 'UPI id.',
  methods: 'The payment methods that it makes possible.',
} as const;

export function lineOf(shown: ShownAccount): string {
  const { id, currency, holder, iban, account_number, bic, bank_code, methods } = shown;
  const columns = [
    id,
    currency,
    iban ?? account_number ?? '',
    bic ?? bank_code ?? '',
    printable(holder.name),
    methods.join(','),
  ];
  return columns.filter((text) => text !== '').join('  ');
}
