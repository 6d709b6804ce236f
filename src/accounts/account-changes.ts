/** Rules of changing an account, for the API and the command line alike. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { isRefusal, type Problem, type Refusal, refuse, refuseFields } from '../checkout/refusals.ts';
import type { Mode, TenantTime } from '../checkout/tenant.ts';
import { accountNameProblem } from '../lib/account-name.ts';
import { retired } from '../webhooks/secrets.ts';
import type { Account } from './account.ts';
import type { Logo } from './logo.ts';
import { changedRailCredentials, type RailCredentialsCommand } from './rail-credentials-changes.ts';
import { changedReceivingAccounts, type ReceivingAccountCommand } from './receiving-account-changes.ts';
import { changedSettings, type SettingsCommand } from './settings-changes.ts';
import type { SettingsParts } from './settings-json.ts';

export type AccountCommand =
  | { readonly type: 'rename_account'; readonly name: string }
  | SettingsCommand
  | ReceivingAccountCommand
  | RailCredentialsCommand
  | { readonly type: 'set_logo'; readonly logo: Logo }
  | { readonly type: 'remove_logo' }
  /** The secret signs webhooks to the addresses of sessions. */
  | { readonly type: 'rotate_webhook_secret'; readonly secret: string; readonly overlapMs: number };

/** The account after the command; the same where nothing changes. `now` is in the clock of the mode. */
export function changedAccount(
  account: Account,
  { mode, now }: { readonly mode: Mode; readonly now: TenantTime },
  command: AccountCommand,
): Account | Refusal {
  switch (command.type) {
    case 'rename_account': {
      const problems = badName(command.name);
      return problems.length > 0 ? refuseFields(problems) : renamed(account, command.name);
    }
    case 'change_settings': {
      const { name = account.name, patch } = command;
      const changed = changedSettings(account.settings[mode], patch);
      const problems = [
        ...problemsOfName(account, mode, name),
        ...(isRefusal(changed) ? changed.problems : []),
      ];
      if (isRefusal(changed) || problems.length > 0) return refuseFields(problems);
      return renamed(configured(account, mode, changed), name);
    }
    case 'set_receiving_account':
    case 'remove_receiving_account': {
      const changed = changedReceivingAccounts(account.settings[mode].receivingAccounts, command);
      return isRefusal(changed) ? changed : configured(account, mode, { receivingAccounts: changed });
    }
    case 'set_rail_credentials':
    case 'reseal_rail_credentials':
    case 'remove_rail_credentials': {
      const changed = changedRailCredentials(account.railCredentials[mode], command);
      if (isRefusal(changed)) return changed;
      if (changed === account.railCredentials[mode]) return account;
      return { ...account, railCredentials: { ...account.railCredentials, [mode]: changed } };
    }
    case 'set_logo':
      return withLogo(account, mode, command.logo.name);
    case 'remove_logo':
      return account.logos[mode] === null ? refuse('not_found', NO_LOGO) : withLogo(account, mode, null);
    case 'rotate_webhook_secret': {
      const previous = retired(account.webhookSecrets[mode], now, command.overlapMs);
      return {
        ...account,
        webhookSecrets: { ...account.webhookSecrets, [mode]: command.secret },
        previousWebhookSecrets: { ...account.previousWebhookSecrets, [mode]: previous },
      };
    }
  }
}

export const NO_LOGO = 'The account has no logo.';

const withLogo = (account: Account, mode: Mode, name: string | null): Account =>
  name === account.logos[mode] ? account : { ...account, logos: { ...account.logos, [mode]: name } };

const renamed = (account: Account, name: string): Account =>
  name === account.name ? account : { ...account, name };

/** Problems of a name that an account is to have. */
export function badName(name: string): readonly Problem[] {
  const detail = accountNameProblem(name);
  return detail === null ? [] : [{ pointer: '/name', detail }];
}

/** Keys of test mode change nothing that live payers see. */
function problemsOfName(account: Account, mode: Mode, name: string): Problem[] {
  if (name === account.name) return [];
  const problem = (detail: string) => ({ pointer: '/name', detail });
  return [
    ...badName(name),
    ...(mode === 'live' ? [] : [problem('is of both modes: only a key of live mode changes it')]),
  ];
}

function configured(account: Account, mode: Mode, parts: SettingsParts): Account {
  const settings = { ...account.settings[mode], ...parts };
  if (isDeepStrictEqual(settings, account.settings[mode])) return account;
  return { ...account, settings: { ...account.settings, [mode]: settings } };
}

/** Id of what the command changes, for the log of changes: of a receiving account its own, of credentials the rail. */
export function subjectOf(command: AccountCommand): string {
  if ('rail' in command) return command.rail;
  return 'id' in command ? command.id : 'account';
}

/** A rotation as it is told; times are null for secrets that there are none of. */
export type SecretFate = {
  readonly secret: string;
  /** End of the previous secret, which signs too until then. */
  readonly previousUntil: TenantTime | null;
  /** End that the secret before that would have had: it no longer signs. */
  readonly droppedUntil: TenantTime | null;
};

export function secretFate(
  before: Account,
  after: Account,
  { mode, now }: { readonly mode: Mode; readonly now: TenantTime },
): SecretFate {
  const dropped = before.previousWebhookSecrets[mode];
  return {
    secret: after.webhookSecrets[mode],
    previousUntil: after.previousWebhookSecrets[mode]?.until ?? null,
    droppedUntil: dropped !== null && dropped.until > now ? dropped.until : null,
  };
}
