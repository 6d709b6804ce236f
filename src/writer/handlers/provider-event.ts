/** Commands about what providers send by themselves: kept as it came, and what became of it. */
import { type Refusal, refuse } from '../../checkout/refusals.ts';
import { NO_SUCH_EVENT, type ProviderEvent } from '../../methods/provider-event.ts';
import { railKey } from '../../store/resources/rail-reference.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import { auditOf, type ChangeProviderEvent, type Decided } from '../command.ts';

/**
 * Waits before a provider event is looked at again, if no session was found or its rail did not answer. After the last
 * one, a person has to look.
 */
const RETRY_AFTER_MS = [5, 30, 120, 600, 3600, 6 * 3600, 24 * 3600, 48 * 3600].map(
  (seconds) => seconds * 1000,
);

export function providerEventNeeds({ origin: { tenant }, rail, reference }: ChangeProviderEvent): Needs {
  return { tenant, providerEvents: [{ rail, reference }] };
}

/** The same event sent twice is one; a settled one stays settled. */
export function decideOnProviderEvent(
  { origin, now, rail, reference, action }: ChangeProviderEvent,
  { providerEvents }: Pick<Loaded, 'providerEvents'>,
): Decided<ProviderEvent> | Refusal {
  const known = providerEvents.get(railKey({ rail, reference }));
  if (action.type === 'receive') {
    if (known) return { value: known, writes: [] };
    const { type: _, ...came } = action;
    return written({
      ...{ ...came, rail, reference, receivedAt: now },
      ...{ state: 'waiting', dueAt: now, tries: 0, reason: null },
    });
  }
  if (!known) return refuse('not_found', NO_SUCH_EVENT);
  if (action.type === 'retry') {
    if (known.state === 'done') return refuse('not_found', NO_SUCH_EVENT);
    const asked: ProviderEvent = { ...known, state: 'waiting', dueAt: now };
    const audit = auditOf(origin, known.id, 0, now, 'retry');
    return { value: asked, writes: [{ providerEvent: asked, audit }] };
  }
  const { reason } = action;
  const isNews = reason === null || (known.state === 'waiting' && known.tries === action.tries);
  if (known.state === 'done' || !isNews) return { value: known, writes: [] };
  const tries = known.tries + 1;
  const wait = RETRY_AFTER_MS[known.tries];
  if (reason === null) return written({ ...known, state: 'done', dueAt: null, tries, reason });
  if (wait === undefined) return written({ ...known, state: 'open', dueAt: null, tries, reason });
  return written({ ...known, dueAt: now + wait, tries, reason });
}

function written(providerEvent: ProviderEvent): Decided<ProviderEvent> {
  return { value: providerEvent, writes: [{ providerEvent }] };
}
