/** Rules of changing the receiving accounts of an account and mode, one at a time. Pure. */
import { mergePatch } from '../checkout/metadata.ts';
import { type Problem, type Refusal, refuse, refuseFields } from '../checkout/refusals.ts';
import type { JsonObject } from '../checkout/session.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import { readReceivingAccount, serializeReceivingAccount } from '../methods/bank/receiving-account-schema.ts';
import { readSettings } from './settings-json.ts';

export type ReceivingAccountCommand =
  | {
      readonly type: 'set_receiving_account';
      readonly id: string;
      /** Fields to change, by their names in JSON: a merge patch (RFC 7396), in which an empty text removes as well. */
      readonly fields: JsonObject;
      /** Puts it before all others: payers see the first one of a currency. */
      readonly isFirst: boolean;
    }
  | { readonly type: 'remove_receiving_account'; readonly id: string };

export const NO_SUCH_RECEIVING_ACCOUNT = 'There is no such receiving account.';

/** The accounts after the command. Problems of a refusal have their place in the receiving account. */
export function changedReceivingAccounts(
  accounts: readonly ReceivingAccount[],
  command: ReceivingAccountCommand,
): readonly ReceivingAccount[] | Refusal {
  const known = accounts.find(({ id }) => id === command.id);
  const others = accounts.filter((each) => each !== known);
  if (command.type === 'remove_receiving_account')
    return known === undefined ? refuse('not_found', NO_SUCH_RECEIVING_ACCOUNT) : others;
  const before = known === undefined ? { holder: {} } : serializeReceivingAccount(known);
  const read = readReceivingAccount({ ...mergePatch(before, command.fields), id: command.id });
  if ('problems' in read) return refuseFields(read.problems);
  const changed = read.account;
  // One that is changed stays where it is.
  const kept = known ? accounts.map((each) => (each === known ? changed : each)) : [...accounts, changed];
  const after = command.isFirst ? [changed, ...others] : kept;
  const together = readSettings({ receiving_accounts: after.map(serializeReceivingAccount) });
  return 'problems' in together ? refuseFields(together.problems.map(withoutPlace)) : after;
}

/** The field without its place among all accounts; a list that is too long stays as it is. */
function withoutPlace({ pointer, detail }: Problem): Problem {
  return { pointer: pointer.replace(/^\/receiving_accounts\/\d+/, ''), detail };
}
