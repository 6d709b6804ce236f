/** An account with everything that screens of the dashboard are about. */
import assert from 'node:assert/strict';
import { newId } from '../../src/lib/id.ts';
import { awaitTransfer, configure, entries, imported } from '../api/bank.ts';
import { refundsAreHeardOf } from '../api/subjects.ts';
import { providerEvent, write } from '../store/build.ts';
import { png } from '../support/image.ts';
import type { TestService } from '../support/service.ts';
import { inviteUser } from '../support/users.ts';
import type { Things } from './doors.ts';

/** Ids by the kind of the thing. */
export async function makeThings(service: TestService): Promise<Things> {
  async function made(method: string, path: string, body?: object): Promise<string> {
    const { status, json, text } = await service.call(method, path, body === undefined ? {} : { body });
    assert.ok(status < 300, text);
    return json.data.id;
  }
  const { account } = service;
  const member = await inviteUser(service.service.store, {
    account: account.number,
    role: 'support',
    email: '',
  });
  const holder = { name: 'Muster', country: 'DE' };
  const euros = { currency: 'EUR', holder, iban: 'DE89370400440532013000' };
  // Before there is an endpoint: nothing is delivered of it, which would go on meanwhile.
  const paid = await made('POST', '/v3/checkout', { invoice_currency: 'EUR', amount: 1250 });
  await service.call('POST', `/v3/test_helpers/checkout/${paid}/pay`);
  await configure(service);
  const transfer = await awaitTransfer(service);
  await imported(service, [{ amount: 2500, reference: transfer.reference }]);
  await made('POST', '/v3/refund', { payin: transfer.id, amount: 100 });
  const paymentFile = await made('POST', '/v3/payment_file', { receiving_account: 'eur' });
  const refund = await made('POST', '/v3/refund', { payin: paid, amount: 100 });
  await refundsAreHeardOf(service);
  const endpoint = await made('POST', '/v3/webhook_endpoint', { url: 'http://127.0.0.1:9/', events: ['*'] });
  const session = await made('POST', '/v3/checkout', { invoice_currency: 'EUR', amount: 1250 });
  const { json } = await service.call('GET', '/v3/webhook_delivery?limit=1');
  await made('PUT', '/v3/rail_credentials/stripe', { secret_key: 'sk_test_1', webhook_secret: 'whsec_1' });
  const receiving = await made('PUT', '/v3/receiving_account/eur', euros);
  await imported(
    service,
    [7, 8, 9, 10].map((amount) => ({ amount })),
    { account: euros.iban },
  );
  assert.equal((await service.call('PUT', '/v3/logo', { body: png({ width: 32, height: 16 }) })).status, 201);
  const event = providerEvent(newId('pev', Date.now()), {
    state: 'open',
    dueAt: null,
    tries: 9,
    reason: 'no_session',
  });
  await write(service.service.store, { account: account.number, mode: 'test' }, { providerEvent: event });
  const [entry, ignored, reopened, returned] = await entries(service);
  await made('POST', `/v3/bank_entry/${reopened?.id}/ignore`, { reason: 'Interest.' });
  return {
    entry: entry?.id,
    ignored: ignored?.id,
    reopened: reopened?.id,
    returned: returned?.id,
    statement: entry?.statement,
    member: member.id,
    key: await made('POST', '/v3/api_key', { permissions: ['read'], name: 'Till' }),
    endpoint,
    session,
    person: await made('POST', '/v3/customer', { name: 'Ada Lovelace', email: 'ada@example.com' }),
    paymentFile,
    providerEvent: event.id,
    refund,
    delivery: json.data[0].id,
    receiving,
  };
}
