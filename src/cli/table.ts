/**
 * The table of commands, by their full names and in the order in which help shows them. A command is loaded when it is
 * asked for, so that each starts without the others.
 */
import type { Command } from './declare/command.ts';

type Load = () => Promise<{ readonly command: Command }>;
type Section = { readonly title: string; readonly commands: Readonly<Record<string, Load>> };

const sections: readonly Section[] = [
  {
    title: 'Server',
    commands: {
      serve: () => import('./commands/serve.ts'),
      demo: () => import('./commands/demo.ts'),
      doctor: () => import('./commands/doctor.ts'),
    },
  },
  {
    title: 'Accounts and API keys (in the database, also while a server runs on it)',
    commands: {
      'accounts list': () => import('./commands/accounts/list.ts'),
      'accounts create': () => import('./commands/accounts/create.ts'),
      'accounts rename': () => import('./commands/accounts/rename.ts'),
      'accounts settings': () => import('./commands/accounts/settings.ts'),
      'accounts configure': () => import('./commands/accounts/configure.ts'),
      'accounts set-logo': () => import('./commands/accounts/set-logo.ts'),
      'accounts remove-logo': () => import('./commands/accounts/remove-logo.ts'),
      'accounts rotate-webhook-secret': () => import('./commands/accounts/rotate-webhook-secret.ts'),
      'keys list': () => import('./commands/keys/list.ts'),
      'keys create': () => import('./commands/keys/create.ts'),
      'keys revoke': () => import('./commands/keys/revoke.ts'),
      'credentials list': () => import('./commands/credentials/list.ts'),
      'credentials set': () => import('./commands/credentials/set.ts'),
      'credentials remove': () => import('./commands/credentials/remove.ts'),
      'credentials reseal': () => import('./commands/credentials/reseal.ts'),
      'bank account list': () => import('./commands/bank/account/list.ts'),
      'bank account set': () => import('./commands/bank/account/set.ts'),
      'bank account remove': () => import('./commands/bank/account/remove.ts'),
    },
  },
  {
    title: 'Users of the dashboard (in the database, also while a server runs on it)',
    commands: {
      'users list': () => import('./commands/users/list.ts'),
      'users invite': () => import('./commands/users/invite.ts'),
      'users set-role': () => import('./commands/users/set-role.ts'),
      'users remove': () => import('./commands/users/remove.ts'),
      'users operators': () => import('./commands/users/operators.ts'),
      'users set-operator': () => import('./commands/users/set-operator.ts'),
      'users reset': () => import('./commands/users/reset.ts'),
    },
  },
  {
    title: 'Whole databases',
    commands: {
      'db backup': () => import('./commands/db/backup.ts'),
      'db restore': () => import('./commands/db/restore.ts'),
      'db check': () => import('./commands/db/check.ts'),
      'db move': () => import('./commands/db/move.ts'),
      'db distribute': () => import('./commands/db/distribute.ts'),
    },
  },
  {
    title: 'Webhooks and events (through the API of a running server)',
    commands: {
      'webhooks list': () => import('./commands/webhooks/list.ts'),
      'webhooks add': () => import('./commands/webhooks/add.ts'),
      'webhooks update': () => import('./commands/webhooks/update.ts'),
      'webhooks remove': () => import('./commands/webhooks/remove.ts'),
      'webhooks rotate-secret': () => import('./commands/webhooks/rotate-secret.ts'),
      'webhooks deliveries': () => import('./commands/webhooks/deliveries.ts'),
      'webhooks resend': () => import('./commands/webhooks/resend.ts'),
      'webhooks resend-failed': () => import('./commands/webhooks/resend-failed.ts'),
      listen: () => import('./commands/listen.ts'),
      trigger: () => import('./commands/trigger.ts'),
      replay: () => import('./commands/replay.ts'),
      reconcile: () => import('./commands/reconcile.ts'),
    },
  },
  {
    title: 'Money (through the API of a running server)',
    commands: {
      'bank import': () => import('./commands/bank/import.ts'),
      'bank inbox': () => import('./commands/bank/inbox.ts'),
      'bank assign': () => import('./commands/bank/assign.ts'),
      'bank ignore': () => import('./commands/bank/ignore.ts'),
      'bank send-back': () => import('./commands/bank/send-back.ts'),
      'bank reopen': () => import('./commands/bank/reopen.ts'),
      'bank payments create': () => import('./commands/bank/payments/create.ts'),
      'bank payments write': () => import('./commands/bank/payments/write.ts'),
      'provider-events list': () => import('./commands/provider-events/list.ts'),
      'provider-events show': () => import('./commands/provider-events/show.ts'),
      'provider-events retry': () => import('./commands/provider-events/retry.ts'),
      'refunds create': () => import('./commands/refunds/create.ts'),
      'refunds settle': () => import('./commands/refunds/settle.ts'),
      'money totals': () => import('./commands/money/totals.ts'),
      'money movements': () => import('./commands/money/movements.ts'),
      'money export': () => import('./commands/money/export.ts'),
    },
  },
  {
    title: 'This program',
    commands: { completion: () => import('./commands/completion.ts') },
  },
];

const loaders = new Map(sections.flatMap(({ commands }) => Object.entries(commands)));

/** The full names of all commands. */
export const commandNames: readonly string[] = [...loaders.keys()];

/** Null if there is no such command. */
export async function loadCommand(name: string): Promise<Command | null> {
  const module = await loaders.get(name)?.();
  return module?.command ?? null;
}

export type LoadedSection = {
  readonly title: string;
  readonly commands: ReadonlyArray<readonly [name: string, command: Command]>;
};

/** Every command with its name, for whoever describes them all; `prefix` keeps those of one group. */
export async function loadSections(prefix = ''): Promise<readonly LoadedSection[]> {
  const loaded = sections.map(async ({ title, commands }) => {
    const chosen = Object.entries(commands).filter(([name]) => `${name} `.startsWith(prefix));
    return {
      title,
      commands: await Promise.all(
        chosen.map(async ([name, load]) => [name, (await load()).command] as const),
      ),
    };
  });
  return (await Promise.all(loaded)).filter(({ commands }) => commands.length > 0);
}
