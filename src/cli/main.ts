/** The command line: `opentill <command>`, one file for each command. */

import { BadSetting } from '../config.ts';
import { UnusableFile } from '../lib/atomic-file.ts';
import { UnusableDatabase } from '../store/store.ts';
import { version } from '../version.ts';
import { takesNothing, UsageError } from './usage-error.ts';

const help = `opentill: checkout sessions for your shop

  opentill serve                     serve the API and the payment pages (the same as npm start)
  opentill demo                      show a payment from beginning to end, on a server of its own
  opentill keys create [options]     make an API key; its secret is shown once
      --account <number>             the account it is for (1)
      --live                         for live mode instead of test mode
      --permissions read,write            what it may do (all: read, write, refund, webhooks)
      --name <text>                  what you call it
  opentill keys list                 list the API keys, without secrets
  opentill keys revoke <id>          make a key useless at once
  opentill accounts list             list the accounts
  opentill accounts create <name>    make a further account, for another shop
  opentill accounts rename <number> <name>
                                     change the name that payers see
  opentill accounts settings <number>
                                     show what the account has configured, as JSON
  opentill accounts configure <number> --file <settings.json>
                                     replace the parts of it that are in the file: business, policy,
                                     receiving_accounts, csv_mappings; null for as by default. A file with a mistake
                                     changes nothing; - is standard input
      --live                         for these two: for live mode instead of test mode
  opentill accounts rotate-webhook-secret <number>
                                     a new secret for webhooks to the addresses that sessions name
      --live                         that of live mode instead of test mode
      --overlap <time>               how long the one before is used too, such as 2h or 7d, or 0 (1d)
  opentill bank account list         list where transfers go; of each currency payers see the first
  opentill bank account set <id> --currency EUR --iban <iban> --holder-name <name> --holder-country DE
                                     make a receiving account, or change the given fields of one
      --bic, --bank-name, --account-number, --bank-code, --qr-iban, --paynow, --promptpay, --pix, --upi
      --holder-street, --holder-building-number, --holder-postal-code, --holder-city
                                     its other fields; an empty text takes one away
      --first                        put it before all others
  opentill bank account remove <id>  remove one. Who was told to pay there can still do so: transfers that are waited
                                     for know the account; but to import its statements it has to be there
      --account <number>, --live     for these three: another account than 1, live mode instead of test mode
  opentill db backup <file>          copy the whole database to a new file, while the service runs
  opentill db restore <file>         make a database of a backup; there must be none yet, or an empty one
  opentill db check                  look for damage and contradictions, while the service runs
      --database <url>               for these three: another database than that of DATABASE_URL
  opentill db move                   move everything from SQLite to an empty PostgreSQL database
      --from sqlite:<path>           another database than that of DATABASE_URL
      --to postgres://…              where to
  opentill --version                 say which version this is

These talk to a running server, from any machine:
      --url <address>                where it is (OPENTILL_URL, PUBLIC_URL, or http://127.0.0.1:PORT)
      --key ak_…:sk_…                an API key and its secret (OPENTILL_API_KEY, or BOOTSTRAP_API_KEY)

  opentill listen [options]          show the events of the account as they happen, until Ctrl-C
      --forward <address>            send each there, signed as a webhook; keys of test mode only
      --secret whsec_…               the secret that your receiver knows (a new one, which is shown)
      --types checkout.*,payin.succeeded
                                     these only: types, all of a kind, or * (all)
      --after <cursor>               begin behind this one; 0 is the beginning, latest is now (latest)
  opentill trigger [<type>]          make an event of this type in test mode; without a type list them
      --webhook-url <address>        where the session sends its events (nowhere)
  opentill reconcile --since <when>  list the events that a receiver has missed: since 2h, 3d or an ISO 8601 time;
                                     ends with status 0 if there are none and with 2 if there are. For endpoints
                                     that is what was not delivered, and what happened while they were off
      --endpoint <whe_… or origin>   of this receiver only (all)
      --received <file>              compare with the ids of events in this file, one a line; - is standard input
      --resend                       send again what has failed, or is not in the file
  opentill bank import <file…>       take in statements of a bank: camt.053, camt.054, MT940, or CSV
      --mapping <name>               for CSV: how to read it, by the name among the csv_mappings of the settings
  opentill bank inbox                list the entries that wait for a person, then those that wait for the bank or for
                                     a session: id, date, amount with what is left of it, receiving account, payer,
                                     text, problem, the payins that it may be for with how much speaks for each, and
                                     how it stands, up to 100
      --all                          all entries, newest first
      --limit <number>               how many (100)
  opentill bank assign <entry> <payin>[=12.50] …
                                     book an entry for a payin, or split it between several
  opentill bank ignore <entry> --reason <text>
                                     set an entry aside that is for no payin
  opentill bank send-back <entry> [--reason <text>]
                                     send the money back with the next file of payments
  opentill bank reopen <entry> [--reason <text>]
                                     take back that an entry was set aside, or is to be sent back: then make sure
                                     first that the bank will not carry it out
  opentill bank payments <receiving account>
                                     make a file of what is to go back (ISO 20022 pain.001), for the bank to carry out
      --execute-on <date>            when, such as 2030-01-31 (today)
      --out <file.xml>               where to write it (its id.xml, here)
      --force                        write over a file that is there
  opentill bank payments <bfl_…>     write a file that was made before
  opentill refund <payin> <amount>   give money of a payin back, such as 12.50
      --attempt <pat_…>              that of this attempt (the newest that has brought that much)
      --reason <text>                why
  opentill refund settle <rfd_…> succeeded|failed [--reason <text>]
                                     say what became of a refund by bank transfer that no statement will tell of
  opentill webhooks list             list the webhook endpoints
  opentill webhooks add <address>    make one; its secret is shown once
  opentill webhooks update <id> [<address>]
                                     change one
      --events checkout.*,…          for add and update: what it gets (all)
      --description <text>           for add and update: what you call it
      --enable, --disable            for update, and --disable for add
  opentill webhooks remove <id>      remove one
  opentill webhooks rotate <id>      give it a new secret, which is shown once
      --overlap <time>               how long the one before is used too, such as 2h or 7d, or 0 (1d)
  opentill webhooks deliveries [<id> or <origin>]
                                     list what was sent to all, to an endpoint, also one that was removed, or to
                                     a host that sessions name, such as https://shop.example; newest first
      --status failed                only pending, delivered or failed ones
      --limit <number>               how many (20)
  opentill webhooks resend <whd_…>   send this one again
  opentill webhooks resend --failed-since <when> [--endpoint <id>]
                                     send all again that have failed since, but for endpoints that are off

Settings are environment variables; see docs/reference/settings.md.
`;

