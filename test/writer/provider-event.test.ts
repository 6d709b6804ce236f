/** Provider events: each is kept once, and a settled one stays settled. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ProviderEvent } from '../../src/methods/provider-event.ts';
import { railKey } from '../../src/store/resources/rail-reference.ts';
import { ownOrigin } from '../../src/writer/command.ts';
import { decideOnProviderEvent, providerEventNeeds } from '../../src/writer/handlers/provider-event.ts';
import { providerEvent } from '../store/build.ts';
import { nothing } from './loaded.ts';

const origin = ownOrigin({ account: 1, mode: 'test' }, 'rail');

function decided(event: ProviderEvent, known?: ProviderEvent) {
  const loaded = { ...nothing, providerEvents: new Map(known ? [[railKey(known), known]] : []) };
  return decideOnProviderEvent({ origin, event }, loaded);
}

suite('a provider event', () => {
  const event = providerEvent('evt_1');

  test('is looked for by its rail and reference', () => {
    const { providerEvents } = providerEventNeeds({ origin, event });
    assert.deepEqual(providerEvents, [{ rail: 'stripe', reference: 'evt_1' }]);
  });

  test('is kept, and then what became of it', () => {
    assert.deepEqual(decided(event), { value: event, writes: [{ providerEvent: event }] });
    const looked: ProviderEvent = { ...event, dueAt: event.receivedAt + 1, tries: 1 };
    assert.deepEqual(decided(looked, event), { value: looked, writes: [{ providerEvent: looked }] });
  });

  test('that is sent again is the first one', () => {
    const again = providerEvent('evt_1', { body: 'sent again' });
    assert.deepEqual(decided(again, event), { value: event, writes: [] });
  });

  test('that somebody else has settled stays settled', () => {
    const done: ProviderEvent = { ...event, state: 'done', dueAt: null };
    assert.deepEqual(decided({ ...event, tries: 1 }, done), { value: done, writes: [] });
    // One that was left to a person may still be settled.
    const open: ProviderEvent = { ...event, state: 'open', dueAt: null };
    assert.deepEqual(decided(done, open), { value: done, writes: [{ providerEvent: done }] });
  });
});
