/** Commands about what providers send by themselves, kept as it came. */
import type { ProviderEvent } from '../../methods/provider-event.ts';
import { railKey } from '../../store/resources/rail-reference.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import type { Decided, RecordProviderEvent } from '../command.ts';

export function providerEventNeeds({ origin: { tenant }, event }: RecordProviderEvent): Needs {
  const { rail, reference } = event;
  return { tenant, providerEvents: [{ rail, reference }] };
}

/** The same event sent twice is one; a settled one stays settled. */
export function decideOnProviderEvent(
  { event }: RecordProviderEvent,
  { providerEvents }: Loaded,
): Decided<ProviderEvent> {
  const known = providerEvents.get(railKey(event));
  if (known && (known.id !== event.id || known.state === 'done')) return { value: known, writes: [] };
  return { value: event, writes: [{ providerEvent: event }] };
}
