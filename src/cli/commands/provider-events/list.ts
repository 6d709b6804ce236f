import { apiCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';
import { flag, withDefault } from '../../declare/parameter.ts';
import { wholeNumber } from '../../declare/values.ts';
import { lineOf, type ProviderEvent, providerEventKeys } from '../../provider-event.ts';

export const command = apiCommand('read')({
  purpose: 'List provider events that have led to no session, newest first.',
  details: [
    'An event is looked at nine times in three days, and waits for a person from then on. A line has the id, the time at which it came, the rail, the kind, the id at the provider, why the last look came to nothing (`no session` had its payment, or `session found since` where one has it now, or of the rail `no answer`, `key refused`, `request refused` or `answer unclear`), the session or what the event names, how often it was looked at, and when it is again.',
  ],
  options: {
    waiting: flag(
      'Those that are looked at again by themselves, in the place of those that wait for a person.',
    ),
    limit: withDefault(wholeNumber(1, 10_000), '100', 'Maximum number.'),
  },
  json: listOf(providerEventKeys, 'provider_event'),
  examples: [
    ['opentill provider-events list', 'What waits for a person'],
    ['opentill provider-events list --waiting --limit 5', 'The last five that are looked at again'],
  ],
  async run({ waiting, limit }, { client, output }) {
    const query = { status: waiting ? 'waiting' : 'open', limit: String(Math.min(limit, 100)) };
    let shown = 0;
    for await (const page of client.pages<ProviderEvent>('/provider_event', query)) {
      for (const each of page) {
        if (shown === limit) return output.remark('there are more; --limit sets how many are shown');
        output.record(each, lineOf(each));
        shown++;
      }
    }
    if (shown === 0) output.remark(waiting ? 'none is looked at again' : 'none waits for a person');
  },
});
