/** Provider events: each is kept once, and a settled one stays settled. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ProviderEvent, WaitReason } from '../../src/methods/provider-event.ts';
import { railKey } from '../../src/store/resources/rail-reference.ts';
import { ownOrigin, type ProviderEventAction } from '../../src/writer/command.ts';
import { decideOnProviderEvent, providerEventNeeds } from '../../src/writer/handlers/provider-event.ts';
import { providerEvent, T } from '../store/build.ts';

const origin = ownOrigin({ account: 1, mode: 'test' }, 'rail');
const event = providerEvent('evt_1', { receivedAt: T, dueAt: T });
const { id, rail, reference, attemptReference, paymentReference, body } = event;
const receive = { type: 'receive', id, attemptReference, paymentReference, body } as const;
const nothingFound = (tries: number, reason: WaitReason = 'no_session') =>
  ({ type: 'follow_up', tries, reason }) as const;
const settled = (tries: number) => ({ type: 'follow_up', tries, reason: null }) as const;

const command = (action: ProviderEventAction, now = T) => ({ origin, now, rail, reference, action });

function decided(action: ProviderEventAction, known: ProviderEvent | null, now = T) {
  const providerEvents = new Map(known ? [[railKey(known), known]] : []);
  return decideOnProviderEvent(command(action, now), { providerEvents });
}
const changed = (value: ProviderEvent) => ({ value, writes: [{ providerEvent: value }] });
const unchanged = (value: ProviderEvent) => ({ value, writes: [] });

suite('a provider event', () => {
  test('is looked for by its rail and reference', () => {
    const { providerEvents } = providerEventNeeds(command(receive));
    assert.deepEqual(providerEvents, [{ rail: 'stripe', reference: 'evt_1' }]);
  });

  test('is kept, and then what became of it', () => {
    assert.deepEqual(decided(receive, null), changed(event));
    const waits: ProviderEvent = { ...event, dueAt: T + 1 + 5_000, tries: 1, reason: 'no_session' };
    assert.deepEqual(decided(nothingFound(0), event, T + 1), changed(waits));
    assert.deepEqual(decided(settled(1), waits), changed({ ...event, state: 'done', dueAt: null, tries: 2 }));
  });

  test('says why the last look came to nothing, also once it is left to a person, until that asks again', () => {
    const first = decided(nothingFound(0, 'no_answer'), event);
    assert.ok('value' in first);
    assert.equal(first.value.reason, 'no_answer');
    const last = decided(nothingFound(8, 'key_refused'), { ...first.value, tries: 8 });
    assert.ok('value' in last);
    const { state, reason } = last.value;
    assert.deepEqual([state, reason], ['open', 'key_refused']);
    const asked = decided({ type: 'retry' }, last.value);
    assert.ok('value' in asked);
    assert.deepEqual([asked.value.state, asked.value.reason], ['waiting', 'key_refused']);
    const done = decided(settled(9), asked.value);
    assert.ok('value' in done);
    assert.deepEqual([done.value.state, done.value.reason], ['done', null]);
  });

  test('is looked for again after ever longer times, and is then left to a person', () => {
    const waits: Array<number | null> = [];
    for (let known = event; known.state === 'waiting'; ) {
      const result = decided(nothingFound(known.tries), known);
      assert.ok('value' in result);
      known = result.value;
      waits.push(known.dueAt === null ? null : (known.dueAt - T) / 1000);
    }
    const hours = [1, 6, 24, 48].map((count) => count * 3600);
    assert.deepEqual(waits, [5, 30, 120, 600, ...hours, null]);
  });

  test('that is sent again is the first one', () => {
    const again = { ...receive, id: providerEvent('evt_1').id, body: 'sent again' };
    assert.deepEqual(decided(again, event), unchanged(event));
  });

  test('that was removed is kept by nothing that became of it', () => {
    const refusal = decided(settled(0), null);
    assert.ok('reason' in refusal && refusal.reason === 'not_found');
  });

  test('that somebody else has settled stays settled', () => {
    const done: ProviderEvent = { ...event, state: 'done', dueAt: null, tries: 1 };
    for (const action of [nothingFound(0), nothingFound(1), settled(1)]) {
      assert.deepEqual(decided(action, done), unchanged(done));
    }
  });

  test('that somebody else has looked at since is changed only by an answer', () => {
    const waits: ProviderEvent = { ...event, dueAt: T + 60_000, tries: 3 };
    assert.deepEqual(decided(nothingFound(2), waits), unchanged(waits));
    // An event that was left to a person may still be settled.
    const open: ProviderEvent = { ...event, state: 'open', dueAt: null, tries: 9, reason: 'no_answer' };
    assert.deepEqual(decided(nothingFound(9), open), unchanged(open));
    assert.deepEqual(decided(settled(2), open), changed({ ...open, state: 'done', tries: 10, reason: null }));
  });
});
