/** Tags of what an account has: by them a change says which state it is for, and is refused for any other. Pure. */
import { type Refusal, refuse } from '../checkout/refusals.ts';
import type { Mode } from '../checkout/tenant.ts';
import { type Condition, isMet, tagOf } from '../lib/condition.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import { serializeReceivingAccount } from '../methods/bank/receiving-account-schema.ts';
import type { SealedCredentials } from '../methods/credentials.ts';
import type { Account } from './account.ts';
import type { AccountCommand } from './account-changes.ts';
import { credentialsAt } from './rail-credentials-changes.ts';
import { representAccount, representSettings } from './representation.ts';

export const accountTag = (account: Account): string => tagOf(representAccount(account));

export const settingsTag = (account: Account, mode: Mode): string => tagOf(representSettings(account, mode));

export const receivingAccountTag = (account: ReceivingAccount): string =>
  tagOf(serializeReceivingAccount(account));

/** Each time that they are set is later than the one before. Sealed under another key they are the same. */
export const railCredentialsTag = ({ secrets, setAt, setBy }: SealedCredentials): string =>
  tagOf({ hints: Object.entries(secrets).map(([field, { hint }]) => [field, hint]), setAt, setBy });

/** A secret has 256 random bits: its tag says nothing about it, but that it is another one. */
export const webhookSecretTag = ({ webhookSecrets }: Pick<Account, 'webhookSecrets'>, mode: Mode): string =>
  tagOf({ webhookSecret: webhookSecrets[mode] });

/** Another image has another name. */
export const logoTag = (name: string): string => tagOf({ logo: name });

/** The tag of what the command changes; null where that is not there. */
function tagBefore(account: Account, mode: Mode, command: AccountCommand): string | null {
  if ('rail' in command) {
    const known = credentialsAt(account.railCredentials[mode], command.rail);
    return known && railCredentialsTag(known);
  }
  if ('id' in command) {
    const known = account.settings[mode].receivingAccounts.find(({ id }) => id === command.id);
    return known === undefined ? null : receivingAccountTag(known);
  }
  if (command.type === 'set_logo' || command.type === 'remove_logo') {
    const name = account.logos[mode];
    return name === null ? null : logoTag(name);
  }
  if (command.type === 'rotate_webhook_secret') return webhookSecretTag(account, mode);
  return command.type === 'rename_account' ? accountTag(account) : settingsTag(account, mode);
}

/** The refusal of a command whose condition what is there does not meet. */
export function refusalByCondition(
  account: Account,
  mode: Mode,
  { command, condition }: { readonly command: AccountCommand; readonly condition?: Condition | undefined },
): Refusal | null {
  const isRefused = condition !== undefined && !isMet(condition, tagBefore(account, mode, command));
  return isRefused ? refuse('version_stale', CHANGED_SINCE) : null;
}

export const CHANGED_SINCE = 'It has changed since the version that the request names.';
