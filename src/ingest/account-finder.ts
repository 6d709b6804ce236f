/** Receiving accounts of statements. */
import type { Tenant } from '../checkout/tenant.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import { StatementError, type StatementHeader } from '../statements/entry.ts';
import type { Store } from '../store/store.ts';

/**
 * Finds the receiving account of a statement; a statement of any other account is refused. The header that it returns
 * has the id of that account in the place of the number: entries are identified by it, and it stays when the account
 * gets an IBAN or the bank writes its number in another way.
 */
export async function accountFinder(store: Pick<Store, 'accounts'>, { account: number, mode }: Tenant) {
  const settings = (await store.accounts.fetch(number))?.settings[mode];
  const receiving = settings?.receivingAccounts ?? [];
  // One is enough: the statements of a file come one after the other.
  let latest: { readonly given: StatementHeader; readonly known: StatementHeader } | null = null;
  return (header: StatementHeader): StatementHeader => {
    if (latest?.given === header) return latest.known;
    const { account, currency } = header;
    const isNamed = namedInParts(account);
    const isWhole = ({ iban, qrIban, accountNumber }: ReceivingAccount) =>
      [iban, qrIban, accountNumber].some((each) => each && compact(each) === compact(account));
    const ofCurrency = receiving.filter((each) => each.currency === currency);
    const one = ofCurrency.find(isWhole) ?? ofCurrency.find(isNamed);
    if (!one) {
      throw new StatementError(
        `the statement is about ${account} in ${currency}, which is not a receiving account`,
      );
    }
    const known = { ...header, account: one.id };
    latest = { given: header, known };
    return known;
  };
}

/** Matches `<bank code>/<number>` (MT940, field 25) with an IBAN, whose last part has both. */
function namedInParts(account: string): (known: ReceivingAccount) => boolean {
  const [bank = '', number = '', ...rest] = account.split('/').map(compact);
  const plain = number.replace(/^0+/, '');
  if (plain === '' || bank === '' || rest.length > 0) return () => false;
  return ({ iban, bankCode, accountNumber }) => {
    const national = iban?.slice(4) ?? '';
    const isOfIban = national.startsWith(bank) && national.slice(bank.length).replace(/^0+/, '') === plain;
    return (
      isOfIban ||
      (compact(bankCode ?? '') === bank && compact(accountNumber ?? '').replace(/^0+/, '') === plain)
    );
  };
}

/** Account number without the blanks, dots and dashes that some banks write. */
function compact(account: string): string {
  return account.toUpperCase().replace(/[^0-9A-Z]/g, '');
}
