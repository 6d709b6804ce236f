/**
 * Export of all that is kept of a person, as JSON that is made while it is read: the record, and each session with its
 * payments, its history, and the bank entries that paid it, which name the payer as the bank does (articles 15 and 20 of
 * the GDPR). Bank entries that match no session belong to nobody yet.
 */

import type { ApiAnswer, ApiCaller } from '../api.ts';
import { type Listed, pageOf, pagesFrom, patiently } from '../export.ts';
import type { Session } from '../sessions/view.ts';

type Asked = Pick<ApiCaller, 'get'>;
type TimelineEntry = { readonly evidence: ReadonlyArray<{ readonly bank_entry: string | null }> };
type FirstPage = ApiAnswer<Session[]> & { readonly ok: true };

/** The sessions of a customer, as a list of the API. */
export const sessionsOf = (customer: string): Listed => ({
  path: '/v3/checkout',
  query: new URLSearchParams({ customer }),
});

type Given = {
  readonly customer: object & { readonly id: string };
  readonly first: FirstPage;
  /** False for who may not see bank entries: the file says that it has none of them. */
  readonly mayBank: boolean;
};

/** Pieces of the file. Throws where the API refuses to go on, so that nobody takes a part for the whole. */
export async function* personalData(api: Asked, { customer, first, mayBank }: Given): AsyncGenerator<string> {
  yield `{\n"customer": ${JSON.stringify(customer)},\n"sessions": [`;
  let between = '\n';
  for await (const page of pagesFrom(api, sessionsOf(customer.id), first)) {
    for (const session of page) {
      yield between + JSON.stringify(await withHistory(api, session, mayBank));
      between = ',\n';
    }
  }
  yield '\n]\n}\n';
}

async function withHistory(api: Asked, session: Session, mayBank: boolean): Promise<object> {
  const { data: payin } = await patiently(() => api.get<object>(`/v3/payin/${session.id}`));
  const timeline = await timelineOf(api, session.id);
  return { session, payin, timeline, bank_entries: mayBank ? await entriesOf(api, timeline) : null };
}

/** Bank entries that are evidence of what has happened. */
async function entriesOf(api: Asked, timeline: readonly TimelineEntry[]): Promise<readonly object[]> {
  const ids = timeline.flatMap(({ evidence }) => evidence.flatMap(({ bank_entry: id }) => id ?? []));
  const entries: object[] = [];
  for (const id of new Set(ids)) {
    const { data } = await patiently(() => api.get<object>(`/v3/bank_entry/${id}`));
    entries.push(data);
  }
  return entries;
}

async function timelineOf(api: Asked, id: string): Promise<readonly TimelineEntry[]> {
  const list = { path: `/v3/checkout/${id}/timeline`, query: new URLSearchParams() };
  const first = await patiently(() => pageOf<TimelineEntry>(api, list, null));
  const entries: TimelineEntry[] = [];
  for await (const page of pagesFrom(api, list, first)) entries.push(...page);
  return entries;
}
