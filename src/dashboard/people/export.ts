/**
 * Export of all that is kept of a person, as JSON that is made while it is read: the record, and each session with its
 * payments and its history, which names the receivers that were told (articles 15 and 20 of the GDPR).
 */

import type { ApiAnswer, ApiCaller } from '../api.ts';
import { type Listed, pageOf, pagesFrom, patiently } from '../export.ts';
import type { Session } from '../sessions/view.ts';

type Asked = Pick<ApiCaller, 'get'>;
type FirstPage = ApiAnswer<Session[]> & { readonly ok: true };

/** The sessions of a customer, as a list of the API. */
export const sessionsOf = (customer: string): Listed => ({
  path: '/v3/checkout',
  query: new URLSearchParams({ customer }),
});

/** Pieces of the file. Throws where the API refuses to go on, so that nobody takes a part for the whole. */
export async function* personalData(
  api: Asked,
  customer: object & { id: string },
  first: FirstPage,
): AsyncGenerator<string> {
  yield `{\n"customer": ${JSON.stringify(customer)},\n"sessions": [`;
  let between = '\n';
  for await (const page of pagesFrom(api, sessionsOf(customer.id), first)) {
    for (const session of page) {
      yield between + JSON.stringify(await withHistory(api, session));
      between = ',\n';
    }
  }
  yield '\n]\n}\n';
}

async function withHistory(api: Asked, session: Session): Promise<object> {
  const { data: payin } = await patiently(() => api.get<object>(`/v3/payin/${session.id}`));
  return { session, payin, timeline: await timelineOf(api, session.id) };
}

async function timelineOf(api: Asked, id: string): Promise<readonly unknown[]> {
  const list = { path: `/v3/checkout/${id}/timeline`, query: new URLSearchParams() };
  const first = await patiently(() => pageOf<unknown>(api, list, null));
  const entries: unknown[] = [];
  for await (const page of pagesFrom(api, list, first)) entries.push(...page);
  return entries;
}
