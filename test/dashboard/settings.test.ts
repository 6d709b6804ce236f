/** Settings of an account and mode in the dashboard. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Data } from '../api/shop.ts';
import { texts } from '../pages/script-carriers.ts';
import { formIn, PASSWORD, signedInVisitor, textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import {
  assertForbidden,
  assertNotElsewhere,
  assertSameShape,
  assertTokenNeeded,
  visitorsOf,
} from './roles.ts';

const PATH = '/dashboard/1/test/settings';
const SECRET = /whsec_[\w+/=-]+/;

let realNow = Date.now;
const service = await startService({ after }, { realNow: () => realNow() });
const visitors = await visitorsOf(service);
const { owner } = visitors;

const settings = async (): Promise<Data> => (await service.call('GET', '/v3/account_settings')).json.data;
const put = (body: object) => service.call('PUT', '/v3/account_settings', { body });

suite('settings', () => {
  test('are saved, each kind by a form of its own', async () => {
    const save = async (part: string, fields: Record<string, string>) => {
      const page = await owner.follow(owner.submit(await owner.get(PATH), `/settings/${part}`, fields));
      assert.match(textOf(page), /Your changes are saved\./, textOf(page));
      return page;
    };
    await save('business', {
      'business/address_lines': 'Musterstraße 1\r\n\r\n10115 Berlin  ',
      'business/tax_id': 'DE123456789',
      'business/email': 'shop@example.com',
    });
    await save('branding', { 'branding/accent_color': '#03045E' });
    await save('policy', {
      'policy/underpayment_tolerance_basis_points': '100',
      'policy/underpayment_tolerance_at_most': '500',
      'policy/excess': 'refund',
      'policy/late': 'hold',
      'policy/unreferenced': 'ask',
      'policy/grace_minutes/bank': '2880',
    });
    const page = await save('api', {
      compatibility: 'v3',
      'webhook_url_events.checkout.paid': 'on',
      'webhook_url_events.checkout.expired': 'on',
    });
    const { business, branding, policy, compatibility, webhook_url_events: events } = await settings();
    assert.deepEqual(business, {
      address_lines: ['Musterstraße 1', '10115 Berlin'],
      tax_id: 'DE123456789',
      email: 'shop@example.com',
    });
    assert.deepEqual(branding, { accent_color: '#03045e' });
    const { grace_minutes: grace, ...rest } = policy;
    assert.equal(grace.bank, 2880);
    assert.deepEqual(rest, {
      underpayment_tolerance_basis_points: 100,
      underpayment_tolerance_at_most: 500,
      excess: 'refund',
      late: 'hold',
      unreferenced: 'ask',
    });
    assert.deepEqual([compatibility, events], ['v3', ['checkout.paid', 'checkout.expired']]);
    const { fields } = formIn(page, '/settings/business');
    assert.equal(fields['business/address_lines'], 'Musterstraße 1\n10115 Berlin');
    const names = [
      'compatibility',
      'webhook_url_events.checkout.paid',
      'webhook_url_events.checkout.expired',
    ];
    await owner.submitWithout(page, '/settings/api', names, { compatibility: 'strict' });
    assert.equal((await settings()).webhook_url_events, null, 'none checked are those that are implied');
    await save('api', { 'webhook_url_events.none': 'on' });
    assert.deepEqual((await settings()).webhook_url_events, []);
    assert.equal(formIn(await owner.get(PATH), '/settings/api').fields['webhook_url_events.none'], 'on');
    await save('policy', {
      'policy/grace_minutes/bank': '',
      'policy/underpayment_tolerance_basis_points': '',
      'policy/underpayment_tolerance_at_most': '',
    });
    const { policy: emptied } = await settings();
    assert.deepEqual(
      [emptied.grace_minutes.bank ?? 'default', emptied.underpayment_tolerance_at_most],
      ['default', 0],
    );
  });

  test('have a name that only live mode changes', async () => {
    assert.equal(formIn(await owner.get(PATH), '/settings/business').fields.name, undefined);
    const path = PATH.replace('/test/', '/live/');
    const page = await owner.follow(
      owner.submit(await owner.get(path), '/settings/business', { name: 'Renamed Shop' }),
    );
    assert.match(textOf(page), /Your changes are saved\./);
    assert.equal((await settings()).name, 'Renamed Shop');
    const refused = await owner.submit(page, '/settings/business', { name: '' });
    assert.equal(refused.status, 422);
    assert.match(refused.html, /id="field-name-wrong">name must/);
  });

  test('say what is wrong beside the fields, all at once, and keep what was typed', async () => {
    const before = await settings();
    const typed = {
      'policy/underpayment_tolerance_basis_points': '1001',
      'policy/grace_minutes/stripe': 'soon',
    };
    const page = await owner.submit(await owner.get(PATH), '/settings/policy', {
      ...typed,
      'policy/late': 'hold',
    });
    assert.equal(page.status, 422);
    for (const name of Object.keys(typed))
      assert.match(page.html, new RegExp(`id="field-${name}-wrong">${name} must`));
    const { fields } = formIn(page, '/settings/policy');
    assert.deepEqual({ ...fields, ...typed, 'policy/late': 'hold' }, fields);
    const business = await owner.submit(await owner.get(PATH), '/settings/business', {
      'business/address_lines': `${'L'.repeat(101)}\nBerlin`,
      'business/email': 'nobody',
    });
    assert.match(business.html, /id="field-business\/address_lines-wrong">business\/address_lines\/0 must/);
    assert.match(business.html, /id="field-business\/email-wrong">business\/email must/);
    assert.doesNotMatch(business.html, /role="alert"/);
    assert.deepEqual(await settings(), before);
    const fixed = await owner.submit(page, '/settings/policy', {
      'policy/underpayment_tolerance_basis_points': '0',
      'policy/grace_minutes/stripe': '',
    });
    assert.equal(fixed.status, 303);
    assert.equal((await settings()).policy.late, 'hold');
  });

  test('are not told to be saved by a form that was sent as it was', async () => {
    const before = await settings();
    const state = await service.database.state();
    for (const part of ['business', 'branding', 'policy', 'api']) {
      const page = await owner.follow(owner.submit(await owner.get(PATH), `/settings/${part}`));
      assert.match(textOf(page), /There was nothing left to change\./, part);
      assert.doesNotMatch(textOf(page), /Your changes are saved/, part);
    }
    assert.deepEqual(await settings(), before);
    assert.deepEqual(await service.database.state(), state);
  });

  test('of two who edit at once lose nothing, and the second sees what changed', async () => {
    await put({ business: null });
    const form = await owner.get(PATH);
    await put({ business: { tax_id: 'theirs' } });
    const both = { 'business/tax_id': 'mine', 'business/email': 'mine@example.com' };
    const page = await owner.submit(form, '/settings/business', both);
    assert.equal(page.status, 422);
    assert.match(
      page.html,
      /id="field-business\/tax_id-wrong">Somebody has changed this meanwhile, to theirs\. Send/,
    );
    assert.equal((await settings()).business.email, '', 'nothing is written');
    assert.equal(formIn(page, '/settings/business').fields['business/tax_id'], 'mine');
    await owner.submit(page, '/settings/business', { 'business/tax_id': 'theirs' });
    const { business } = await settings();
    assert.deepEqual([business.tax_id, business.email], ['theirs', 'mine@example.com']);
    for (const seen of ['', 'no JSON', '[]', '{"business/tax_id":{}}'])
      assert.equal((await owner.submit(form, '/settings/business', { seen })).status, 303, seen);
    await put({ business });
    const unchanged = await owner.submit(form, '/settings/business');
    assert.equal(unchanged.status, 303);
    assert.deepEqual((await settings()).business, business, 'what was not touched stays');
  });

  test('of two who save at the same moment keep one, and the other is told of it', async () => {
    await put({ business: null });
    const form = await owner.get(PATH);
    const saves = ['mine', 'yours'].map((value) =>
      owner.submit(form, '/settings/business', {
        'business/tax_id': value,
        'business/email': 'shop@example.com',
      }),
    );
    const pages = await Promise.all(saves);
    assert.deepEqual(pages.map(({ status }) => status).toSorted(), [303, 422]);
    const late = pages.findIndex(({ status }) => status === 422);
    const page = pages[late];
    assert.ok(page);
    const [kept, typed] = late === 1 ? ['mine', 'yours'] : ['yours', 'mine'];
    assert.match(
      page.html,
      new RegExp(`tax_id-wrong">Somebody has changed this meanwhile, to ${kept}\\. Send`),
    );
    assert.equal(formIn(page, '/settings/business').fields['business/tax_id'], typed);
    assert.equal((await settings()).business.tax_id, kept);
    const { status } = await owner.submit(page, '/settings/business');
    assert.deepEqual([status, (await settings()).business.tax_id], [303, typed]);
  });

  test('of two who save different fields at the same moment keep both', async () => {
    await put({ business: null });
    const form = await owner.get(PATH);
    const changes = [{ 'business/tax_id': 'mine' }, { 'business/email': 'yours@example.com' }];
    const pages = await Promise.all(changes.map((each) => owner.submit(form, '/settings/business', each)));
    assert.deepEqual(
      pages.map(({ status }) => status),
      [303, 303],
    );
    const { business } = await settings();
    assert.deepEqual([business.tax_id, business.email], ['mine', 'yours@example.com']);
  });

  test('have a secret of webhooks, and a new one is in one answer alone', async () => {
    const form = await owner.get(PATH);
    assert.doesNotMatch(form.html, SECRET);
    const made = await owner.submit(form, '/webhook-secret', { overlap_seconds: '3600' });
    const [secret = ''] = SECRET.exec(made.html) ?? assert.fail(textOf(made));
    assert.equal(made.headers.get('cache-control'), 'no-store');
    assert.match(textOf(made), /The one before signs too, until/);
    const again = await owner.submit(form, '/webhook-secret', { overlap_seconds: '3600' });
    assert.equal(SECRET.exec(again.html)?.[0], secret, 'a form that is sent twice makes one');
    const rotations = await service.database.query(
      "SELECT action FROM audit WHERE action = 'rotate_webhook_secret'",
    );
    assert.equal(rotations.length, 1);
    assert.doesNotMatch((await owner.get(PATH)).html, SECRET);
    const wrong = await owner.submit(await owner.get(PATH), '/webhook-secret', { overlap_seconds: 'long' });
    assert.equal(wrong.status, 422);
    assert.match(textOf(wrong), /overlap_seconds must be/);
  });

  test('ask anew who somebody is before a secret is made', async (t) => {
    const { visitor } = await signedInVisitor(service, { email: 'later@example.com' });
    realNow = () => Date.now() + 11 * 60_000;
    t.after(() => {
      realNow = Date.now;
    });
    const asked = await visitor.submit(await visitor.get(PATH), '/webhook-secret');
    assert.match(textOf(asked), /Is it you\?/);
    const made = await visitor.submit(asked, '/webhook-secret', { confirm_password: PASSWORD });
    assert.match(made.html, SECRET);
  });

  test('are for owners alone, in forms with their token, in their own account', async () => {
    const { owner: _, ...others } = visitors;
    const parts = ['business', 'branding', 'policy', 'api', 'webhook-secret'];
    const actions = [
      { method: 'GET', path: PATH },
      ...parts.map((part) => ({ method: 'POST', path: `${PATH}/${part}` }) as const),
    ] as const;
    const before = await settings();
    for (const visitor of Object.values(others))
      for (const action of actions) await assertForbidden(visitor, action);
    await assertNotElsewhere(owner, actions);
    for (const part of parts) await assertTokenNeeded(owner, `${PATH}/${part}`);
    assert.deepEqual(await settings(), before);
  });

  test('show texts as texts, whatever is in them', async () => {
    await put({ business: { address_lines: ['plain'], tax_id: 'plain' } });
    const plain = await owner.get(PATH);
    for (const text of texts.filter(({ length }) => length <= 100)) {
      const answer = await put({ business: { address_lines: [text], tax_id: text } });
      if (answer.status !== 200) continue;
      const page = await owner.get(PATH);
      assertSameShape(page, plain, text);
      const { fields } = formIn(page, '/settings/business');
      assert.deepEqual(
        [fields['business/address_lines'], fields['business/tax_id']],
        [text.trim(), text.trim()],
      );
    }
  });
});
