import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { command } from '../../src/cli/commands/trigger.ts';
import { eventMeanings } from '../../src/events/types.ts';
import { startReceiver } from '../api/receiver.ts';
import { type Data, eventTypes, feed, succeeded } from '../api/shop.ts';
import { cleanUp } from '../support/clean-up.ts';
import { startService } from '../support/service.ts';
import { assertFailure, assertMistake, opentill, settingsFor } from './developer.ts';

suite('opentill trigger', () => {
  test('each type that it takes is then in the feed, and is shown', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const types = command.arguments.type?.value?.choices ?? [];
    const made = Object.keys(eventMeanings).filter((type) => !/^(reversal|webhook_endpoint)\./.test(type));
    assert.deepEqual(types.toSorted(), made.toSorted());
    // Two at a time: each takes a process.
    const queue = [...types];
    const work = async () => {
      for (let type = queue.shift(); type !== undefined; type = queue.shift()) {
        const { code, stdout, stderr } = await opentill(t, service, 'trigger', type);
        assert.deepEqual([code, stderr], [0, ''], type);
        const [, id = ''] = /^(chk_\w{26}) {2}http:\S+\/transaction\/\S+\n/.exec(stdout) ?? [];
        const events = (await feed(service)).filter(({ data }: Data) => (data.payin ?? data.id) === id);
        assert.ok(
          events.some((event) => event.type === type),
          type,
        );
        const lines = events.map(({ sequence, id, type }) => `${sequence}  ${id}  ${type}`);
        assert.equal(stdout.split('\n').slice(1).join('\n'), `${lines.join('\n')}\n`);
      }
    };
    await Promise.all([work(), work()]);
  });

  test('the session can name an address', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const receiver = await startReceiver(t);
    await opentill(t, service, 'trigger', 'checkout.expired', '--webhook-url', receiver.url);
    const received = await receiver.received(3);
    const [session] = succeeded(await service.call('GET', '/v3/checkout'));
    assert.deepEqual(
      received.map(({ event }) => event.type),
      await eventTypes(service, session.id),
    );
  });

  test('a mistake is answered in one line and makes nothing', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const settings = settingsFor(service);
    const live = settingsFor({ url: service.url, key: await service.createKey({ mode: 'live' }) });
    const narrow = settingsFor({ url: service.url, key: await service.createKey({ permissions: ['read'] }) });
    await Promise.all([
      assertMistake(t, ['trigger', 'checkout.payed'], settings, /"checkout\.payed"/),
      assertMistake(
        t,
        ['trigger', 'checkout.paid', 'checkout.expired'],
        settings,
        /unexpected argument "checkout\.expired"/,
      ),
      assertMistake(t, ['trigger', 'checkout.paid', '--forward', 'x'], settings, /--forward/),
      assertFailure(t, ['trigger', 'checkout.paid', '--webhook-url', 'x'], settings, /webhook_url/),
      assertFailure(t, ['trigger', 'checkout.paid'], live, /test mode/),
      assertFailure(t, ['trigger', 'checkout.paid'], narrow, /permission "write"/),
      assertMistake(t, ['trigger', 'checkout.paid'], {}, /--key .* is missing: .*OPENTILL_API_KEY/),
    ]);
    assert.deepEqual(await feed(service), []);
  });
});
