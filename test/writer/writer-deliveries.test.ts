/** Results of deliveries, and what they mean for receivers. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { T } from '../store/build.ts';
import { openWriter, type TestWriter } from '../store/commands.ts';
import { drain, giveUp, HOST, HOUR, result, tell, tryAgain } from '../store/deliveries.ts';

const SECOND = 1_000;
/** Ten failures that take nearly a minute: the next probe is due after it. */
const nearlyAMinute = Array.from({ length: 10 }, (_, index) => T + index * 6 * SECOND);
const PROBE = T + 60 * SECOND;
const gone = { httpStatus: 410, error: 'status 410' };

/** Three endpoints: one that will fail, one that hears of endpoints, one that does not; and a delivery to the first. */
async function setUp(writer: TestWriter) {
  const one = await writer.add({ id: 'whe_1' });
  await writer.add({ id: 'whe_2', events: ['webhook_endpoint.*'] });
  await writer.add({ id: 'whe_3', events: ['checkout.*'] });
  await writer.add({ id: 'whe_1', url: 'https://theirs.example' }, writer.theirs);
  await tell(writer.store, writer.mine, 1, { receivers: [one.id] });
  return one;
}

const typesOf = async (writer: TestWriter) => (await writer.events()).map(({ type }) => type);

suite('an endpoint that fails', () => {
  test('is suspended, and the merchant hears of it once, when it has lasted a minute', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    await writer.fail(one.id, ...nearlyAMinute);
    assert.equal((await writer.failing())[one.id]?.probeAt, T + 59 * SECOND);
    assert.deepEqual(await writer.events(), []);
    await writer.fail(one.id, PROBE);
    assert.deepEqual(await typesOf(writer), ['webhook_endpoint.suspended']);
    await writer.fail(one.id, T + 70 * SECOND, T + 90 * SECOND, T + 130 * SECOND);
    assert.deepEqual(await typesOf(writer), ['webhook_endpoint.suspended']);
  });

  test('is told of as it stands then, to the others that want to hear of it', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    await writer.fail(one.id, ...nearlyAMinute, PROBE);
    assert.deepEqual(await writer.toldOf(one.id), [['whe_2', 'webhook_endpoint.suspended']]);
    const [event] = await writer.events();
    assert.deepEqual([event?.subject, event?.sequence, event?.createdAt], [one.id, 1, PROBE]);
    const { data, sequence } = JSON.parse(event?.body ?? '');
    assert.equal(sequence, 1);
    assert.equal(data.id, one.id);
    assert.equal(data.secret, undefined);
    assert.deepEqual(data.health, {
      status: 'suspended',
      failing_since: '2030-01-15T12:00:00.000Z',
      consecutive_failures: 11,
      last_error: 'status 503',
      next_probe_at: '2030-01-15T12:01:10.000Z',
    });
    const known = await writer.endpoint(one.id);
    assert.deepEqual(known, { ...one, version: 2, eventCount: 1 });
    assert.deepEqual(await writer.failing(writer.theirs), {});
  });

  test('is suspended by what comes of many deliveries at once', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    const claimed = await writer.due(one.id, T);
    await writer.come(...Array.from({ length: 10 }, () => tryAgain(claimed, T, { at: T })));
    const { failures, probeAt } = (await writer.failing())[one.id] ?? {};
    assert.deepEqual([failures, probeAt], [10, T + 5 * SECOND]);
  });

  test('does not fail by asking for less', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    for (let i = 0; i < 20; i++) {
      const asksForLess = { at: T, httpStatus: 429, error: 'status 429' };
      await writer.come(tryAgain(await writer.due(one.id, T), T, asksForLess));
    }
    assert.deepEqual(await writer.failing(), {});
  });

  test('does not fail by what was not sent', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    await writer.come(giveUp(await writer.due(one.id, T), { attempt: null, error: 'endpoint disabled' }));
    assert.deepEqual(await writer.failing(), {});
  });
});

