/** Thread that makes JSON of the rows of sessions, page by page: each message is a page, each answer its bytes. */
import { parentPort } from 'node:worker_threads';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { messageOf } from '../../lib/error-message.ts';
import { rest } from '../../lib/rest.ts';
import { yieldToServing } from '../../lib/thread-priority.ts';
import { type CheckoutRow, checkoutFromRow } from '../columns.ts';
import { createKeptJson, type ThreadForm } from '../kept-json.ts';
import { type Page, type PageRequest, type SerializedPage, serializedPage } from '../page.ts';

export type JsonTask = {
  readonly tenant: Tenant;
  readonly found: Page<CheckoutRow>;
  readonly page: PageRequest;
  readonly form: ThreadForm;
};

export type JsonAnswer = SerializedPage<CheckoutRow['id']> | { readonly failed: string };

yieldToServing();
const jsonOf = createKeptJson();

parentPort?.postMessage('ready');
parentPort?.on('message', (task: JsonTask) => {
  const answer = answered(task);
  parentPort?.postMessage(answer, 'json' in answer ? [answer.json.buffer] : []);
});

function answered({ tenant, found, page, form }: JsonTask): JsonAnswer {
  try {
    return serializedPage(found, page, (row) => {
      rest();
      // A server that took the place of another may have the same version of a session with other data.
      const { id, data, payments } = row;
      return jsonOf(form, { id, mark: `${data} ${payments}`, make: () => made(tenant, row) });
    });
  } catch (error) {
    return { failed: messageOf(error) };
  }
}

function made(tenant: Tenant, row: CheckoutRow): Checkout {
  try {
    return checkoutFromRow(tenant, row);
  } catch (error) {
    throw new Error(`the data of the session ${row.id} is damaged: ${messageOf(error)}`, { cause: error });
  }
}
