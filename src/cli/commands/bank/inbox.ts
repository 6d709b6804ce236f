import { type Entry, entryKeys, lineOf } from '../../bank/entry.ts';
import { apiCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';
import { flag, withDefault } from '../../declare/parameter.ts';
import { wholeNumber } from '../../declare/values.ts';

export const command = apiCommand('bank')({
  purpose: 'List the bank entries that wait for a decision.',
  details: [
    'Entries that wait for a person come first, then those that wait for the bank or for a session. A line has the id, the date, the amount with what is left of it, the receiving account, the payer, the text, the problem, the payins that it may pay with their scores, and the status.',
  ],
  options: {
    all: flag('All entries, newest first.'),
    limit: withDefault(wholeNumber(1, 10_000), '100', 'Maximum number.'),
  },
  json: listOf(entryKeys, 'bank_entry'),
  examples: [
    ['opentill bank inbox', 'What waits'],
    ['opentill bank inbox --all --limit 20', 'The last 20 entries, in any state'],
  ],
  async run({ all, limit }, { client, output }) {
    // Entries that need a decision go before those that may settle by themselves.
    const queries: ReadonlyArray<Record<string, string>> = all
      ? [{}]
      : [{ status: 'open' }, { status: 'waiting' }];
    let shown = 0;
    for (const query of queries) {
      for await (const page of client.pages<Entry>('/bank_entry', query)) {
        for (const each of page) {
          if (shown === limit) return output.remark('there are more; --limit sets how many are shown');
          output.record(each, lineOf(each));
          shown++;
        }
      }
    }
    if (shown === 0) output.remark(all ? 'there are no entries' : 'nothing waits');
  },
});