suite('an endpoint that is well again', () => {
  test('is told of if its suspension was, behind that, and what waits for it is due', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    await writer.fail(one.id, ...nearlyAMinute, PROBE);
    const waiting = await tell(writer.store, writer.mine, 1, { receivers: [one.id], at: T + HOUR });
    const probe = await writer.due(one.id, T + 70 * SECOND);
    await writer.come(result(probe, { at: T + 70 * SECOND }));
    assert.deepEqual(await typesOf(writer), ['webhook_endpoint.suspended', 'webhook_endpoint.resumed']);
    assert.deepEqual(await writer.failing(), {});
    const { data } = JSON.parse((await writer.events())[1]?.body ?? '');
    assert.equal(data.health.status, 'healthy');
    assert.equal((await writer.due(one.id, T + 70 * SECOND)).id, waiting.ids[0]);
    const toOther = (await drain(writer.store, writer.mine, T + HOUR)).filter(
      ({ receiver }) => receiver === 'whe_2',
    );
    assert.deepEqual(
      toOther.map(({ event }) => event.sequence),
      [1, 2],
    );
  });

  test('is not told of if its suspension was not', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    await writer.fail(one.id, ...Array(10).fill(T));
    await writer.come(result(await writer.due(one.id, T + 5 * SECOND), { at: T + 5 * SECOND }));
    assert.deepEqual(await writer.failing(), {});
    assert.deepEqual(await writer.events(), []);
    assert.deepEqual(await writer.endpoint(one.id), one);
  });

  test('leaves what fails by itself beside others to its schedule', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    await writer.fail(one.id, ...Array(9).fill(T));
    // Half of the sessions cannot be taken there; the last failure suspends it, and another session ends that.
    await writer.come(tryAgain(await writer.due(one.id, T), T + 9 * HOUR, { at: T }));
    await tell(writer.store, writer.mine, 1, { receivers: [one.id] });
    await writer.come(result(await writer.due(one.id, T + 5 * SECOND), { at: T + 5 * SECOND }));
    assert.deepEqual(await writer.failing(), {});
    assert.equal(await writer.store.work.countDueDeliveries(writer.mine, T + 9 * HOUR - 1), 0);
    assert.equal(await writer.store.work.countDueDeliveries(writer.mine, T + 9 * HOUR), 1);
  });

  test('is so after the first delivery that arrives, however few had failed', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    await writer.fail(one.id, T, T);
    await writer.come(result(await writer.due(one.id, T)));
    assert.deepEqual(await writer.failing(), {});
  });

  test('is told of by the next one, if it was not known to fail when this one was claimed', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    await tell(writer.store, writer.mine, 1, { receivers: [one.id] });
    const before = await writer.due(one.id, T);
    await writer.fail(one.id, ...nearlyAMinute);
    await writer.come(tryAgain(before, T, { at: PROBE }));
    assert.deepEqual(await typesOf(writer), ['webhook_endpoint.suspended']);
    await writer.come(result(before, { at: PROBE }));
    assert.deepEqual(await typesOf(writer), ['webhook_endpoint.suspended']);
    const probe = await writer.due(one.id, PROBE + 60 * SECOND);
    await writer.come(result(probe, { at: PROBE + 60 * SECOND }));
    assert.deepEqual(await typesOf(writer), ['webhook_endpoint.suspended', 'webhook_endpoint.resumed']);
  });
});

suite('an endpoint that answers 410', () => {
  test('is disabled, once, and the others hear of it', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    const claimed = await writer.due(one.id, T);
    await writer.come(giveUp(claimed, gone), giveUp(claimed, gone));
    await writer.come(giveUp(claimed, gone));
    assert.deepEqual(await typesOf(writer), ['webhook_endpoint.disabled']);
    assert.deepEqual(await writer.toldOf(one.id), [['whe_2', 'webhook_endpoint.disabled']]);
    const known = await writer.endpoint(one.id);
    assert.deepEqual(known, { ...one, disabled: 'gone', version: 2, eventCount: 1, updatedAt: T });
    const { data } = JSON.parse((await writer.events())[0]?.body ?? '');
    assert.deepEqual([data.status, data.disabled_reason], ['disabled', 'gone']);
  });

  test('is no longer known to fail', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    await writer.fail(one.id, ...nearlyAMinute, PROBE);
    const probe = await writer.due(one.id, T + 70 * SECOND);
    await writer.come(giveUp(probe, { ...gone, at: T + 70 * SECOND }));
    assert.deepEqual(await writer.failing(), {});
    assert.deepEqual(await typesOf(writer), ['webhook_endpoint.suspended', 'webhook_endpoint.disabled']);
  });

  test('is not known to fail by what comes late', async (t) => {
    const writer = await openWriter(t);
    const one = await setUp(writer);
    const claimed = await writer.due(one.id, T);
    await writer.come(giveUp(claimed, gone));
    await writer.come(giveUp(claimed));
    assert.deepEqual(await writer.failing(), {});
  });
});

suite('a host that a session names', () => {
  test('is suspended as endpoints are, and nobody is told', async (t) => {
    const writer = await openWriter(t);
    await writer.add({ id: 'whe_2', events: ['*'] });
    await tell(writer.store, writer.mine);
    await writer.fail(HOST, ...nearlyAMinute, PROBE);
    assert.equal((await writer.failing())[HOST]?.announced, true);
    const probe = await writer.due(HOST, T + 70 * SECOND);
    await writer.come(result(probe, { at: T + 70 * SECOND }));
    assert.deepEqual(await writer.failing(), {});
    assert.deepEqual(await writer.events(), []);
  });

  test('does not fail by an answer of 410, which is about one address of it', async (t) => {
    const writer = await openWriter(t);
    await tell(writer.store, writer.mine);
    await writer.come(giveUp(await writer.due(HOST, T), gone));
    assert.deepEqual(await writer.failing(), {});
    assert.deepEqual(await writer.events(), []);
  });
});

test('results of deliveries tell that others may go out now, and that there are new events', async (t) => {
  const writer = await openWriter(t);
  const one = await setUp(writer);
  const { result, committed } = await writer.come(giveUp(await writer.due(one.id, T), gone));
  assert.equal(result.kind, 'change');
  assert.deepEqual(committed, { tenant: writer.mine, checkouts: [], events: true, deliveries: true });
});