/** What is said of one command that does several things. */
function helpOf(command: string): string {
  const paragraphs = help.split(/\n(?= {2}opentill |\n)/);
  return paragraphs.filter((each) => each.startsWith(`  opentill ${command} `)).join('\n');
}

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
      case 'bank':
        if (rest.length === 0) console.log(helpOf(command));
        else await (await import('./bank.ts')).bank(rest);
        break;
      case 'refund':
        await (await import('./refund.ts')).refund(rest);
        break;
      case 'db':
        await (await import('./db.ts')).db(rest);
        break;
      case 'listen':
        await (await import('./listen.ts')).listen(rest);
        break;
      case 'trigger':
        await (await import('./trigger.ts')).trigger(rest);
        break;
      case 'reconcile':
        await (await import('./reconcile.ts')).reconcile(rest);
        break;
      case 'webhooks':
        if (rest.length === 0) console.log(helpOf(command));
        else await (await import('./webhooks.ts')).webhooks(rest);
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
    const expected = [BadSetting, UnusableDatabase, UnusableFile, UsageError].some(
      (kind) => error instanceof kind,
    );
    const { code } = error as { code?: string };
    if (!expected && code !== 'EADDRINUSE' && code !== 'EADDRNOTAVAIL' && code !== 'EACCES') throw error;
    const advice = code === 'EADDRINUSE' ? '; set PORT to another one' : '';
    console.error(`opentill: ${(error as Error).message}${advice}`);
    process.exitCode = 1;
  }
}
