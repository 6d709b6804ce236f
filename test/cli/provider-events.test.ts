/** Provider events that have led to nothing, on the command line. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { until } from '../api/shop.ts';
import { attempt, providerEvent, session, T, write } from '../store/build.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { runToEnd } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { assertFailure, assertMistake, opentill, settingsFor } from './developer.ts';

const open = { state: 'open', dueAt: null, tries: 9, reason: 'no_session' } as const;
const CAME = new Date(T).toISOString();

async function setUp(t: Ends) {
  const service = await startService(t);
  const tenant: Tenant = { account: service.account.number, mode: 'test' };
  const { store } = service.service;
  return {
    service,
    tenant,
    store,
    async put(...given: Parameters<typeof providerEvent>): Promise<string> {
      const event = providerEvent(...given);
      await write(store, tenant, { providerEvent: event });
      return event.id;
    },
    run: (...args: string[]) => opentill(t, service, 'provider-events', ...args),
  };
}

suite('opentill provider-events', () => {
  test('lists those that wait for a person, with what is missing, and those that are looked at again', async () => {
    await using t = cleanUp();
    const { put, run, store, tenant } = await setUp(t);
    for (const [args, none] of [
      [['list'], 'none waits for a person'],
      [['list', '--waiting'], 'none is looked at again'],
    ] as const) {
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual([code, stdout, stderr], [0, '', `opentill: ${none}\n`]);
    }
    const made = session(tenant, { attempts: [attempt('cs_known', { rail: 'stripe' })] });
    await write(store, tenant, { checkout: { before: null, after: made } });
    const body = '{"type":"charge.dispute.created","data":{"email":"zebulon@example.com"}}';
    const known = await put('evt_known', {
      ...open,
      reason: 'key_refused',
      attemptReference: 'cs_known',
      body,
    });
    const since = await put('evt_since', { ...open, attemptReference: 'cs_known' });
    const both = await put('evt_both', { ...open, attemptReference: 'att_1', paymentReference: 'pi_1' });
    const once = await put('evt_once', {
      ...open,
      tries: 1,
      attemptReference: 'pi_2',
      paymentReference: 'pi_2',
    });
    const dueAt = Date.now() + 3_600_000;
    const later = await put('evt_later', { dueAt, attemptReference: null });
    const list = await run('list');
    assert.deepEqual([list.code, list.stderr], [0, '']);
    assert.deepEqual(list.stdout.split('\n'), [
      `${once}  ${CAME}  stripe  -  evt_once  no session  pi_2  1 try  waits for a person`,
      `${both}  ${CAME}  stripe  -  evt_both  no session  att_1, pi_1  9 tries  waits for a person`,
      `${since}  ${CAME}  stripe  -  evt_since  session found since  ${made.id}  9 tries  waits for a person`,
      `${known}  ${CAME}  stripe  charge.dispute.created  evt_known  key refused  ${made.id}  9 tries  waits for a person`,
      '',
    ]);
    const waiting = await run('list', '--waiting');
    assert.equal(
      waiting.stdout,
      `${later}  ${CAME}  stripe  -  evt_later  -  -  0 tries  ${new Date(dueAt).toISOString()}\n`,
    );
    const two = await run('list', '--limit', '2');
    assert.deepEqual(two.stdout.match(/pev_\w+/g), [once, both]);
    assert.equal(two.stderr, 'opentill: there are more; --limit sets how many are shown\n');
    assert.equal((await run('list', '--limit', '4')).stderr, '');
  });

  test('shows one, field by field', async () => {
    await using t = cleanUp();
    const { put, run, service } = await setUp(t);
    const body = '{"type":"charge.failed","email":"zebulon@example.com"}';
    const id = await put('evt_one', { ...open, reason: 'key_refused', paymentReference: 'pi_1', body });
    const { code, stdout, stderr } = await run('show', id);
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(stdout.trimEnd().split('\n'), [
      `id: ${id}`,
      `created_at: ${CAME}`,
      'rail: stripe',
      'reference: evt_one',
      'type: charge.failed',
      'status: open',
      'reason: key_refused',
      'tries: 9',
      'next_try_at: -',
      'checkout: -',
      'attempt_reference: cs_1',
      'payment_reference: pi_1',
    ]);
    await assertFailure(
      t,
      ['provider-events', 'show', 'pev_01k9zq4tn30000x5r7m2c9w1he'],
      settingsFor(service),
      /There is no such provider event/,
    );
  });

  test('has one looked at again at once', async () => {
    await using t = cleanUp();
    const { put, run, service } = await setUp(t);
    const id = await put('evt_again', { ...open, attemptReference: 'cs_nowhere' });
    const again = await run('retry', id);
    assert.deepEqual([again.code, again.stdout, again.stderr], [0, `${id} is looked at again\n`, '']);
    await until(async () => (await run('list')).stdout.includes('10 tries'));
    await assertFailure(
      t,
      ['provider-events', 'retry', 'pev_01k9zq4tn30000x5r7m2c9w1he'],
      settingsFor(service),
      /There is no such provider event/,
    );
    const args = ['provider-events', 'retry', 'evt_again'];
    await assertMistake(t, args, settingsFor(service), /a provider event.* pev_/);
  });

  test('the group alone prints its commands', async () => {
    await using t = cleanUp();
    const { code, stdout } = await runToEnd(t, ['provider-events'], {});
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}provider-events list .*\n(.*\n)* {2}provider-events retry /m);
  });
});
