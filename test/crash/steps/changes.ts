/** Every kind of change that a service makes, each asked for by one request that can be repeated. */

import type { Mode } from '../../../src/checkout/tenant.ts';
import { awaitTransfer, camt, configure } from '../../api/bank.ts';
import { operations } from '../../api/every-operation.ts';
import type { Receiver } from '../../api/receiver.ts';
import { createSession, succeeded } from '../../api/shop.ts';
import { subjectsOf } from '../../api/subjects.ts';
import type { OtherService } from '../../support/service.ts';

export type Request = {
  readonly method: string;
  readonly path: string;
  /** As `asSent` takes it. */
  readonly body: object | string;
  readonly key: string;
  /** Mode of the caller; `test` if there is none. */
  readonly mode?: Mode;
};

export type Change = {
  readonly name: string;
  /** Set where the service goes on by itself behind the first commit: what is left may be any of its commits. */
  readonly goesOn: boolean;
  /** Makes what it is about; resolves with the request, which has not been sent. */
  prepare(service: OtherService, key: string, quiet: () => Promise<void>): Promise<Request>;
};

/** Operations that need other subjects here: each time they must find something to do. */
const otherwise = new Set([
  'BANK_STATEMENT.IMPORT',
  'TEST_HELPER.ADVANCE_CLOCK',
  'WEBHOOK_DELIVERY.RESEND_FAILED',
]);

const goesOn = new Set(['PAYIN.CONFIRM', 'PROVIDER_EVENT.RETRY', 'REFUND.CREATE', 'WEBHOOK_DELIVERY.RESEND']);

export function everyChange(receiver: Receiver): readonly Change[] {
  const ofOperations = operations
    .filter(({ method, operation }) => method !== 'GET' && !otherwise.has(operation))
    .map(
      ({ operation, method, path, subject, body = {}, liveOnly }): Change => ({
        name: operation.toLowerCase(),
        goesOn: goesOn.has(operation),
        async prepare(service, key, quiet) {
          const id = await subjectsOf(service, receiver, quiet)[subject]();
          const given = typeof body === 'function' ? body(id) : body;
          return {
            method,
            path: path.replace('{id}', id),
            body: given,
            key,
            mode: liveOnly ? 'live' : 'test',
          };
        },
      }),
    );
  return [...ofOperations, statement, deadline, webhook(receiver), repetition];
}

/** A payment that a statement brings. */
const statement: Change = {
  name: 'payment by statement',
  goesOn: true,
  async prepare(service, key) {
    await configure(service);
    const { reference } = await awaitTransfer(service);
    return { method: 'POST', path: '/v3/bank_statement', body: camt([{ amount: 2500, reference }]), key };
  },
};

/** A session that expires by time: a clock that is moved past it. */
const deadline: Change = {
  name: 'deadline of a session',
  goesOn: true,
  async prepare(service, key) {
    const { data } = JSON.parse((await service.call('POST', clock, { body: { seconds: 1 } })).text);
    const expiresAt = new Date(Date.parse(data.now) + 3_600_000).toISOString();
    await createSession(service, { expires_at: expiresAt });
    return { method: 'POST', path: clock, body: { seconds: 7200 }, key };
  },
};
const clock = '/v3/test_helpers/clock/advance';

/** A webhook is sent, and its result written. */
const webhook = (receiver: Receiver): Change => ({
  name: 'result of a webhook',
  goesOn: true,
  async prepare(_service, key) {
    const body = { invoice_currency: 'EUR', amount: 2500, webhook_url: receiver.url };
    return { method: 'POST', path: '/v3/checkout', body, key };
  },
});

/** A request that was answered before. */
const repetition: Change = {
  name: 'repetition of a request',
  goesOn: false,
  async prepare({ call }, key) {
    const body = { invoice_currency: 'EUR', amount: 2500 };
    succeeded(await call('POST', '/v3/checkout', { body, headers: { 'idempotency-key': key } }), 201);
    return { method: 'POST', path: '/v3/checkout', body, key };
  },
};
