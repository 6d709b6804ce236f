/** Commands about what providers send by themselves, kept as it came. */
import type { Notice } from '../../methods/provider-event.ts';
import { type Loaded, type Needs, railKey } from '../../store/store.ts';
import type { Decided, RecordProviderEvent } from '../command.ts';

export function providerEventNeeds({ origin: { tenant }, notice }: RecordProviderEvent): Needs {
  const { rail, reference } = notice;
  return { tenant, notices: [{ rail, reference }] };
}

/** The same event sent twice is one; a settled one stays settled. */
export function decideOnProviderEvent({ notice }: RecordProviderEvent, { notices }: Loaded): Decided<Notice> {
  const known = notices.get(railKey(notice));
  if (known && (known.id !== notice.id || known.state === 'done')) return { value: known, writes: [] };
  return { value: notice, writes: [{ notice }] };
}
