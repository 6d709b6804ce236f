/** An export of sessions is made while it is read: of pages that fail, and readers that leave. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiAnswer, ApiCaller } from '../../src/dashboard/api.ts';
import { jsonLines, pagesFrom } from '../../src/dashboard/export.ts';
import { type FormatName, formats } from '../../src/dashboard/sessions/export.ts';
import { sessionsFile } from '../../src/dashboard/sessions/export-queue.ts';
import type { Session } from '../../src/dashboard/sessions/view.ts';
import { mockTimers } from '../support/timers.ts';

type Page = ApiAnswer<Session[]>;

const session = (id: string, fields: Partial<Session> = {}): Session =>
  ({
    created_at: '2030-01-31T12:00:00.000Z',
    id,
    reference_id: '',
    transaction_description: '',
    customer: '',
    customer_details: { name: '', email: '' },
    invoice_currency: 'EUR',
    amount: 100,
    amount_paid: 0,
    status: 'active',
    payment_status: 'unpaid',
    expires_at: null,
    url: '',
    ...fields,
  }) as Session;

const pageOf = (ids: readonly string[], nextCursor: string | null) =>
  ({ ok: true, status: 200, etag: '', data: ids.map((id) => session(id)), nextCursor }) as const;
const failed = (status: number): Page => ({ ok: false, status, mistakes: [] });

/** An API that answers with one page after the other, and keeps what it was asked for. */
function apiOf(answer: (number: number) => Page): { api: ApiCaller; asked: string[] } {
  const asked: string[] = [];
  const get = async (url: string) => {
    asked.push(url);
    return answer(asked.length);
  };
  return { api: { get, send: get } as unknown as ApiCaller, asked };
}

const list = { path: '/v3/checkout', query: new URLSearchParams({ status: 'active' }) };
const first = pageOf(['a'], 'a');

async function textOf(content: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of content) text += piece;
  return text;
}

suite('an export', () => {
  test('goes on from cursor to cursor with the same filters', async () => {
    const { api, asked } = apiOf((number) => (number === 1 ? pageOf(['b', 'c'], 'c') : pageOf(['d'], null)));
    const lines = await textOf(jsonLines(pagesFrom(api, list, first)));
    assert.deepEqual(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
      ['a', 'b', 'c', 'd'],
    );
    assert.deepEqual(asked, [
      '/v3/checkout?status=active&limit=50&after=a',
      '/v3/checkout?status=active&limit=50&after=c',
    ]);
  });

  test('asks for more at once where each page is looked for among all that is found', async () => {
    const { api, asked } = apiOf(() => pageOf(['b'], null));
    for (const query of ['q=ada', 'metadata[order_id]=A-7']) {
      await textOf(
        jsonLines(pagesFrom(api, { path: '/v3/checkout', query: new URLSearchParams(query) }, first)),
      );
    }
    assert.deepEqual(
      asked.map((url) => new URL(url, 'http://localhost').searchParams.get('limit')),
      ['100', '100'],
    );
  });

  test('waits where it asks too often, and for a service without time', async (context) => {
    const timers = mockTimers(context, ['setTimeout']);
    const { api, asked } = apiOf((number) =>
      number < 3 ? failed(number === 1 ? 429 : 503) : pageOf(['b'], null),
    );
    const whole = textOf(jsonLines(pagesFrom(api, list, first)));
    for (let i = 0; i < 40; i++) {
      await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      timers.tick(1_000);
    }
    assert.equal((await whole).trimEnd().split('\n').length, 2);
    assert.equal(asked.length, 3);
  });

  test('breaks off where the API refuses to go on, so that nobody takes a part for the whole', async () => {
    const { api } = apiOf(() => failed(500));
    await assert.rejects(textOf(jsonLines(pagesFrom(api, list, first))), /ended early: 500/);
  });

  test('asks for no more than is read, and for nothing once the reader has left', async () => {
    const ids = Array.from({ length: 100 }, (_, place) => `chk_${place}`);
    const { api, asked } = apiOf(() => pageOf(ids, 'next'));
    const file = Readable.from(jsonLines(pagesFrom(api, list, first)), { objectMode: false });
    const reader = file[Symbol.asyncIterator]();
    for (let i = 0; i < 3; i++) await reader.next();
    await pause(20);
    const pages = asked.length;
    assert.ok(pages <= 8, `${pages} pages for 3 pieces`);
    file.destroy();
    await pause(20);
    assert.ok(asked.length <= pages + 1);
  });
});

