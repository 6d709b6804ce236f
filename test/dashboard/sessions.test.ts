/** The list of sessions in the dashboard: filters, pages, and what is exported. */
import assert from 'node:assert/strict';
import { after, before, mock, suite, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import type { UserId } from '../../src/users/user.ts';
import type { UserCommand } from '../../src/users/user-commands.ts';
import { createSession, pay } from '../api/shop.ts';
import { createVisitor, type Page, signedInVisitor, textOf, type Visitor } from '../support/dashboard.ts';
import { takeLivePayments } from '../support/live-payments.ts';
import { startService, type TestService } from '../support/service.ts';
import { changeUser } from '../support/users.ts';

const ends: Array<() => Promise<void>> = [];
let till: TestService;
let visitor: Visitor;

const LIST = '/dashboard/1/test/sessions';

before(async () => {
  till = await startService({ after: (hook) => ends.push(hook) });
  ({ visitor } = await signedInVisitor(till, { role: 'read_only' }));
});
after(async () => {
  for (const end of ends) await end();
});

/** References in the rows of a page, in order. */
const references = ({ html }: Page): string[] =>
  [...html.matchAll(/<a data-row href="[^"]*">([^<]*)<\/a>/g)].map(([, reference = '']) => reference);

/** Addresses of the links that say this. */
function hrefOf({ html }: Page, text: string): string {
  const found = [...html.matchAll(/<a\b[^>]*href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)].find(([, , inner = '']) =>
    inner.replaceAll(/<[^>]*>/g, '').startsWith(text),
  );
  assert.ok(found, `no link ${text}`);
  return (found[1] ?? '').replaceAll('&amp;', '&');
}

suite('an account without sessions', () => {
  test('says what to do, by what the role may', async () => {
    const empty = await visitor.get(LIST);
    assert.equal(empty.status, 200);
    assert.match(textOf(empty), /Nobody has been asked for money yet Sessions appear here/);
    assert.doesNotMatch(empty.html, /sessions\/new/);
    const { visitor: owner } = await signedInVisitor(till, { email: 'owner@example.com' });
    const other = await owner.get(LIST);
    assert.match(textOf(other), /Create a session, and send its link/);
    assert.equal(hrefOf(other, 'New session'), `${LIST}/new`);
  });
});

suite('sessions of all kinds', () => {
  before(async () => {
    const paid = await createSession(till, { reference_id: 'paid', amount: 4250, invoice_currency: 'EUR' });
    await pay(till, paid.id);
    const partly = await createSession(till, {
      reference_id: 'partly',
      amount: 5000,
      invoice_currency: 'USD',
      metadata: { order_id: 'A-7', shop: 'north' },
    });
    await pay(till, partly.id, { amount: 1000 });
    const excess = await createSession(till, {
      reference_id: 'excess',
      amount: 300,
      invoice_currency: 'JPY',
    });
    await pay(till, excess.id, { amount: 400 });
    const expired = await createSession(till, {
      reference_id: 'expired',
      amount: 1234,
      invoice_currency: 'KWD',
      customer_details: { name: 'Bob Byte', email: 'bob@example.com' },
    });
    await till.call('POST', `/v3/checkout/${expired.id}/expire`);
  });

  test('are shown newest first, with amounts of their currencies', async () => {
    const page = await visitor.get(LIST);
    assert.deepEqual(references(page), ['expired', 'excess', 'partly', 'paid']);
    const text = textOf(page);
    for (const part of [
      'KWD 1.234',
      '¥300',
      '¥400',
      '$50.00',
      '$10.00',
      '€42.50',
      'Bob Byte',
      'partial',
      'excess',
    ]) {
      assert.ok(text.includes(part.replace(' ', '\u00a0')) || text.includes(part), part);
    }
    assert.match(page.html, /<a href="\/dashboard\/1\/test\/sessions" aria-current="page">Payments<\/a>/);
  });

  for (const [query, expected] of [
    ['q=part', ['partly']],
    ['q=bob%40ex', ['expired']],
    ['status=active', ['partly']],
    ['status=completed&payment_status=paid', ['excess', 'paid']],
    ['status=expired', ['expired']],
    ['payment_status=unpaid&partially_paid=false', ['expired']],
    ['invoice_currency=usd', ['partly']],
    ['reference_id=paid', ['paid']],
    ['partially_paid=true', ['partly']],
    ['paid_in_excess=true', ['excess']],
    ['invoice_currency=EUR&amount[gte]=42.5&amount[lte]=42.50', ['paid']],
    ['invoice_currency=EUR&amount[gte]=42.51', []],
    ['invoice_currency=KWD&amount[gte]=1.234', ['expired']],
    ['invoice_currency=JPY&amount[lte]=300', ['excess']],
    ['metadata[order_id]=A-7', ['partly']],
    ['metadata[order_id]=A-7&metadata_key=shop&metadata_value=south', []],
    ['metadata_key=shop&metadata_value=north', ['partly']],
    ['created_at[gte]=2000-01-01&created_at[lt]=2001-01-01', []],
    ['created_at[gte]=2000-01-01&q=&status=&customer=', ['expired', 'excess', 'partly', 'paid']],
    ['created_at[lt]=2100-01-01T12:00:00Z&status=active', ['partly']],
  ] as const) {
    test(`filters by ${query}`, async () => {
      const page = await visitor.get(`${LIST}?${query}`);
      assert.equal(page.status, 200, textOf(page));
      assert.deepEqual(references(page), expected);
      if (expected.length === 0) assert.match(textOf(page), /No session matches/);
    });
  }

  test('shows the filters that are set, and each link removes one', async () => {
    const page = await visitor.get(
      `${LIST}?status=completed&metadata[a b]=%3C&q=pa&after=chk_00000000000000000000`,
    );
    assert.equal(hrefOf(page, 'Status: completed'), `${LIST}?q=pa&metadata%5Ba+b%5D=%3C`);
    assert.equal(hrefOf(page, 'a b: &lt;'), `${LIST}?q=pa&status=completed`);
    const one = await visitor.get(`${LIST}?status=completed`);
    assert.equal(hrefOf(one, 'Status: completed'), LIST);
    // The form goes on from what is set.
    assert.match(page.html, /<input type="hidden" name="metadata\[a b\]" value="&lt;">/);
    assert.match(one.html, /<option value="completed" selected>/);
  });

  for (const [query, name, words, typed] of [
    ['status=gone', 'status', /status must be one of/, '<option value="gone" selected>'],
    ['invoice_currency=XXX', 'invoice_currency', /invoice_currency must be/, 'value="XXX"'],
    [
      'created_at[gte]=yesterday',
      'created_at[gte]',
      /created_at\[gte\] must be/,
      'type="text" value="yesterday"',
    ],
    ['invoice_currency=EUR&amount[lte]=1.234', 'amount[lte]', /at most 2 digits behind/, 'value="1.234"'],
    ['invoice_currency=EUR&amount[gte]=1,50', 'amount[gte]', /such as 12\.50/, 'value="1,50"'],
    ['invoice_currency=JPY&amount[gte]=1.0', 'amount[gte]', /no decimal point, such as 1250/, 'value="1.0"'],
    ['amount[gte]=12', 'amount[gte]', /needs its currency/, 'value="12"'],
    [
      'amount[gte]=9999999999999999&invoice_currency=EUR',
      'amount[gte]',
      /too large/,
      'value="9999999999999999"',
    ],
  ] as const) {
    test(`tells in its place what is wrong with ${query}, and keeps what was typed`, async () => {
      for (const path of [LIST, `${LIST}.csv`]) {
        const page = await visitor.get(`${path}?${query}`);
        assert.equal(page.status, 422);
        const wrong = new RegExp(`id="field-${name.replace(/[[\]]/g, '\\$&')}-wrong">([^<]*)<`).exec(
          page.html,
        );
        assert.match(wrong?.[1] ?? '', words);
        assert.ok(page.html.includes(typed), typed);
        assert.deepEqual(references(page), []);
        assert.equal(page.html.match(/class="wrong"/g)?.length, 1);
      }
    });
  }

  test('tells all mistakes at once', async () => {
    const page = await visitor.get(
      `${LIST}?status=gone&invoice_currency=EUR&amount[gte]=x&customer=${'c'.repeat(65)}`,
    );
    assert.equal(page.html.match(/class="wrong"/g)?.length, 3);
  });

  test('a filter that comes twice is refused, and its name is text', async () => {
    for (const path of [LIST, `${LIST}.csv`]) {
      const page = await visitor.get(`${path}?status=active&status=completed`);
      assert.equal(page.status, 400);
      assert.match(textOf(page), /status came more than once/);
    }
    const named = await visitor.get(`${LIST}?%3Cb%3E=1&%3Cb%3E=2`);
    assert.ok(named.html.includes('&lt;b&gt; came more than once'));
  });

  test('a cursor that is none is told above the form', async () => {
    const page = await visitor.get(`${LIST}?after=x`);
    assert.equal(page.status, 422);
    assert.match(page.html, /role="alert"><p>after has characters that are not allowed/);
  });
});

suite('thousands of sessions', () => {
  const COUNT = 2_150;
  let shop: Visitor;
  const list = '/dashboard/2/test/sessions';

  before(async () => {
    await createAccount(till.service.store, 'Large Shop', Date.now());
    const { authorization } = await till.createKey({ account: 2 });
    for (let made = 0; made < COUNT; made += 50) {
      const batch = Array.from({ length: 50 }, (_, place) => ({
        reference_id: `r${made + place}`,
        invoice_currency: place % 2 === 0 ? 'EUR' : 'JPY',
        transaction_description: place === 7 ? '=HYPERLINK("https://evil.example","x")' : '',
        customer_details: { email: `a${place}@example.com`, name: place === 8 ? '+1+1' : 'Ann, "A"' },
      }));
      await Promise.all(batch.map((fields) => createSession(till, fields, { authorization })));
    }
    ({ visitor: shop } = await signedInVisitor(till, {
      account: 2,
      role: 'support',
      email: 'large@example.com',
    }));
  });

  test('are shown page by page, and lead back to the newest', async () => {
    const seen = new Set<string>();
    let page = await shop.get(`${list}?invoice_currency=EUR`);
    assert.doesNotMatch(page.html, />Newest</);
    for (let pages = 1; ; pages++) {
      for (const reference of references(page)) seen.add(reference);
      if (!page.html.includes('>Older<')) {
        assert.equal(pages, Math.ceil(COUNT / 2 / 50));
        break;
      }
      assert.equal(references(page).length, 50);
      page = await shop.get(hrefOf(page, 'Older'));
      assert.equal(hrefOf(page, 'Newest'), `${list}?invoice_currency=EUR`);
    }
    assert.equal(seen.size, COUNT / 2);
  });

  test('are exported as CSV, in which nothing runs', async () => {
    const file = await shop.get(`${list}.csv`);
    assert.equal(file.status, 200);
    assert.equal(file.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(file.headers.get('content-disposition'), 'attachment; filename="sessions-2-test.csv"');
    assert.equal(file.headers.get('cache-control'), 'no-store');
    const [head = '', ...lines] = file.html.split('\r\n').slice(0, -1);
    assert.match(head, /^created_at,id,reference_id,description,/);
    assert.equal(lines.length, COUNT);
    assert.equal(new Set(lines.map((line) => line.split(',')[1])).size, COUNT);
    assert.equal(file.html.match(/,"'=HYPERLINK\(""https/g)?.length, COUNT / 50);
    assert.equal(file.html.match(/,'\+1\+1,/g)?.length, COUNT / 50);
    assert.doesNotMatch(file.html, /(?:^|,)"?[=+\-@]/m);
    assert.ok(file.html.includes('"Ann, ""A""",a0@example.com,EUR,25.00,0.00,active,unpaid,'));
    assert.ok(file.html.includes(',JPY,2500,0,active,'));
  });

  test('are exported as JSON Lines, as the API has them', async () => {
    const file = await shop.get(`${list}.jsonl?invoice_currency=JPY`);
    assert.equal(file.headers.get('content-disposition'), 'attachment; filename="sessions-2-test.jsonl"');
    const rows = file.html
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(rows.length, COUNT / 2);
    assert.ok(rows.every((row) => row.object === 'checkout' && row.invoice_currency === 'JPY'));
  });
});

suite('an export whose reader meanwhile', () => {
  /** Reads an export, during whose third page something happens. */
  async function exported(email: string, happens: (reader: Visitor, id: UserId) => Promise<unknown>) {
    const { checkouts } = till.service.store;
    const { visitor: reader, user } = await signedInVisitor(till, { account: 2, role: 'finance', email });
    const { listSerialized } = checkouts;
    let pages = 0;
    const listed = mock.method(
      checkouts,
      'listSerialized',
      async (...asked: Parameters<typeof listSerialized>) => {
        if (++pages === 3) await happens(reader, user.id);
        return listSerialized(...asked);
      },
    );
    const isWhole = await reader.get('/dashboard/2/test/sessions.csv').then(
      () => true,
      () => false,
    );
    listed.mock.restore();
    return { pages, isWhole };
  }
  const change = (id: UserId, command: UserCommand) => changeUser(till.service.store, id, command);

  test('has lost the role ends, and is no whole file', async () => {
    const answer = await exported('removed@example.com', (_, id) =>
      change(id, { type: 'remove_role', account: 2, now: Date.now() }),
    );
    assert.deepEqual(answer, { pages: 3, isWhole: false });
  });

  test('was signed out ends, and is no whole file', async () => {
    const answer = await exported('signed.out@example.com', async (reader) => {
      const { status } = await reader.submit(await reader.get('/dashboard/profile'), '/sign-out');
      assert.equal(status, 303);
    });
    assert.deepEqual(answer, { pages: 3, isWhole: false });
  });

  test('got another role that may see it goes on to its end', async () => {
    const answer = await exported('changed@example.com', (_, id) =>
      change(id, { type: 'set_role', account: 2, role: 'support', now: Date.now() }),
    );
    assert.deepEqual(answer, { pages: 43, isWhole: true });
  });
});

test('a file that nobody reads is not made', async () => {
  const count = async () => {
    const text = await (await fetch(`${till.url}/metrics`)).text();
    const line = /duration_seconds_count\{method="GET",route="\/v3\/checkout",status="200"\} (\d+)/.exec(
      text,
    );
    return Number(line?.[1] ?? assert.fail('nothing was listed'));
  };
  const { visitor: owner } = await signedInVisitor(till, { account: 2, email: 'head@example.com' });
  const before = await count();
  const response = await fetch(`${till.url}/dashboard/2/test/sessions.csv`, {
    method: 'HEAD',
    headers: { cookie: owner.cookie() },
  });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment/);
  // A file would be made behind the answer, while others are answered.
  for (let asked = 0; asked < 10; asked++) assert.equal((await owner.get('/dashboard/profile')).status, 200);
  assert.equal(await count(), before + 1);
});

suite('where somebody may not look', () => {
  test('there is nothing: another account, another mode, nobody signed in', async () => {
    await takeLivePayments(till.service.store, 1);
    const live = await visitor.get('/dashboard/1/live/sessions');
    assert.deepEqual([live.status, references(live)], [200, []]);
    for (const path of [
      '/dashboard/2/test/sessions',
      '/dashboard/2/test/sessions.csv',
      '/dashboard/1/none/sessions',
    ]) {
      assert.equal((await visitor.get(path)).status, 404, path);
    }
    for (const path of [LIST, `${LIST}.csv`, `${LIST}.jsonl`]) {
      assert.equal((await createVisitor(till.url).get(path)).status, 401);
    }
  });
});
