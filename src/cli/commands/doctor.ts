import { existsSync } from 'node:fs';
import type { Account } from '../../accounts/account.ts';
import { advised, type Finding, good } from '../../lib/finding.ts';
import { plainCommand } from '../declare/access.ts';
import { linesOf } from '../declare/json.ts';
import { flag } from '../declare/parameter.ts';
import type { Values } from '../doctor/settings.ts';
import { exitStatus } from '../failure.ts';

const marks = { ok: '✓', advice: '!', wrong: '✗' } as const;

/** The clock may be this much behind the newest event: clocks of several machines differ. */
const BEHIND_MS = 5 * 60_000;

type Area = 'settings' | 'files' | 'database' | 'clock' | 'addresses' | 'receivers' | 'rails' | 'users';
type Tell = (area: Area, findings: readonly Finding[]) => void;

export const command = plainCommand({
  purpose: 'Check the installation: settings, files, database, clock, addresses, receivers, rails and users.',
  details: [
    'Prints a line for each finding, with advice below it. It changes nothing. The exit status is 3 if something is wrong.',
    'It reads all settings, which opentill serve --help lists. Run it with the settings and as the user of the service, preferably while the service runs.',
  ],
  options: { askStripe: flag('Also ask Stripe if it accepts the keys, and which permissions they lack.') },
  variables: ['DATABASE_URL', 'PUBLIC_URL'],
  json: linesOf({
    finding: {
      area: 'One of `settings`, `files`, `database`, `clock`, `addresses`, `receivers`, `rails`, `users`.',
      status: '`ok`, `advice` or `wrong`.',
      text: 'The finding, in words.',
      advice: 'Advice, or empty.',
    },
    summary: {
      ok: 'Number of findings that are ok.',
      advice: 'Number of findings with advice.',
      wrong: 'Number of findings that are wrong.',
    },
  }),
  examples: [['opentill doctor', 'The installation that the settings describe']],
  async run({ askStripe }, { output }) {
    const counts = { ok: 0, advice: 0, wrong: 0 };
    await examine(process.env, askStripe, (area, findings) => {
      for (const { status, text, advice } of findings) {
        counts[status]++;
        const lines = [`${marks[status]} ${area}: ${text}`, ...(advice === '' ? [] : [`    ${advice}`])];
        output.record({ record: 'finding', area, status, text, advice }, lines);
      }
    });
    const { ok, advice, wrong } = counts;
    output.record({ record: 'summary', ...counts }, `${ok} good, ${advice} with advice, ${wrong} wrong.`);
    if (wrong > 0) process.exitCode = exitStatus.found;
  },
});

async function examine(env: NodeJS.ProcessEnv, asksStripe: boolean, tell: Tell): Promise<void> {
  const { examineSettings } = await import('../doctor/settings.ts');
  const { examineFiles, examineStatements } = await import('../doctor/files.ts');
  const { values, findings } = examineSettings(env);
  tell('settings', findings);
  const { DATABASE_URL: database } = values;
  const path = database?.kind === 'sqlite' ? database.path : null;
  const welcome = `${path ?? 'opentill'}.first-start.txt`;
  tell('files', [
    ...examineStatements(values),
    ...examineFiles(env, path === null ? [] : [path, `${path}-wal`, `${path}-shm`, welcome]),
    ...(existsSync(welcome)
      ? [advised(`${welcome} has the secrets of the first start.`, 'Read it, and delete it.')]
      : []),
  ]);
  await withDatabase(values, asksStripe, tell);
}

async function withDatabase(values: Values, asksStripe: boolean, tell: Tell): Promise<void> {
  const { openStore } = await import('../../store/open.ts');
  const { examineDatabase } = await import('../doctor/database.ts');
  const { servesThisMachineOnly } = await import('../../main.ts');
  const { examineAddresses } = await import('../doctor/addresses.ts');
  const { examineProvider } = await import('../doctor/provider.ts');
  const { examineUsers } = await import('../doctor/users.ts');
  const { askStripe, examineRails } = await import('../doctor/rails.ts');
  const { DATABASE_URL, DATABASE_COMMITS, HOST, PUBLIC_URL, WEBHOOK_ALLOW } = values;
  const isLocal =
    HOST !== undefined && PUBLIC_URL !== undefined && servesThisMachineOnly({ HOST, PUBLIC_URL });
  const config = DATABASE_URL && DATABASE_COMMITS ? { DATABASE_URL, DATABASE_COMMITS } : null;
  if (config !== null) tell('database', await examineDatabase(config));
  tell('addresses', await examineAddresses(values, isLocal));
  tell('addresses', await examineProvider(values));
  const isThere =
    config !== null && (config.DATABASE_URL.kind === 'postgres' || existsSync(config.DATABASE_URL.path));
  // The findings of the database have told what is wrong with it.
  const store = isThere ? await openStore(config, { serve: false }).catch(() => null) : null;
  let accounts: readonly Account[] = [];
  try {
    accounts = (await store?.accounts.list()) ?? [];
    if (store !== null) tell('clock', clockFindings(await store.newestTime()));
    if (store !== null && WEBHOOK_ALLOW !== undefined) {
      const { examineReceivers } = await import('../doctor/receivers.ts');
      const { networkRules } = await import('../../webhooks/guard.ts');
      const { createResolve } = await import('../../webhooks/resolve.ts');
      tell(
        'receivers',
        await examineReceivers(store, accounts, networkRules(WEBHOOK_ALLOW, isLocal), createResolve()),
      );
    }
    tell('rails', examineRails(values, accounts));
    if (store !== null) tell('users', await examineUsers(store, values));
  } finally {
    await store?.close();
  }
  if (asksStripe) tell('rails', await askStripe(values, accounts));
}

function clockFindings(newest: number | null): readonly Finding[] {
  const behindMs = newest === null ? 0 : newest - Date.now();
  return [
    behindMs <= BEHIND_MS
      ? good('The clock of this machine is not behind the newest event.')
      : {
          status: 'wrong',
          text: `The clock of this machine is ${Math.round(behindMs / 1000)} s behind the newest event.`,
          advice: 'Correct it, and synchronize it over the network (NTP). Then restart the service.',
        },
  ];
}
