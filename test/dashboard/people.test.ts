/** People in the dashboard: found, shown with all that is kept of them, exported and erased. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { configure, imported, PAYER_IBAN, startTransfer } from '../api/bank.ts';
import { startReceiver } from '../api/receiver.ts';
import { createSession, order, pay, succeeded, until } from '../api/shop.ts';
import { PASSWORD, textOf, type Visitor } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { assertSameShape, visitorsOf } from './roles.ts';

const PATH = '/dashboard/1/test/people';

let realNow = Date.now;
const service = await startService({ after }, { realNow: () => realNow() });
const visitors = await visitorsOf(service);

/** A session for somebody of this name, and the id of the record that it made. */
async function sessionFor(name: string, fields: object = {}) {
  const person = { name, email: `${name.split(' ')[0]?.toLowerCase()}@example.com`, country: 'GB' };
  const session = await createSession(service, { ...order, customer_details: person, ...fields });
  return { session, id: session.customer_details.customer };
}

suite('people', () => {
  test('are found by their whole e-mail address, in any case, and shown with their payments', async () => {
    const { read_only: visitor } = visitors;
    const { session, id } = await sessionFor('Ada Lovelace');
    await sessionFor('Grace Hopper');
    const all = textOf(await visitor.get(PATH));
    assert.match(all, /Ada Lovelace ada@example\.com/);
    assert.match(all, /Grace Hopper/);
    const found = await visitor.get(`${PATH}?email=ADA%40example.com`);
    assert.match(textOf(found), /Ada Lovelace/);
    assert.doesNotMatch(textOf(found), /Grace/);
    assert.ok(found.html.includes(`href="${PATH}/${id}"`));
    const page = await visitor.get(`${PATH}/${id}`);
    assert.match(textOf(page), /Name Ada Lovelace E-mail ada@example\.com Country GB/);
    assert.ok(page.html.includes(`href="/dashboard/1/test/sessions/${session.id}"`));
    const theirs = await visitor.get(`/dashboard/1/test/sessions/${session.id}`);
    assert.ok(theirs.html.includes(`href="${PATH}/${id}"`), 'no way from the session');
  });

  test('who are not known lead to the payments, which may have another address', async () => {
    const { support } = visitors;
    const page = await support.get(`${PATH}?email=nobody%2B1%40example.com`);
    assert.equal(page.status, 200);
    assert.match(textOf(page), /Nobody is known by this address/);
    assert.ok(page.html.includes('/dashboard/1/test/sessions?q=nobody%2B1%40example.com'));
    const wrong = await support.get(`${PATH}?email=nobody`);
    assert.equal(wrong.status, 422);
    assert.match(wrong.html, /id="field-email-wrong">email must/);
    for (const none of ['cus_none', `cus_${'0'.repeat(26)}`])
      assert.equal((await support.get(`${PATH}/${none}`)).status, 404, none);
  });

  test('have their names as nothing but texts', async () => {
    const { owner } = visitors;
    const plain = await sessionFor('Plain Name', { customer_details: { name: 'Plain Name' } });
    const name = `<img src=x onerror="alert(1)">'&`;
    const { id } = await sessionFor(name, { customer_details: { name } });
    const [page, other] = [await owner.get(`${PATH}/${id}`), await owner.get(`${PATH}/${plain.id}`)];
    assertSameShape(page, other, name);
    assert.match(textOf(page), /Name <img src=x onerror="alert\(1\)">'&/);
  });
});

suite('an export of a person', () => {
  test('has the record, and each session with its payments and its history, and nothing of others', async () => {
    const receiver = await startReceiver({ after }, () => 200);
    const { session, id } = await sessionFor('Katherine Johnson', { webhook_url: receiver.url });
    await pay(service, session.id);
    await sessionFor('Dorothy Vaughan');
    // More than a page of the API has.
    for (let number = 0; number < 101; number++)
      await createSession(service, { ...order, reference_id: `more-${number}`, customer: id });
    await until(async () => (await receiver.received(1)).length > 0);
    const file = await visitors.read_only.get(`${PATH}/${id}/export`);
    assert.equal(file.status, 200);
    assert.match(file.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(file.headers.get('content-disposition'), `attachment; filename="${id}.json"`);
    const { customer, sessions } = JSON.parse(file.html);
    assert.deepEqual(customer, (await service.call('GET', `/v3/customer/${id}`)).json.data);
    assert.equal(sessions.length, 102);
    const [first] = sessions.toReversed();
    const { session: fields, payin, timeline, bank_entries } = first;
    assert.equal(bank_entries, null, 'the reader may not see them');
    assert.deepEqual(fields, (await service.call('GET', `/v3/checkout/${session.id}`)).json.data);
    assert.deepEqual(payin, (await service.call('GET', `/v3/payin/${session.id}`)).json.data);
    const { json } = await service.call('GET', `/v3/checkout/${session.id}/timeline?limit=100`);
    assert.ok(timeline.length > 2);
    assert.deepEqual(
      timeline.map(({ event }: { event: string }) => event),
      json.data.map(({ event }: { event: string }) => event),
    );
    assert.doesNotMatch(file.html, /Dorothy/);
  });
});

suite('an export of who has paid by bank', () => {
  test('has what the bank has told of the payer, for those who may see bank entries', async () => {
    await configure(service);
    const { session, id } = await sessionFor('Zelda Smith');
    const { reference } = await startTransfer(service, session);
    await imported(service, [{ amount: session.amount, reference, name: 'ZELDA M SMITH', iban: PAYER_IBAN }]);
    const read = async (visitor: Visitor) =>
      JSON.parse((await visitor.get(`${PATH}/${id}/export`)).html).sessions[0];
    const [entry, ...others] = (await read(visitors.finance)).bank_entries;
    assert.deepEqual([entry.counterparty.name, entry.counterparty.account], ['ZELDA M SMITH', PAYER_IBAN]);
    assert.deepEqual(others, []);
    assert.equal((await read(visitors.read_only)).bank_entries, null);
  });
});

suite('erasing a person', () => {
  test('is for owners, and empties the record and the sessions', async () => {
    const { owner, finance } = visitors;
    const { session, id } = await sessionFor('Mary Jackson');
    assert.doesNotMatch((await finance.get(`${PATH}/${id}`)).html, /\/erase"/);
    const page = await owner.get(`${PATH}/${id}`);
    const done = await owner.follow(owner.submit(page, '/erase'));
    assert.match(textOf(done), /The personal data is erased/);
    assert.doesNotMatch(textOf(done), /Mary Jackson/);
    assert.equal((await owner.get(`${PATH}/${id}`)).status, 404);
    const { customer_details: left } = succeeded(await service.call('GET', `/v3/checkout/${session.id}`));
    assert.deepEqual([left.name, left.email, left.country], ['', '', '']);
    // Sent twice, by a second click or in another window.
    const again = await owner.follow(owner.submit(page, '/erase'));
    assert.match(textOf(again), /There was nothing left to change\./);
  });

  test('asks who it is first, and erases nothing before that is proven', async () => {
    const { owner } = visitors;
    const { id } = await sessionFor('Annie Easley');
    const page = await owner.get(`${PATH}/${id}`);
    realNow = () => Date.now() + 11 * 60_000;
    const asked = await owner.submit(page, '/erase');
    assert.match(textOf(asked), /Is it you\?/);
    const wrong = await owner.submit(asked, '/erase', { confirm_password: 'no' });
    assert.equal(wrong.status, 422);
    assert.equal((await service.call('GET', `/v3/customer/${id}`)).status, 200);
    const done = await owner.submit(wrong, '/erase', { confirm_password: PASSWORD });
    assert.equal(done.status, 303, textOf(done));
    assert.equal((await service.call('GET', `/v3/customer/${id}`)).status, 404);
  });
});
