/** The overview of an account and mode. */
import { representOverview, type TimeToPay } from '../../checkout/overview.ts';
import type { Problem } from '../../checkout/refusals.ts';
import { tenantName } from '../../checkout/tenant.ts';
import { sharedCalls } from '../../lib/shared-calls.ts';
import { JSON_TYPE, principalOf } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope } from '../envelope.ts';
import { queryProblems, refuseQuery, usableFields, withFurther } from '../input.ts';
import { operation } from '../operation.ts';
import { timeOf } from '../schemas/fields.ts';
import { overviewQuery } from '../schemas/movement.ts';

/** Excess of older sessions is taken for one that stays. */
const EXCESS_MS = 30 * 86_400_000;
/** Time for which times to pay are told again. */
const KEPT_MS = 5_000;

export function overviewRoutes(api: Api, { store, now }: Pick<Dependencies, 'store' | 'now'>): void {
  const timesToPay = sharedCalls<TimeToPay>(KEPT_MS);

  api.get(
    '/overview',
    operation(
      {
        operation: 'OVERVIEW.FETCH',
        tag: 'Money',
        permission: 'read',
        summary: 'Fetch the overview',
        description:
          'What waits for a person now, and how webhooks and payers of a time did. The sums of the time are in `/v3/total`.',
        answers: 'Overview',
      },
      { querystring: overviewQuery },
    ),
    async (request, reply) => {
      const { tenant } = principalOf(request);
      const found = queryProblems(request);
      const asked = usableFields(request.query, found);
      const from = timeOf(asked['created_at[gte]']);
      const to = timeOf(asked['created_at[lt]']);
      const isEmpty = from !== undefined && to !== undefined && from >= to;
      refuseQuery(withFurther(found, isEmpty ? [empty] : []));
      const times = { from: from ?? 0, to: to ?? 0, currency: request.query.currency.toUpperCase() };
      const excessSince = (await now(tenant)) - EXCESS_MS;
      const [waiting, endpoints, deliveries, timeToPay, currencies] = await Promise.all([
        store.overview.waiting(tenant, { excessSince }),
        store.endpoints.list(tenant),
        store.overview.deliveries(tenant, times),
        timesToPay(`${tenantName(tenant)} ${times.from} ${times.to} ${times.currency}`, () =>
          store.overview.timeToPay(tenant, times),
        ),
        store.overview.currencies(tenant),
      ]);
      const disabledEndpoints = endpoints.filter(({ disabled }) => disabled !== null).length;
      const overview = { waiting: { ...waiting, disabledEndpoints }, deliveries, timeToPay, currencies };
      return reply
        .type(JSON_TYPE)
        .send(envelope('OVERVIEW.FETCH', JSON.stringify(representOverview(overview))));
    },
  );
}

const empty: Problem = { pointer: '/created_at[lt]', detail: 'must be later than created_at[gte]' };