suite('a file of sessions', () => {
  const bytesOf = (ids: readonly string[], next_cursor: string | null) =>
    Buffer.from(JSON.stringify({ data: ids.map((id) => session(id)), next_cursor }));

  /** An answer as it is written: a long part of memory, and a short one that it shares. */
  const inPieces = (page: Buffer): readonly Uint8Array[] => {
    const whole = new Uint8Array(new ArrayBuffer(page.length));
    whole.set(page);
    const middle = page.length - 2;
    return [whole.subarray(0, middle), Buffer.from(page.subarray(middle))];
  };

  /** The file of all pages that an API answers; each is asked for by the cursor before it. */
  function fileOf(format: FormatName, pages: ReadonlyArray<Buffer | number>) {
    const asked: string[] = [];
    const api = {
      async pieces(url: string) {
        asked.push(url);
        const page = pages[asked.length] ?? 500;
        return typeof page === 'number'
          ? ({ ok: false, status: page, mistakes: [] } as const)
          : ({ ok: true, data: inPieces(page) } as const);
      },
    };
    const content = sessionsFile({
      api,
      tenant: '1 test',
      list,
      format,
      first: inPieces(pages[0] as Buffer),
    });
    return { asked, text: () => Readable.from(content, { objectMode: false }).setEncoding('utf8').toArray() };
  }

  test('has every page, in lines that a thread has made', async () => {
    const ids = Array.from({ length: 50 }, (_, place) => `chk_${place}`);
    const pages = [bytesOf(ids, 'chk_49'), bytesOf(['chk_50'], 'chk_50'), bytesOf([], null)];
    const csv = fileOf('csv', pages);
    const lines = (await csv.text()).join('').trimEnd().split('\r\n');
    assert.match(lines[0] ?? '', /^created_at,id,reference_id,/);
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',')[1]),
      [...ids, 'chk_50'],
    );
    assert.deepEqual(csv.asked, [
      '/v3/checkout?status=active&limit=50&after=chk_49',
      '/v3/checkout?status=active&limit=50&after=chk_50',
    ]);
    const jsonl = (await fileOf('jsonl', pages).text()).join('');
    assert.deepEqual(
      jsonl
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [...ids, 'chk_50'].map((id) => session(id)),
    );
  });

  test('waits for a service without time, and breaks off where it is refused', async () => {
    const waiting = fileOf('csv', [bytesOf(['chk_1'], 'chk_1'), 503, bytesOf(['chk_2'], null)]);
    assert.match((await waiting.text()).join(''), /,chk_1,[\s\S]*,chk_2,/);
    await assert.rejects(fileOf('csv', [bytesOf(['chk_1'], 'chk_1'), 403]).text(), /ended early: 403/);
  });

  test('breaks off where the thread has failed, and the next one has a thread again', async () => {
    await assert.rejects(fileOf('csv', [Buffer.from('{"data":')]).text(), /thread that exports has failed/);
    assert.match((await fileOf('csv', [bytesOf(['chk_1'], null)]).text()).join(''), /,chk_1,/);
  });
});

suite('a cell of CSV', () => {
  for (const [value, cell] of [
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['a "b"', '"a ""b"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', `'=1+1`],
    ['+49', `'+49`],
    ['-1', `'-1`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\t=1', `'\t=1`],
    ['＝1', `'＝1`],
    ['a=1', 'a=1'],
  ] as const) {
    test(`of ${JSON.stringify(value)}`, () => {
      const line = formats.csv.linesOf([session('chk_1', { transaction_description: value })]);
      assert.ok(line.includes(`,chk_1,,${cell},,`));
    });
  }
});
