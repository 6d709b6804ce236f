/** Commands about endpoints and deliveries, executed on a store of their own. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createSerializer } from '../../src/checkout/serializer.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { EventRow } from '../../src/events/event.ts';
import { success } from '../../src/http/envelope.ts';
import { newId } from '../../src/lib/id.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { ClaimedDelivery, DeliveryResult } from '../../src/webhooks/delivery.ts';
import type { Endpoint, EndpointCommand, EndpointId } from '../../src/webhooks/endpoint.ts';
import { representEndpoint } from '../../src/webhooks/representation.ts';
import type { Origin } from '../../src/writer/command.ts';
import { createWriter, type Executed } from '../../src/writer/writer.ts';
import { freshDirectory } from '../support/process.ts';
import { T, tenants } from './build.ts';
import { addEndpoint, claimOne, endpoint, HOUR, tryAgain } from './deliveries.ts';

export type TestWriter = Awaited<ReturnType<typeof openWriter>>;

export async function openWriter(t: TestContext) {
  const store = openSqliteStore(join(freshDirectory(t), 'test.db'));
  t.after(() => store.close());
  const execute = createWriter({
    store,
    serializer: createSerializer('https://pay.example.com'),
    realNow: () => T,
  });
  const { mine, theirs } = await tenants(store);

  async function failing(tenant = mine) {
    return Object.fromEntries(await store.receivers.listFailing(tenant));
  }

  return {
    store,
    execute,
    mine,
    theirs,
    failing,
    /** An endpoint as merchants register them. */
    add: (given: Partial<Endpoint> = {}, tenant = mine) => addEndpoint(store, endpoint(tenant, given)),
    async endpoint(id: string, tenant = mine): Promise<Endpoint | undefined> {
      return (await store.endpoints.list(tenant)).find((each) => each.id === id);
    },
    /** Executes a command about an endpoint, as the requests do that show its secret. */
    command: (given: EndpointCommand, id: EndpointId, now = T + HOUR, key?: string) =>
      execute(
        { subject: 'endpoint', origin: originOf(mine, key), id, command: given, now },
        ({ endpoint, health }) => {
          const data = { ...representEndpoint(endpoint, health, now), secret: endpoint.secret };
          return success('WEBHOOK_ENDPOINT.TEST', JSON.stringify(data));
        },
      ),
    /** Records results of deliveries. */
    come: (...results: DeliveryResult[]) =>
      execute({ subject: 'deliveries', origin: originOf(mine), results }),
    /** The only delivery that is due for a receiver. */
    due: (receiver: string, at: number): Promise<ClaimedDelivery> =>
      claimOne(store, mine, at, { room: (each) => (each === receiver ? 1 : 0) }),
    /** Lets the only delivery for a receiver fail at these times, to be tried again at any time. */
    async fail(receiver: string, ...times: readonly number[]): Promise<void> {
      for (const at of times) {
        const claimed = await this.due(receiver, at);
        await this.come(tryAgain(claimed, at, { at }));
      }
    },
    /** The events about endpoints, oldest first. */
    async events(): Promise<EventRow[]> {
      const { rows } = await store.events.list(mine, {}, 0, 100);
      return rows.filter(({ type }) => type.startsWith('webhook_endpoint.'));
    },
    /** Receivers and types of the events about this endpoint. */
    async toldOf(subject: string): Promise<Array<readonly [receiver: string, type: string]>> {
      const all = await Promise.all(
        (await this.events())
          .filter((event) => event.subject === subject)
          .map(({ id }) => store.deliveries.list(mine, { event: id }, { limit: 100 })),
      );
      return all.flatMap(({ rows }) => rows.map(({ receiver, eventType }) => [receiver, eventType] as const));
    },
  };
}

function originOf(tenant: Tenant, key?: string): Origin {
  const idempotency = key === undefined ? null : { key, operation: 'POST', requestHash: 'hash' };
  return { tenant, actor: 'ak_test_1', requestId: newId('evt', T), idempotency };
}

/** The data of a command's answer. */
export function dataOf({ result, answer }: Executed<unknown>) {
  assert.ok(answer, JSON.stringify(result));
  return JSON.parse(answer.body).data;
}
