/** Provider events that have led to nothing: those that wait for a person, and those that are looked at again, at once if asked. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { type Static, Type } from '../../lib/json-schema.ts';
import { NO_SUCH_EVENT, type WaitingEvent, waitingEvent } from '../../methods/provider-event.ts';
import type { Store } from '../../store/store.ts';
import { JSON_TYPE, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope, success } from '../envelope.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { idOf, pageQuery } from '../schemas/checkout.ts';
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
const params = idOf('pev', 'provider event');

const tag = 'Payments';

export function waitingEventRoutes(
  api: Api,
  { store, execute, now, worker }: Pick<Dependencies, 'store' | 'execute' | 'now' | 'worker'>,
): void {
  api.get(
    '/provider_event',
    operation(
      {
        operation: 'PROVIDER_EVENT.LIST',
        tag,
        permission: 'read',
        summary: 'List provider events that wait',
        description:
          'Messages of payment providers that have not led to a session, newest first, with the reason. Each is looked at nine times in three days; from then on it waits for a person. Their content, which may be about people, is not shown.',
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

  api.get(
    '/provider_event/:id',
    operation(
      {
        operation: 'PROVIDER_EVENT.FETCH',
        tag,
        permission: 'read',
        summary: 'Fetch a provider event that waits',
        answers: 'ProviderEvent',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { tenant } = principalOf(request);
      const event = await store.providerEvents.fetch(tenant, request.params.id);
      if (event === null) throw notFound(NO_SUCH_EVENT);
      const data = representWaitingEvent(event, await sessionOf(store, tenant, event));
      return reply.type(JSON_TYPE).send(envelope('PROVIDER_EVENT.FETCH', JSON.stringify(data)));
    },
  );

  api.post(
    '/provider_event/:id/retry',
    operation(
      {
        operation: 'PROVIDER_EVENT.RETRY',
        tag,
        permission: 'write',
        noBody: true,
        summary: 'Look at a provider event again',
        description:
          'The rail is asked at once. If nothing comes of it, an event that waited for a person does so again.',
        answers: 'ProviderEvent',
      },
      { params },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      schemaProblems(request);
      const { tenant } = origin;
      const event = await store.providerEvents.fetch(tenant, request.params.id);
      if (event === null) throw notFound(NO_SUCH_EVENT);
      const checkout = await sessionOf(store, tenant, event);
      const { rail, reference } = event;
      const executed = await execute(
        {
          subject: 'provider_event',
          origin,
          now: await now(tenant),
          rail,
          reference,
          action: { type: 'retry' },
        },
        (asked) => {
          const data = representWaitingEvent(waitingEvent(asked), checkout);
          return success('PROVIDER_EVENT.RETRY', JSON.stringify(data));
        },
      );
      if (executed.result.kind === 'change') worker.nudge('providerEvents', tenant);
      return sendResult(reply, executed);
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
