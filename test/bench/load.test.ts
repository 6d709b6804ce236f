/** The load generator: its requests, what it reads of answers, and its figures, against a server of this process. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { readAnswers } from '../../bench/load/answers.ts';
import { type Generator, type Request, type Subjects, startGenerator } from '../../bench/load/job.ts';
import { createLatencies } from '../../bench/load/latencies.ts';
import { newest, subjectAt, writeSubjects } from '../../bench/load/subjects.ts';
import { templateOf, writeSlots } from '../../bench/load/template.ts';

suite('templates of requests', () => {
  const request = {
    method: 'PUT',
    path: '/things/{subject}',
    headers: { 'idempotency-key': 'key-{count}' },
    body: '{"quantity":{digits},"twice":{digits}}',
  } as const;

  test('have their places filled anew each time, and the length of their body', () => {
    const { bytes, slots } = templateOf(request, 3);
    const subjects = Buffer.from('abcdef');
    writeSlots(bytes, slots, subjects, 3, 1_234_567);
    const [head = '', body = ''] = bytes.toString('latin1').split('\r\n\r\n');
    assert.match(head, /^PUT \/things\/def HTTP\/1\.1\r\n/);
    assert.match(head, /\r\nidempotency-key: key-00000001234567\r\n/);
    assert.match(head, new RegExp(`\r\ncontent-length: ${body.length}$`));
    assert.deepEqual(JSON.parse(body), { quantity: 2567, twice: 2567 });
    writeSlots(bytes, slots, subjects, 0, 1_234_568);
    assert.match(bytes.toString('latin1'), /things\/abc[\s\S]*key-00000001234568[\s\S]*2568/);
  });
});

suite('answers', () => {
  const answer = (status: number, body: string) =>
    Buffer.from(`HTTP/1.1 ${status} Fine\r\nContent-Length: ${body.length}\r\n\r\n${body}`);

  test('are complete with their last byte, however they are cut', () => {
    const bytes = answer(201, 'x'.repeat(40));
    for (let cut = 1; cut < bytes.length; cut++) {
      const answers = readAnswers();
      assert.equal(answers.take(bytes, cut), 0, `${cut}`);
      const rest = bytes.subarray(cut);
      assert.equal(answers.take(rest, rest.length), 201, `${cut}`);
      assert.equal(answers.length(), bytes.length);
      assert.equal(answers.take(answer(404, ''), answer(404, '').length), 404);
    }
  });

  test('that are longer than they say, or do not say it, are mistakes', () => {
    const long = Buffer.concat([answer(200, 'a'), Buffer.from('b')]);
    assert.throws(() => readAnswers().take(long, long.length), /more came/);
    const chunked = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
    assert.throws(() => readAnswers().take(chunked, chunked.length), /no content-length/);
  });
});

suite('latencies', () => {
  test('have the percentiles of what was added', () => {
    const latencies = createLatencies();
    for (let ms = 1; ms <= 1000; ms++) latencies.add(ms);
    assert.equal(latencies.percentile(0.5), 500);
    assert.equal(latencies.percentile(0.99), 990);
    assert.equal(latencies.percentile(1), 1000);
    assert.equal(latencies.longest(), 1000);
  });

  test('of nothing are no number', () => {
    assert.ok(Number.isNaN(createLatencies().percentile(0.99)));
  });
});

suite('the load generator', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-load-'));
  const seen = new Set<string>();
  /** A pause of the server for all requests, once. */
  let pauseMs = 0;
  const server = createServer((request, response) => {
    seen.add(request.url ?? '');
    if (pauseMs > 0) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
      pauseMs = 0;
    }
    const status = request.url === '/refused' ? 409 : 200;
    response.writeHead(status, { 'content-length': 2 }).end('ok');
  });
  let url = '';
  let generator: Generator;
  let subjects: Subjects;

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    generator = await startGenerator();
    const writing = writeSubjects(join(directory, 'subjects'));
    for (const subject of ['one', 'two', 'six', 'ten']) writing.add(subject);
    subjects = writing.end();
  });
  after(async () => {
    await generator.stop();
    server.close();
    rmSync(directory, { recursive: true });
  });

  const get = (path: string): Request => ({ method: 'GET', path, headers: {} });
  const job = { connections: 4, seconds: 0.5 };

  test('draws from the subjects that it is given, and counts what is answered', async () => {
    seen.clear();
    const requests = [{ ...get('/{subject}'), subjects: newest(subjects, 2) }];
    const load = await generator.run({ ...job, urls: [url], requests });
    assert.deepEqual([...seen].sort(), ['/six', '/ten']);
    assert.equal(subjectAt(newest(subjects, 2), 1), 'ten');
    assert.ok(load.answered > 10);
    assert.ok(load.cpuUs > 0);
  });

  test('ends after as many requests as it is told', async () => {
    const load = await generator.run({
      ...job,
      connections: 1,
      seconds: 30,
      urls: [url],
      requests: [get('/')],
      most: 7,
    });
    assert.equal(load.answered, 7);
  });

  test('of an open loop sends at its rate, and counts from when a request was due', async () => {
    pauseMs = 200;
    const load = await generator.run({
      ...job,
      connections: 1,
      seconds: 1,
      urls: [url],
      requests: [get('/')],
      perSecond: 100,
    });
    assert.equal(load.answered, 100);
    // A fifth of all was due while nobody answered.
    assert.ok(load.p95Ms > 100, `${load.p95Ms}`);
    assert.ok(load.longestMs >= 200, `${load.longestMs}`);
  });

  test('fails where something is refused', async () => {
    const refused = generator.run({ ...job, urls: [url], requests: [get('/refused')] });
    await assert.rejects(refused, /GET \/refused: \d+ × 409/);
  });
});
