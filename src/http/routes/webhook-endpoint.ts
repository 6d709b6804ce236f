/** Webhook endpoints: addresses that merchants register for their events. */
import type { FastifyRequest } from 'fastify';
import type { Problem } from '../../checkout/refusals.ts';
import type { Mode, TenantTime } from '../../checkout/tenant.ts';
import type { Condition } from '../../lib/condition.ts';
import { newId } from '../../lib/id.ts';
import { Type } from '../../lib/json-schema.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import {
  type Endpoint,
  type EndpointCommand,
  type EndpointId,
  NO_SUCH_ENDPOINT,
} from '../../webhooks/endpoint.ts';
import type { NetworkRules } from '../../webhooks/guard.ts';
import type { Health } from '../../webhooks/health.ts';
import { representEndpoint } from '../../webhooks/representation.ts';
import { newWebhookSecret } from '../../webhooks/secrets.ts';
import type { Origin } from '../../writer/command.ts';
import { conditionOf, JSON_TYPE, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { created, envelope, etagOf, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { addressProblems, receiverProblems, schemaProblems, usableFields } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { idOf, pageQuery } from '../schemas/checkout.ts';
import {
  createEndpointBody,
  DEFAULT_OVERLAP_SECONDS,
  type EndpointBody,
  rotateSecretBody,
  updateEndpointBody,
} from '../schemas/webhooks.ts';

const tag = 'Webhook endpoints';
const permission = 'webhooks';
const params = idOf('whe', 'webhook endpoint');
const listQuery = Type.Object(pageQuery('whe'), { additionalProperties: false });

export function webhookEndpointRoutes(api: Api, { store, execute, networkRules, now }: Dependencies): void {
  type Shown = (endpoint: Endpoint, health: Health | null, now: TenantTime) => object;
  /** Only the answers of the requests that make a secret show it. */
  const withSecret: Shown = (endpoint, health, now) => ({
    ...representEndpoint(endpoint, health, now),
    secret: endpoint.secret,
  });

  type Change = {
    readonly id: EndpointId;
    readonly command: EndpointCommand;
    readonly condition?: Condition;
  };

  async function change(origin: Origin, asked: Change, operation: string, shown: Shown = representEndpoint) {
    const time = await now(origin.tenant);
    return execute({ subject: 'endpoint', origin, ...asked, now: time }, ({ endpoint, health }) => {
      const isThere = asked.command.type !== 'delete_endpoint';
      const headers = isThere ? { etag: etagOf(endpoint.version) } : {};
      return success(operation, JSON.stringify(shown(endpoint, health, time)), headers);
    });
  }

  api.post(
    '/webhook_endpoint',
    operation(
      {
        operation: 'WEBHOOK_ENDPOINT.CREATE',
        tag,
        permission,
        summary: 'Create an endpoint',
        description:
          'The endpoint receives events from now on. Only this answer shows the signing `secret` (and a repetition with the same idempotency key). An account and mode can have 100 endpoints.',
        statusCode: 201,
        answers: 'WebhookEndpointWithSecret',
        errors: ['too_many_endpoints'],
      },
      { body: createEndpointBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const { url = '', ...settings } = readEndpoint(request, request.body, networkRules);
      const time = await now(origin.tenant);
      const id = newId('whe', time);
      const command: EndpointCommand = {
        type: 'create_endpoint',
        secret: newWebhookSecret(),
        settings: { url, events: ['*'], description: '', enabled: true, ...settings },
      };
      const executed = await execute(
        { subject: 'endpoint', origin, id, command, now: time },
        ({ endpoint, health }) => {
          const data = JSON.stringify(withSecret(endpoint, health, time));
          return created('WEBHOOK_ENDPOINT.CREATE', data, `/v3/webhook_endpoint/${id}`);
        },
      );
      return sendResult(reply, executed);
    },
  );

  api.get(
    '/webhook_endpoint',
    operation(
      {
        operation: 'WEBHOOK_ENDPOINT.LIST',
        tag,
        permission,
        summary: 'List endpoints',
        description: 'Newest first.',
        lists: 'WebhookEndpoint',
      },
      { querystring: listQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { tenant } = principalOf(request);
      const time = await now(tenant);
      const [all, failing] = await Promise.all([
        store.endpoints.list(tenant),
        store.receivers.listFailing(tenant),
      ]);
      const { rows, hasMore } = newestFirst(all, page);
      const present = (endpoint: Endpoint) =>
        JSON.stringify(representEndpoint(endpoint, failing.get(endpoint.id) ?? null, time));
      return sendList(reply, 'WEBHOOK_ENDPOINT.LIST', rows, present, { page, hasMore });
    },
  );

  api.get(
    '/webhook_endpoint/:id',
    operation(
      {
        operation: 'WEBHOOK_ENDPOINT.FETCH',
        versioned: 'read',
        tag,
        permission,
        summary: 'Fetch an endpoint',
        answers: 'WebhookEndpoint',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { id } = request.params;
      const { tenant } = principalOf(request);
      const endpoint = (await store.endpoints.list(tenant)).find((each) => each.id === id);
      if (endpoint === undefined) throw notFound(NO_SUCH_ENDPOINT);
      const health = (await store.receivers.listFailing(tenant)).get(id) ?? null;
      const data = JSON.stringify(representEndpoint(endpoint, health, await now(tenant)));
      reply.header('etag', etagOf(endpoint.version));
      return reply.type(JSON_TYPE).send(envelope('WEBHOOK_ENDPOINT.FETCH', data));
    },
  );

  api.put(
    '/webhook_endpoint/:id',
    operation(
      {
        operation: 'WEBHOOK_ENDPOINT.UPDATE',
        versioned: 'change',
        tag,
        permission,
        summary: 'Update an endpoint',
        description:
          'Omitted fields keep their values. Disabling an endpoint fails its pending deliveries; resend them after enabling it. Enabling it, or changing its URL, resets its health. The `ETag` is that of its settings, whatever its health.',
        answers: 'WebhookEndpoint',
        errors: ['version_stale'],
      },
      { params, body: updateEndpointBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const settings = readEndpoint(request, request.body, networkRules);
      const command: EndpointCommand = { type: 'update_endpoint', settings };
      const asked = { id: request.params.id, command, ...conditionOf(request) };
      return sendResult(reply, await change(origin, asked, 'WEBHOOK_ENDPOINT.UPDATE'));
    },
  );

  api.delete(
    '/webhook_endpoint/:id',
    operation(
      {
        operation: 'WEBHOOK_ENDPOINT.DELETE',
        versioned: 'delete',
        tag,
        permission,
        noBody: true,
        summary: 'Delete an endpoint',
        description: 'Its pending deliveries fail and cannot be resent. Deliveries remain in the list.',
        answers: 'Deleted',
        errors: ['version_stale'],
      },
      { params },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      schemaProblems(request);
      const { id } = request.params;
      const deleted: Shown = () => ({ id, object: 'webhook_endpoint', deleted: true });
      const command: EndpointCommand = { type: 'delete_endpoint' };
      const asked = { id, command, ...conditionOf(request) };
      return sendResult(reply, await change(origin, asked, 'WEBHOOK_ENDPOINT.DELETE', deleted));
    },
  );

  api.post(
    '/webhook_endpoint/:id/rotate_secret',
    operation(
      {
        operation: 'WEBHOOK_ENDPOINT.ROTATE_SECRET',
        versioned: 'change',
        tag,
        permission,
        optionalBody: true,
        summary: 'Rotate the secret of an endpoint',
        description:
          'The answer has the new `secret`. During the overlap, both secrets sign every delivery, so that a receiver with either one accepts it. With 0, the previous secret is invalid immediately. A secret from an earlier rotation is invalid immediately too.',
        answers: 'WebhookEndpointWithSecret',
        errors: ['version_stale'],
      },
      { params, body: rotateSecretBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const { overlap_seconds: seconds = DEFAULT_OVERLAP_SECONDS } = request.body;
      const command: EndpointCommand = {
        type: 'rotate_secret',
        secret: newWebhookSecret(),
        overlapMs: seconds * 1000,
      };
      const asked = { id: request.params.id, command, ...conditionOf(request) };
      return sendResult(reply, await change(origin, asked, 'WEBHOOK_ENDPOINT.ROTATE_SECRET', withSecret));
    },
  );
}

/** The settings in a request. Throws a RequestError with all its mistakes. */
function readEndpoint(request: FastifyRequest, body: EndpointBody, rules: NetworkRules) {
  const problems = schemaProblems(request);
  const given = usableFields(body, problems);
  const all = [...problems, ...urlProblems(given, principalOf(request).tenant.mode, rules)];
  if (all.length > 0) throw fieldsError(all);
  const { url, events, description, status } = given;
  return {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(description === undefined ? {} : { description }),
    ...(status === undefined ? {} : { enabled: status === 'enabled' }),
  };
}

function urlProblems(given: Partial<EndpointBody>, mode: Mode, rules: NetworkRules): Problem[] {
  const [first] = [...addressProblems(given, ['url'], mode), ...receiverProblems(given, 'url', rules)];
  if (first) return [first];
  // A fragment is never sent: whoever writes one expects something else.
  return given.url?.includes('#') ? [{ pointer: '/url', detail: 'must not have a fragment (#…)' }] : [];
}

/** A page of `all`, which are few, oldest first. */
function newestFirst(all: readonly Endpoint[], { limit, after, before }: PageRequest): Page<Endpoint> {
  if (before !== undefined) {
    const newer = all.filter(({ id }) => id > before);
    return { rows: newer.slice(0, limit).reverse(), hasMore: newer.length > limit };
  }
  const older = all.filter(({ id }) => after === undefined || id < after).reverse();
  return { rows: older.slice(0, limit), hasMore: older.length > limit };
}
