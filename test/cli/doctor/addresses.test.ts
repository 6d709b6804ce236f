/** Addresses of the service: who answers there, and with which certificate. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite, after as suiteAfter, before as suiteBefore, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { examineAddresses } from '../../../src/cli/doctor/addresses.ts';
import { freePort } from '../../../src/cli/free-port.ts';
import { readConfig } from '../../../src/config/read.ts';
import { cleanUp, type Ends } from '../../support/clean-up.ts';
import { freshDirectory } from '../../support/process.ts';
import { serveHere } from '../../support/service.ts';
import { certificateFor } from '../../webhooks/build-certificate.ts';
import { examined, found, wrongIn } from './findings.ts';

suite('doctor finds an address', () => {
  async function elsewhere(t: Ends, answer: string): Promise<string> {
    const server = createServer((_request, response) => response.end(answer)).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('of its own for operators', async () => {
    await using t = cleanUp();
    const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
    const OPERATIONS_PORT = String(await freePort());
    const server = await serveHere(t, { DATABASE_URL, OPERATIONS_PORT });
    const findings = await examined(t, { DATABASE_URL, PORT: String(server.port), OPERATIONS_PORT });
    found(
      findings,
      'addresses',
      new RegExp(`^The service answers at http://127\\.0\\.0\\.1:${OPERATIONS_PORT}\\.$`),
    );
    const forgotten = await examined(t, { DATABASE_URL, PORT: String(server.port) });
    assert.match(
      found(forgotten, 'addresses', /is answered with 404: .* OPERATIONS_PORT /).advice,
      /the settings of the service/,
    );
    const wanted = { DATABASE_URL, PORT: String(server.port), OPERATIONS_PORT: String(await freePort()) };
    assert.match(
      found(await examined(t, wanted), 'addresses', /^Nothing answers at /).text,
      new RegExp(`:${wanted.OPERATIONS_PORT},`),
    );
  });

  test('at which somebody else answers, or another opentill, or nobody', async () => {
    await using t = cleanUp();
    const directory = freshDirectory(t);
    const DATABASE_URL = `sqlite:${join(directory, 'till.db')}`;
    const { port } = await serveHere(t, { DATABASE_URL });
    const examine = async (PUBLIC_URL: string) => {
      const findings = await examined(t, { DATABASE_URL, PORT: String(port), PUBLIC_URL });
      assert.deepEqual(wrongIn(findings), ['addresses']);
      return findings.find(({ status }) => status === 'wrong')?.text ?? '';
    };
    assert.match(await examine(await elsewhere(t, 'hello')), /and not by opentill\.$/);
    const other = '{"servers":[{"url":"https://pay.example.com"}]}';
    assert.match(
      await examine(await elsewhere(t, other)),
      /names https:\/\/pay\.example\.com as its address/,
    );
    assert.match(await examine(`http://127.0.0.1:${await freePort()}`), /does not answer: .*ECONNREFUSED/);
    assert.match(await examine(`https://127.0.0.1:${port}`), /does not answer: /);
  });

  test('that is not encrypted, or behind a proxy that is not named', async () => {
    await using t = cleanUp();
    const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
    // The names exist nowhere (RFC 6761), so nobody is asked.
    const plain = await examined(t, { DATABASE_URL, PUBLIC_URL: 'http://pay.invalid' });
    assert.equal(found(plain, 'addresses', /is not encrypted/).status, 'wrong');
    const behind = await examined(t, { DATABASE_URL, PUBLIC_URL: 'https://pay.invalid' });
    assert.deepEqual(wrongIn(behind), []);
    assert.equal(found(behind, 'addresses', /TRUST_PROXY names none/).status, 'advice');
    const named = {
      DATABASE_URL,
      PUBLIC_URL: 'https://pay.invalid',
      TRUST_PROXY: '127.0.0.1',
      BOOTSTRAP_API_KEY: 'ak_test_canary:sk_test_canary',
    };
    const last = await examined(t, named);
    assert.equal(found(last, 'addresses', /^TRUST_PROXY names the proxy: 127/).status, 'ok');
    assert.equal(found(last, 'settings', /^BOOTSTRAP_API_KEY is for development/).status, 'advice');
  });
});

suite('doctor looks at a certificate', () => {
  const known = certificateFor('localhost');
  const stranger = certificateFor('localhost');
  const before = getCACertificates('default');
  suiteBefore(() => setDefaultCACertificates([...before, known.cert]));
  suiteAfter(() => setDefaultCACertificates(before));

  /** A proxy that passes on what the service says of itself, and shows metrics too. */
  async function findingsBehind(t: Ends, certificate: { readonly key: string; readonly cert: string }) {
    const server = createTlsServer(certificate, (request, response) => {
      response.writeHead(/^\/(openapi\.json|metrics)$/.test(request.url ?? '') ? 200 : 404);
      response.end(JSON.stringify({ servers: [{ url: PUBLIC_URL }] }));
    }).listen(0, '127.0.0.1');
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const PUBLIC_URL = `https://localhost:${(server.address() as AddressInfo).port}`;
    const values = readConfig({ PUBLIC_URL, PORT: String(await freePort()), TRUST_PROXY: '127.0.0.1' });
    return (await examineAddresses(values, false)).map(({ status, text }) => `${status} ${text}`);
  }

  test('that ends soon, and at metrics that everybody sees', async () => {
    await using t = cleanUp();
    const findings = await findingsBehind(t, known);
    assert.ok(
      findings.some((each) =>
        /^advice The certificate of localhost expires on \d{4}-\d\d-\d\d\.$/.test(each),
      ),
      findings.join('\n'),
    );
    assert.ok(findings.some((each) => /^ok https:\/\/localhost:\d+ leads to the service\.$/.test(each)));
    assert.ok(findings.some((each) => /^advice https:.*\/metrics is open to everybody\.$/.test(each)));
  });

  test('that nobody vouches for', async () => {
    await using t = cleanUp();
    const findings = await findingsBehind(t, stranger);
    assert.ok(
      findings.some((each) => /^advice https:\S+ does not answer: .*self-signed/.test(each)),
      findings.join('\n'),
    );
    assert.ok(!findings.some((each) => each.includes('expires')));
  });
});
