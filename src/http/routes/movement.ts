/** Movements of money: lists and totals. */
import type { ListedMovement } from '../../checkout/movements.ts';
import type { Problem } from '../../checkout/refusals.ts';
import { representMovement, representTotal } from '../../checkout/representation.ts';
import { type Interval, type Total, totalsOf } from '../../checkout/totals.ts';
import { splitByCalendar } from '../../lib/intervals.ts';
import { withoutUndefined } from '../../lib/keys.ts';
import { JSON_TYPE, principalOf } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { listEnvelope } from '../envelope.ts';
import { queryProblems, refuseQuery, schemaProblems, usableFields, withFurther } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { timeOf } from '../schemas/fields.ts';
import { movementQuery, type TotalQuery, totalQuery } from '../schemas/movement.ts';

const tag = 'Money';
/** A year and a month of days. */
const MAX_INTERVALS = 400;

export function movementRoutes(api: Api, { store }: Dependencies): void {
  api.get(
    '/movement',
    operation(
      {
        operation: 'MOVEMENT.LIST',
        tag,
        permission: 'read',
        summary: 'List movements of money',
        description:
          'Payments as they were booked, refunds that have not failed, and reversals that you have not won, newest first. A movement must match all filters.',
        lists: 'Movement',
      },
      { querystring: movementQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { type, late, currency, payin, rail, reference } = request.query;
      const filter = withoutUndefined({
        type,
        late,
        currency: currency?.toUpperCase(),
        checkout: payin,
        rail,
        reference,
        createdFrom: timeOf(request.query['created_at[gte]']),
        createdBefore: timeOf(request.query['created_at[lt]']),
      });
      const { rows, hasMore } = await store.movements.list(principalOf(request).tenant, filter, page);
      const present = (movement: ListedMovement) => JSON.stringify(representMovement(movement));
      return sendList(reply, 'MOVEMENT.LIST', rows, present, { page, hasMore });
    },
  );

  api.get(
    '/total',
    operation(
      {
        operation: 'TOTAL.LIST',
        tag,
        permission: 'read',
        summary: 'Sum up movements of money',
        description: `Totals of each currency, for the whole time, or for each interval of it in one currency: at most ${MAX_INTERVALS} intervals, oldest first. Intervals and currencies of which there is nothing are left out. All totals are in one page.`,
        lists: 'Total',
      },
      { querystring: totalQuery },
    ),
    async (request, reply) => {
      const found = queryProblems(request);
      const { intervals, problems } = await intervalsOf(usableFields(request.query, found));
      refuseQuery(withFurther(found, problems));
      const { tenant } = principalOf(request);
      const currency = request.query.currency?.toUpperCase();
      const filter = { intervals, ...withoutUndefined({ currency }) };
      const [sums, counts, due] = await Promise.all([
        store.totals.movements(tenant, filter),
        store.totals.sessions(tenant, filter),
        store.totals.due(tenant, filter),
      ]);
      const totals = totalsOf(intervals, sums, counts, due);
      refuseQuery(totals.some(isTooLarge) ? [tooLarge] : []);
      const rows = totals.map((total) => JSON.stringify(representTotal(total)));
      return reply.type(JSON_TYPE).send(listEnvelope('TOTAL.LIST', rows, false, null));
    },
  );
}

const tooLarge: Problem = {
  pointer: '/created_at[gte]',
  detail: `must be later: a sum exceeds ${Number.MAX_SAFE_INTEGER}, the largest whole number in JSON`,
};

const isTooLarge = ({ received, refunded, reversed, fees, open, excess }: Total): boolean =>
  [received, refunded, reversed, ...fees, open, excess].some(
    (sum) => sum !== null && sum.amount > Number.MAX_SAFE_INTEGER,
  );

/** Intervals that are asked for, and the mistakes of the question. Where the time is among them, the rest is looked at. */
async function intervalsOf({
  interval,
  time_zone: timeZone,
  currency,
  ...times
}: Partial<TotalQuery>): Promise<{ intervals: Interval[]; problems: Problem[] }> {
  const problems: Problem[] = [];
  const from = timeOf(times['created_at[gte]']);
  const to = timeOf(times['created_at[lt]']);
  const isWhole = from !== undefined && to !== undefined;
  const whole = isWhole ? { from, to } : { from: 0, to: 1 };
  if (whole.from >= whole.to) {
    problems.push({ pointer: '/created_at[lt]', detail: 'must be later than created_at[gte]' });
  }
  if (interval !== undefined && currency === undefined) {
    problems.push({ pointer: '/currency', detail: 'must be given where there is an interval' });
  }
  let parts = [whole];
  if (interval !== undefined || timeZone !== undefined) {
    // Without an interval only the time zone is looked at.
    const how = { unit: interval ?? 'year', timeZone: timeZone ?? 'UTC', most: MAX_INTERVALS };
    try {
      const intervals = await splitByCalendar(whole, how);
      if (interval !== undefined) parts = intervals;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const detail = 'must be the name of a time zone, such as Europe/Berlin';
      problems.push({ pointer: '/time_zone', detail });
    }
  }
  if (isWhole && parts.length > MAX_INTERVALS) {
    const detail = `must be longer, or the time shorter: there are more than ${MAX_INTERVALS}`;
    problems.push({ pointer: '/interval', detail });
  }
  return { intervals: parts, problems };
}
