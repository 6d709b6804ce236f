/** Statements uploaded in the dashboard: looked at, imported, and refused, as a browser without JavaScript does it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { pino } from 'pino';
import { awaitTransfer, camt, configure, entries, eur, type Line, receiving } from '../api/bank.ts';
import { type Data, fetchSession, writesNothing } from '../api/shop.ts';
import { createVisitor, formIn, textOf, type Visitor } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { csv, csvMapping, OUR_IBAN } from '../support/statements.ts';
import { visitorsOf } from './roles.ts';

const failures: string[] = [];
const logger = pino({ level: 'error' }, { write: (line: string) => failures.push(line) });
const service = await startService({ after }, { logger });
const LIST = '/dashboard/1/test/bank/statements';
let finance: Visitor;
let owner: Visitor;

before(async () => {
  const euros = receiving({ id: 'euros', currency: 'EUR', iban: OUR_IBAN });
  await configure(service, { receivingAccounts: [eur, euros], csvMappings: { 'my-bank': csvMapping } });
  ({ finance, owner } = await visitorsOf(service));
});

const statements = async (): Promise<Data[]> => (await service.call('GET', '/v3/bank_statement')).json.data;
const look = async (content: string | Uint8Array<ArrayBuffer>, fields = {}, name = 'january.xml') =>
  finance.upload(await finance.get(LIST), '/preview', { name, content }, fields);

suite('a statement', () => {
  test('is looked at, imported, and the session that it pays is paid', async () => {
    const { id, reference } = await awaitTransfer(service, { amount: 1000 });
    assert.match(textOf(await finance.get(LIST)), /No statement was imported yet/);
    const content = camt([
      { amount: 1000, reference },
      { amount: 77, text: 'Who knows' },
    ]);
    const preview = await writesNothing(service, () => look(content));
    const text = textOf(preview);
    assert.match(
      text,
      /File january\.xml Format camt \(ISO 20022\) Entries 2 Known already 0 Would be settled 1 Would wait for a person 1/,
    );
    assert.match(text, /eur 2030-01-31 2 €10\.77 €0\.00/);
    assert.match(text, new RegExp(`€10\\.00 done €10\\.00 for ${id}`));
    assert.match(text, /Who knows €0\.77 open no match/);

    const answer = await finance.upload(preview, '/import', null);
    const page = await finance.follow(answer);
    assert.match(textOf(page), /The statement is imported\..*Entries 2 New 2 Settled 1 For a person 1/);
    assert.match(page.html, /See what waits/);
    assert.equal((await fetchSession(service, id)).payment_status, 'paid');
    const seen = await finance.get(`/dashboard/1/test/sessions/${id}`);
    assert.match(textOf(seen), /completed Payment paid .* local_bank_transfer_eur bank/);
    assert.match(textOf(await finance.get(LIST)), /january\.xml \S+ 2 2 1 1/);

    const twice = await finance.upload(preview, '/import', null);
    assert.equal(twice.location, answer.location, 'a form that is sent twice acts once');
    const again = await look(content);
    assert.match(textOf(again), /The file was imported before/);
    assert.doesNotMatch(again.html, /statements\/import"/);
  });

  test('that is too large for the page is chosen once more, and has to be the same', async () => {
    const lines = Array.from({ length: 900 }, (): Line => {
      return { amount: 1, direction: 'debit', text: randomBytes(60).toString('hex') };
    });
    const content = camt(lines);
    const preview = await look(content);
    assert.match(textOf(preview), /The same file again/);
    assert.doesNotMatch(preview.html, /name="carried"/);
    const before = await statements();
    const none = await finance.upload(preview, '/import', null);
    assert.deepEqual([none.status, textOf(none).includes('Choose a file.')], [422, true]);
    const other = await finance.upload(preview, '/import', {
      name: 'other.xml',
      content: camt(lines.slice(1)),
    });
    assert.equal(other.status, 400);
    assert.match(textOf(other), /This is not the file that you have looked at/);
    assert.deepEqual(await statements(), before);
    const same = await finance.upload(preview, '/import', { name: 'january.xml', content });
    assert.match(textOf(await finance.follow(same)), /Entries 900 New 900/);
  });

  test('that a page carries is not another one', async () => {
    const preview = await look(camt([{ amount: 5 }]));
    const other = formIn(await look(camt([{ amount: 6 }])), '/import').fields.carried ?? '';
    const before = await statements();
    for (const carried of [other, 'x', 'x'.repeat(70_000), '']) {
      const page = await finance.upload(preview, '/import', null, { carried });
      assert.ok([400, 422].includes(page.status), textOf(page));
    }
    assert.deepEqual(await statements(), before);
  });
});

suite('a wrong file', () => {
  test('shows its mistakes by line and column, and no way to import it', async () => {
    const line = { amount: '12.50', text: 'one', reference: 'R-0000000001' };
    const content = csv([line, { ...line, amount: '1,2,3' }, { ...line, amount: '' }]);
    const page = await look(content, { mapping: 'my-bank' }, 'wrong.csv');
    assert.match(
      textOf(page),
      /Mistakes Nothing of a file with a mistake is imported\. Line Entry Column Mistake 3 2 column "Amount" the amount "1,2,3" is not a number\. 4 3 column "Amount" the amount is empty\./,
    );
    assert.doesNotMatch(page.html, /statements\/import"/);
    const none = await look(content, {}, '<script>.csv');
    assert.match(textOf(none), /to be read as CSV it needs a mapping/);
    assert.doesNotMatch(none.html, /<script>\.csv/);
    assert.match(textOf(await look('%PDF-1.7')), /a PDF/);
  });

  test('without entries is not offered to be imported', async () => {
    const page = await look(camt([]));
    assert.match(textOf(page), /The file has no entries: there is nothing to import\./);
    assert.doesNotMatch(page.html, /statements\/import"/);
  });

  test('or none at all is refused beside the field', async () => {
    const page = await finance.upload(await finance.get(LIST), '/preview', null);
    assert.equal(page.status, 422);
    assert.match(page.html, /id="field-file-wrong">Choose a file\./);
    const gone = await look('x', { mapping: 'gone' });
    assert.equal(gone.status, 400);
    assert.match(textOf(gone), /mapping must be the name of a saved mapping/);
  });

  /** Sends the beginning of a form whose file has so many bytes, or which does not say how many. */
  async function begin(
    lengthBytes: number | null,
    action = '/preview',
    content = ' '.repeat(2 ** 16),
  ): Promise<Socket> {
    const form = formIn(await finance.get(LIST), '/preview');
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => {});
    const fields = Object.entries(form.fields).filter(([name]) => name !== 'file');
    const parts = fields.map(
      ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="x.xml"\r\n\r\n';
    const begun = `${parts.join('')}${head}${content}`;
    const length = lengthBytes === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${lengthBytes}`;
    const chunk = lengthBytes === null ? `${Buffer.byteLength(begun).toString(16)}\r\n${begun}\r\n` : begun;
    socket.write(
      `POST ${form.action.replace('/preview', action)} HTTP/1.1\r\nHost: x\r\nCookie: ${finance.cookie()}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: multipart/form-data; boundary=b\r\n${length}\r\n\r\n${chunk}`,
    );
    return socket;
  }
  const TOO_LARGE = /id="field-file-wrong">The file is too large: at most 64 MiB are taken here\./;

  for (const action of ['/preview', '/import'])
    test(`that is announced to be too large is refused before it comes: ${action}`, async () => {
      const socket = await begin(65 * 2 ** 20, action);
      let answer = '';
      for await (const piece of socket) {
        answer += piece;
        if (answer.includes('</html>')) break;
      }
      assert.match(answer, /^HTTP\/1\.1 413 /);
      assert.match(answer, TOO_LARGE);
    });

  for (const action of ['/preview', '/import'])
    test(`that comes in chunks is taken as any other: ${action}`, async () => {
      const socket = await begin(null, action, `${camt([{ amount: 5, text: 'In chunks' }])}\r\n--b--\r\n`);
      socket.write('0\r\n\r\n');
      let answer = '';
      for await (const piece of socket) {
        answer += piece;
        if (answer.includes('\r\n\r\n')) break;
      }
      assert.match(answer, action === '/preview' ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 303 /);
    });

  test('that is too large and does not say so is refused as soon as it is, and nothing more is read', async () => {
    const socket = await begin(null);
    const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(2 ** 16, 0x20), Buffer.from('\r\n')]);
    let sentBytes = 0;
    let answer = '';
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.on('data', (each) => {
      answer += each;
    });
    function send(): void {
      while (!socket.destroyed) {
        sentBytes += piece.length;
        if (!socket.write(piece)) break;
      }
    }
    socket.on('drain', send);
    send();
    await ended;
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, TOO_LARGE);
    assert.ok(sentBytes < 80 * 2 ** 20, `${sentBytes} bytes`);
  });
});

suite('a form with a file', () => {
  test('is refused without its token, and without a sign-in, whatever follows its fields', async () => {
    const page = await finance.get(LIST);
    const file = { name: 'x.xml', content: camt([{ amount: 5 }]) };
    for (const form_token of ['', 'x'.repeat(64)]) {
      const answer = await finance.upload(page, '/preview', file, { form_token });
      assert.equal(answer.status, 403, textOf(answer));
    }
    const nobody = await createVisitor(service.url).upload(page, '/preview', file);
    assert.equal(nobody.status, 401);
    assert.equal((await finance.get(LIST)).status, 200);
  });

  test('with its token behind the file, or with fields without end, is refused', async () => {
    const { action, fields } = formIn(await finance.get(LIST), '/preview');
    const send = (form: FormData) =>
      fetch(`${service.url}${action}`, {
        method: 'POST',
        headers: { cookie: finance.cookie(), 'sec-fetch-site': 'same-origin' },
        body: form,
      });
    const late = new FormData();
    late.append('file', new Blob(['x']), 'x.xml');
    late.append('form_token', fields.form_token ?? '');
    assert.equal((await send(late)).status, 403);
    const long = new FormData();
    long.append('form_token', 'x'.repeat(200_000));
    assert.equal((await send(long)).status, 413);
    const many = new FormData();
    for (let i = 0; i < 500; i++) many.append(`f${i}`, 'x');
    assert.equal((await send(many)).status, 413);
    const twice = new FormData();
    for (let i = 0; i < 2; i++) twice.append('form_token', fields.form_token ?? '');
    assert.equal((await send(twice)).status, 400);
  });

  test('that is damaged is refused in words, signed in or not, and is no failure of the service', async () => {
    const { action, fields } = formIn(await finance.get(LIST), '/preview');
    const part = (name: string, more: string, text: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}`;
    const token = `${part('form_token', '', fields.form_token ?? '')}\r\n`;
    const statement = camt([{ amount: 5 }]);
    const begun = `${token}${part('file', '; filename="x.xml"', statement)}`;
    const large = `${token}${part('file', '; filename="x.xml"', statement + ' '.repeat(300_000))}`;
    const typed = 'multipart/form-data; boundary=b';
    const rows: ReadonlyArray<readonly [type: string, body: string]> = [
      ['multipart/form-data', begun],
      ['multipart/form-data; boundary=', begun],
      [typed, 'garbage'],
      [typed, `${token}--b\r\nConte`],
      [typed, `${token}${part('mapping', '', 'cut')}`],
      [typed, begun],
      [typed, begun.slice(0, -100)],
      [typed, large],
    ];
    const before = await entries(service);
    for (const path of [action, action.replace('statements/preview', 'mappings/sample')])
      for (const cookie of [path === action ? finance.cookie() : owner.cookie(), ''])
        for (const [type, body] of rows) {
          const headers = { cookie, 'content-type': type, 'sec-fetch-site': 'same-origin' };
          const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body });
          const html = await answer.text();
          assert.ok(
            cookie === '' ? [400, 401].includes(answer.status) : [400, 403].includes(answer.status),
            `${path} ${type} ${answer.status} ${body.slice(-30)} ${textOf({ html })}`,
          );
        }
    assert.deepEqual(await entries(service), before);
    assert.deepEqual(failures, []);
  });

  for (const [what, mapping] of [
    ['in the middle', ''],
    ['behind the refusal of its mapping', 'nobody-has-it'],
  ] as const)
    test(`whose sender leaves ${what} imports nothing, and stops nobody`, async () => {
      const { action, fields } = formIn(await finance.get(LIST), '/preview');
      const before = await entries(service);
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      const part = (name: string, more: string, text: string) =>
        `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
      const begin =
        part('form_token', '', fields.form_token ?? '') +
        part('mapping', '', mapping) +
        part('file', '; filename="x.xml"', camt([])).slice(0, -20);
      const head = `POST ${action} HTTP/1.1\r\nHost: x\r\nCookie: ${finance.cookie()}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n${begin}`;
      await new Promise((resolve) => socket.write(head, resolve));
      if (mapping !== '') assert.match(`${(await once(socket, 'data'))[0]}`, /^HTTP\/1\.1 400 /);
      socket.destroy();
      assert.match(textOf(await look(camt([{ amount: 5 }]))), /Would wait for a person 1/);
      assert.deepEqual(await entries(service), before);
    });
});
