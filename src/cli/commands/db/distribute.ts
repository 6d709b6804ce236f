import { distribute } from '../../../store/postgres/distribute.ts';
import { databaseOption } from '../../database-option.ts';
import { plainCommand } from '../../declare/access.ts';
import { Failure } from '../../failure.ts';
import { startProgress } from '../../progress.ts';

export const command = plainCommand({
  purpose: 'Distribute a PostgreSQL database over the nodes of Citus, by account.',
  details: [
    'The service must not run meanwhile. Nodes and their settings are checked first, and what is missing is said.',
    'What was interrupted goes on when the same command is run again. Later versions distribute new tables by themselves.',
  ],
  options: { database: databaseOption },
  examples: [['opentill db distribute', 'The database of the settings']],
  async run({ database }, { output }) {
    if (database.kind !== 'postgres')
      throw new Failure(
        'only PostgreSQL with Citus can be distributed; opentill db move takes you to PostgreSQL',
      );
    const progress = startProgress();
    let count: number;
    try {
      count = await distribute(database.url, (table) => progress.show(`distributing ${table} …`));
    } finally {
      progress.clear();
    }
    output.line(
      count === 0 ? 'Everything was distributed already.' : `${count} tables are distributed by account.`,
    );
  },
});
