import { DEFAULT_DATABASE_URL } from '../../../config/settings.ts';
import { plainCommand } from '../../declare/access.ts';
import { required, type Value, withDefault } from '../../declare/parameter.ts';
import { database } from '../../declare/values.ts';
import type { Teller } from '../../move/copy.ts';
import { moveToPostgres } from '../../move/move.ts';
import { startProgress } from '../../progress.ts';

/** Path of an SQLite file. */
const source: Value<string> = {
  placeholder: 'sqlite:path',
  parse: (text, env) => {
    const url = database.parse(text, env);
    // The value may hold a password: the message must not repeat it.
    if (url.kind !== 'sqlite') throw new Error('is not a database to move from; --from takes sqlite:<path>');
    return url.path;
  },
};

/** URL of a PostgreSQL database. */
const target: Value<string> = {
  placeholder: 'postgres://…',
  parse: (text, env) => {
    const url = database.parse(text, env);
    if (url.kind !== 'postgres') throw new Error('takes postgres://<user>@<host>/<database>');
    return url.url;
  },
};

export const command = plainCommand({
  purpose: 'Move everything from SQLite to an empty PostgreSQL database.',
  details: [
    'The service keeps running until the command asks you to stop it. After an interruption, run the same command again: it continues.',
  ],
  options: {
    from: withDefault(source, DEFAULT_DATABASE_URL, 'The database to move.', {
      variables: ['DATABASE_URL'],
    }),
    to: required(target, 'The database to move to.'),
  },
  examples: [
    [
      'opentill db move --from sqlite:/var/lib/opentill/opentill.db --to postgres://till@db.example.com/till',
      'From a file to a server',
    ],
  ],
  async run({ from, to }) {
    const { teller, clear } = createTeller();
    const end = whenInterrupted(clear);
    try {
      const fileAside = await moveToPostgres(from, to, teller);
      teller.say(
        `everything was moved; the file is kept as ${fileAside}. Start the service with\n\n` +
          `  DATABASE_URL=${withoutPassword(to)}`,
      );
    } finally {
      clear();
      end();
    }
  },
});

/** Tells the operator: results on standard output, progress on standard error. */
function createTeller(): { readonly teller: Teller; readonly clear: () => void } {
  const progress = startProgress();
  let work = { what: '', total: 0, startedAt: 0 };
  let done = 0;
  const teller: Teller = {
    begin(what, total) {
      work = { what, total, startedAt: performance.now() };
      done = 0;
    },
    add(rows) {
      done += rows;
      const seconds = (performance.now() - work.startedAt) / 1000;
      // The total may have grown by now.
      const total = Math.max(done, work.total);
      progress.show(`${work.what}: ${done} of ${total} rows, ${Math.round(done / seconds)} a second`);
    },
    say(text) {
      progress.clear();
      console.log(text);
    },
  };
  return { teller, clear: progress.clear };
}

/** Ends at a signal: work under way is in a transaction, and the next run does it again. */
function whenInterrupted(clear: () => void): () => void {
  function interrupted(signal: NodeJS.Signals): void {
    clear();
    console.error('opentill: interrupted; run the same command again to continue');
    process.exit(signal === 'SIGINT' ? 130 : 143);
  }
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  return () => process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:@/]+):[^/]*@/, '$1:<password>@');
}
