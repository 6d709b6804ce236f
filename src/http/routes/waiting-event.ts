/** Provider events that have led to nothing: those that wait for a person, and those that are looked at again. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { type Static, Type } from '../../lib/json-schema.ts';
import type { WaitingEvent } from '../../methods/provider-event.ts';
import type { Store } from '../../store/store.ts';
import { principalOf } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { pageQuery } from '../schemas/checkout.ts';
import { closed } from '../schemas/fields.ts';
import { representWaitingEvent } from '../waiting-event-representation.ts';

const query = Type.Object(
  {
    ...pageQuery('pev'),
    status: Type.Optional(closed(['open', 'waiting'], 'Only events with this status. Default: `open`.')),
  },
  { additionalProperties: false },
);
type Query = Static<typeof query>;

export function waitingEventRoutes(api: Api, { store }: Pick<Dependencies, 'store'>): void {
  api.get(
    '/provider_event',
    operation(
      {
        operation: 'PROVIDER_EVENT.LIST',
        tag: 'Payments',
        permission: 'read',
        summary: 'List provider events that wait',
        description:
          'Messages of payment providers that have not led to a session, newest first: no payment has their references, or the rail has not answered about it. Each is looked at nine times in three days; from then on it waits for a person. Their content, which may be about people, is not shown.',
        lists: 'ProviderEvent',
      },
      { querystring: query },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { status: state = 'open' }: Query = request.query;
      const page = pageOf(request.query);
      const { tenant } = principalOf(request);
      const { rows, hasMore } = await store.providerEvents.list(tenant, { state }, page);
      const sessions = await Promise.all(rows.map((event) => sessionOf(store, tenant, event)));
      const json = new Map(
        rows.map((event, index) => [
          event.id,
          JSON.stringify(representWaitingEvent(event, sessions[index] ?? null)),
        ]),
      );
      const present = ({ id }: WaitingEvent) => json.get(id) ?? '';
      return sendList(reply, 'PROVIDER_EVENT.LIST', rows, present, { page, hasMore });
    },
  );
}

/** The session that knows the attempt or the payment of the event. */
async function sessionOf(
  { checkouts }: Pick<Store, 'checkouts'>,
  tenant: Tenant,
  { rail, attemptReference, paymentReference }: WaitingEvent,
): Promise<CheckoutId | null> {
  for (const reference of [attemptReference, paymentReference]) {
    const found = reference === null ? null : await checkouts.idByReference(tenant, rail, reference);
    if (found !== null) return found;
  }
  return null;
}
