/** Deliveries: list, fetch and resend events on their way to receivers. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Tenant } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import { withoutUndefined } from '../../lib/keys.ts';
import type { DeliveryFilter, Store } from '../../store/store.ts';
import { type Delivery, NO_SUCH_DELIVERY } from '../../webhooks/delivery.ts';
import { isEndpoint, NO_SUCH_ENDPOINT } from '../../webhooks/endpoint.ts';
import {
  representDelivery,
  representDeliveryAttempt,
  representResend,
} from '../../webhooks/representation.ts';
import { JSON_TYPE, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { idOf } from '../schemas/checkout.ts';
import { parseTimestamp, timeOf } from '../schemas/fields.ts';
import {
  type DeliveriesQuery,
  deliveriesQuery,
  endpointDeliveriesQuery,
  resendFailedBody,
} from '../schemas/webhooks.ts';

const tag = 'Webhook deliveries';
const permission = 'webhooks';
const params = idOf('whd', 'delivery');
const endpointParams = idOf('whe', 'webhook endpoint');

/** Limit of one resend: it is one transaction, for which all other commands wait. */
const MAX_RESENT = 500;
/** Pages of failed deliveries that one request searches. */
const MAX_PAGES = 10;

export function webhookDeliveryRoutes(api: Api, { store, execute, now }: Dependencies): void {
  async function sendDeliveries(
    reply: FastifyReply,
    operation: string,
    tenant: Tenant,
    query: DeliveriesQuery,
  ) {
    const page = pageOf(query);
    const [endpoints, failing, { rows, hasMore }] = await Promise.all([
      store.endpoints.list(tenant),
      store.receivers.listFailing(tenant),
      store.deliveries.list(tenant, filterOf(query), page),
    ]);
    const urls = new Map<string, string>(endpoints.map(({ id, url }) => [id, url]));
    const present = (delivery: Delivery) =>
      JSON.stringify(
        representDelivery(delivery, failing.get(delivery.receiver) ?? null, urls.get(delivery.receiver)),
      );
    return sendList(reply, operation, rows, present, { page, hasMore });
  }

  api.get(
    '/webhook_delivery',
    operation(
      {
        operation: 'WEBHOOK_DELIVERY.LIST',
        tag,
        permission,
        summary: 'List deliveries',
        description: 'Newest first. A delivery must match all filters.',
        lists: 'WebhookDelivery',
      },
      { querystring: deliveriesQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      return sendDeliveries(reply, 'WEBHOOK_DELIVERY.LIST', principalOf(request).tenant, request.query);
    },
  );

  api.get(
    '/webhook_endpoint/:id/deliveries',
    operation(
      {
        operation: 'WEBHOOK_ENDPOINT.DELIVERIES',
        tag,
        permission,
        summary: 'List the deliveries to an endpoint',
        description: 'Newest first. A delivery must match all filters.',
        lists: 'WebhookDelivery',
      },
      { params: endpointParams, querystring: endpointDeliveriesQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { tenant } = principalOf(request);
      const { id: endpoint } = request.params;
      const known = await store.endpoints.list(tenant);
      if (!known.some(({ id }) => id === endpoint)) throw notFound(NO_SUCH_ENDPOINT);
      const query = { ...request.query, endpoint };
      return sendDeliveries(reply, 'WEBHOOK_ENDPOINT.DELIVERIES', tenant, query);
    },
  );

  api.get(
    '/webhook_delivery/:id',
    operation(
      {
        operation: 'WEBHOOK_DELIVERY.FETCH',
        tag,
        permission,
        summary: 'Fetch a delivery with its attempts',
        answers: 'WebhookDeliveryWithLog',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { tenant } = principalOf(request);
      const { id } = request.params;
      const delivery = await store.deliveries.fetch(tenant, id);
      if (delivery === null) throw notFound(NO_SUCH_DELIVERY);
      const [endpoints, failing, attempts] = await Promise.all([
        store.endpoints.list(tenant),
        store.receivers.listFailing(tenant),
        store.deliveries.listAttempts(tenant, id),
      ]);
      const endpoint = endpoints.find((each) => each.id === delivery.receiver);
      const data = withoutMarkup({
        ...representDelivery(delivery, failing.get(delivery.receiver) ?? null, endpoint?.url),
        attempt_log: attempts.map(representDeliveryAttempt),
      });
      return reply.type(JSON_TYPE).send(envelope('WEBHOOK_DELIVERY.FETCH', data));
    },
  );

  api.post(
    '/webhook_delivery/:id/resend',
    operation(
      {
        operation: 'WEBHOOK_DELIVERY.RESEND',
        tag,
        permission,
        noBody: true,
        summary: 'Resend a delivery',
        description:
          'Sends the same bytes, with the attempts of a new delivery. Deliveries of one session to one receiver keep their order. A suspended receiver is probed immediately.',
        answers: 'WebhookDelivery',
        errors: ['endpoint_disabled'],
      },
      { params },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      schemaProblems(request);
      const delivery = await store.deliveries.fetch(origin.tenant, request.params.id);
      if (delivery === null) throw notFound(NO_SUCH_DELIVERY);
      const time = await now(origin.tenant);
      const executed = await execute(
        { subject: 'resend', origin, deliveries: [delivery], now: time },
        ({ deliveries: [resent = delivery], health, endpoints }) => {
          const endpoint = endpoints.find(({ id }) => id === resent.receiver);
          const data = representDelivery(resent, health.get(resent.receiver) ?? null, endpoint?.url);
          return success('WEBHOOK_DELIVERY.RESEND', JSON.stringify(data));
        },
      );
      return sendResult(reply, executed);
    },
  );

  api.post(
    '/webhook_delivery/resend',
    operation(
      {
        operation: 'WEBHOOK_DELIVERY.RESEND_FAILED',
        tag,
        permission,
        summary: 'Resend failed deliveries',
        description: `Resends the failed deliveries created since then, the oldest first, at most ${MAX_RESENT} in one request. While \`has_more\` is true, repeat the request with \`after\` set to \`next_cursor\`; a request can resend none. Deliveries to disabled or deleted endpoints are left out.`,
        answers: 'Resend',
        errors: ['endpoint_disabled'],
      },
      { body: resendFailedBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const { since, endpoint, checkout: subject, after } = request.body;
      const createdFrom = parseTimestamp(since) ?? 0;
      const start = after ?? firstIdAt('whd', createdFrom);
      const failed: DeliveryFilter = { state: 'failed', createdFrom, ...withoutUndefined({ subject }) };
      const { deliveries, nextCursor } = await ableFrom(store, origin.tenant, failed, start, endpoint);
      const many = endpoint === undefined ? {} : { endpoint };
      const executed = await execute(
        { subject: 'resend', origin, deliveries, now: await now(origin.tenant), many },
        (resent) => {
          const data = representResend(resent.deliveries.length, nextCursor);
          return success('WEBHOOK_DELIVERY.RESEND_FAILED', JSON.stringify(data));
        },
      );
      return sendResult(reply, executed);
    },
  );
}

function filterOf(query: DeliveriesQuery): DeliveryFilter {
  const { endpoint: receiver, checkout: subject, event, status: state } = query;
  const createdFrom = timeOf(query['created_at[gte]']);
  const createdBefore = timeOf(query['created_at[lt]']);
  return withoutUndefined({ receiver, subject, event, state, createdFrom, createdBefore });
}

/** Answers of receivers are shown verbatim: escaped, no browser can take them for a page. */
function withoutMarkup(data: object): string {
  return JSON.stringify(data)
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026');
}

/**
 * The oldest deliveries behind an id that can be made again, and behind which id there may be more of them. The endpoint
 * is looked for in the pages and not by the store, which would go through those of all others at once.
 */
async function ableFrom(
  store: Store,
  tenant: Tenant,
  filter: DeliveryFilter,
  start: string,
  endpoint: string | undefined,
) {
  const endpoints = await store.endpoints.list(tenant);
  const enabled = new Set(endpoints.filter(({ disabled }) => disabled === null).map(({ id }) => id));
  const isAble = (receiver: string) => !isEndpoint(receiver) || enabled.has(receiver);
  if (!isAble(endpoint ?? '')) return { deliveries: [], nextCursor: null };
  const found: Delivery[] = [];
  let before = start;
  for (let page = 1; ; page++) {
    // The page before a cursor begins with the oldest one behind it.
    const { rows, hasMore } = await store.deliveries.list(tenant, filter, { limit: MAX_RESENT, before });
    const able = rows.filter(({ receiver }) => isAble(receiver) && receiver === (endpoint ?? receiver));
    found.push(...able.reverse());
    const deliveries = found.slice(0, MAX_RESENT);
    const [newest] = rows;
    if (found.length > MAX_RESENT) return { deliveries, nextCursor: deliveries.at(-1)?.id ?? null };
    if (!hasMore || newest === undefined) return { deliveries, nextCursor: null };
    if (page === MAX_PAGES) return { deliveries, nextCursor: newest.id };
    before = newest.id;
    // Other requests get their turn between two pages.
    await nextTurn();
  }
}
