/** The command line: `opentill <command>`, one file for each command. */
import { BadSetting } from '../config.ts';
import { UnusableDatabase } from '../store/store.ts';
import { version } from '../version.ts';
import { takesNothing, UsageError } from './usage-error.ts';

const help = `opentill: checkout sessions for your shop

  opentill serve                     serve the API and the payment pages (the same as npm start)
  opentill demo                      show a payment from beginning to end, on a server of its own
  opentill keys create [options]     make an API key; its secret is shown once
      --account <number>             the account it is for (1)
      --live                         for live mode instead of test mode
      --scopes read,write            what it may do (all: read, write, refund, webhooks)
      --name <text>                  what you call it
  opentill keys list                 list the API keys, without secrets
  opentill keys revoke <id>          make a key useless at once
  opentill accounts list             list the accounts
  opentill accounts create <name>    make a further account, for another shop
  opentill accounts rename <number> <name>
                                     change the name that payers see
  opentill db backup <file>          copy the whole database to a new file, while the service runs
  opentill db restore <file>         make a database of a backup; there must be none yet, or an empty one
  opentill db check                  look for damage and contradictions, while the service runs
      --database <url>               for these three: another database than that of DATABASE_URL
  opentill db move                   move everything from SQLite to an empty PostgreSQL database
      --from sqlite:<path>           another database than that of DATABASE_URL
      --to postgres://…              where to
  opentill --version                 say which version this is

Settings are environment variables; see docs/reference/settings.md.
`;

export async function main(args: readonly string[]): Promise<void> {
  const [command = 'help', ...rest] = args.some((each) => each === '--help' || each === '-h')
    ? ['help']
    : args;
  try {
    switch (command) {
      case 'serve':
        takesNothing(command, rest);
        await (await import('./serve.ts')).serve();
        break;
      case 'demo':
        takesNothing(command, rest);
        await (await import('./demo.ts')).demo();
        break;
      case 'keys':
        await (await import('./keys.ts')).keys(rest);
        break;
      case 'accounts':
        await (await import('./accounts.ts')).accounts(rest);
        break;
      case 'db':
        await (await import('./db.ts')).db(rest);
        break;
      case '--version':
        takesNothing(command, rest);
        console.log(version);
        break;
      case 'help':
        console.log(help);
        break;
      default:
        throw new UsageError(`there is no command "${command}"; opentill --help lists them`);
    }
  } catch (error) {
    const expected = [BadSetting, UnusableDatabase, UsageError].some((kind) => error instanceof kind);
    const { code } = error as { code?: string };
    if (!expected && code !== 'EADDRINUSE' && code !== 'EADDRNOTAVAIL' && code !== 'EACCES') throw error;
    const advice = code === 'EADDRINUSE' ? '; set PORT to another one' : '';
    console.error(`opentill: ${(error as Error).message}${advice}`);
    process.exitCode = 1;
  }
}
