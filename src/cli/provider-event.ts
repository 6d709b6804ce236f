/** Provider events that have led to nothing, as commands show them. */
import { idOf } from './declare/values.ts';
import { printable } from './printable.ts';

export type ProviderEvent = {
  readonly id: string;
  readonly created_at: string;
  readonly rail: string;
  readonly reference: string;
  readonly type: string;
  readonly status: 'open' | 'waiting';
  readonly reason: string | null;
  readonly tries: number;
  readonly next_try_at: string | null;
  readonly checkout: string | null;
  readonly attempt_reference: string | null;
  readonly payment_reference: string | null;
};

export const providerEventId = idOf('pev', 'a provider event');

export const providerEventKeys = {
  id: 'Id of the provider event, `pev_…`.',
  created_at: 'Time at which it came.',
  rail: 'Rail whose provider has sent it.',
  reference: 'Its id at the provider.',
  type: 'Its kind at the provider, or empty.',
  status: '`open`: it waits for a person. `waiting`: it is looked at again.',
  reason:
    'Why the last look came to nothing: no session had its payment (`no_session`), or the rail did not answer, or was not asked (`no_answer`), refused the key or had none (`key_refused`), refused to tell of the payment (`request_refused`), or gave an answer that does not fit it (`answer_unclear`); null before the first look. A session may have had its payment since.',
  tries: 'Number of times that it was looked at.',
  next_try_at: 'Time at which it is looked at again, or null.',
  checkout: 'Id of the session whose payment it is about; null if no session has its payment.',
  attempt_reference: 'The payment attempt that it names, as the provider calls it, or null.',
  payment_reference: 'The payment that it names, as the provider calls it, or null.',
} as const;

/** All columns are there, so that scripts find them at their places. */
export function lineOf(event: ProviderEvent): string {
  const { id, created_at, rail, type, reference, reason, checkout, tries, status, next_try_at } = event;
  const names = [event.attempt_reference, event.payment_reference].filter((each) => each !== null);
  const columns = [
    id,
    created_at,
    rail,
    printable(type),
    printable(reference),
    // The reason is that of the last look, and the session that of now.
    reason === 'no_session' && checkout !== null
      ? 'session found since'
      : (reason ?? '').replaceAll('_', ' '),
    checkout ?? printable([...new Set(names)].join(', ')),
    tries === 1 ? '1 try' : `${tries} tries`,
    status === 'open' ? 'waits for a person' : (next_try_at ?? ''),
  ];
  return columns.map((text) => text || '-').join('  ');
}

/** Each field in a line of its own. */
export const linesOf = (event: ProviderEvent): readonly string[] =>
  (Object.keys(providerEventKeys) as (keyof typeof providerEventKeys)[]).map((name) => {
    const value = event[name];
    return `${name}: ${value === null || value === '' ? '-' : printable(String(value))}`;
  });
