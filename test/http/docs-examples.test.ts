/** The reference: example requests, as somebody would copy them, and the bounds of a field. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldHead } from '../../scripts/reference/pages/fields.ts';
import { textOf } from '../../src/lib/html.ts';
import { cleanUp } from '../support/clean-up.ts';
import { startService } from '../support/service.ts';

test('addresses of example requests can be asked as they stand', async () => {
  await using t = cleanUp();
  const { url, key } = await startService(t);
  const page = await (await fetch(`${url}/docs`)).text();
  const examples = [...page.matchAll(/<code>curl (-g )?(?:&#39;(\S+)&#39;|(\S+)) /g)].map(
    ([, option, quoted, bare]) => ({ option, text: (quoted ?? bare ?? '').replaceAll('&amp;', '&') }),
  );
  assert.ok(examples.length > 50, String(examples.length));
  for (const { option, text } of examples) {
    // Without -g, brackets are a pattern of addresses to curl.
    assert.equal(option !== undefined, /[[\]{}]/.test(text), text);
    for (const [name, value] of new URL(text).searchParams) assert.notEqual(value, '', `${name} of ${text}`);
  }
  const asked = examples.filter(({ text }) => text.includes('?'));
  assert.ok(asked.length >= 3, 'some have required parameters');
  for (const { text } of asked) {
    const answer = await fetch(text, { headers: { authorization: key.authorization } });
    assert.equal(answer.status, 200, `${text}: ${await answer.text()}`);
  }
});

test('a field that may be null keeps the bounds of what it refers to', () => {
  const schemas = { Timestamp: { type: 'string', format: 'timestamp' } };
  const field = { anyOf: [{ $ref: '#/components/schemas/Timestamp' }, { type: 'null' }] };
  assert.match(textOf(fieldHead('expires_at', field, schemas, new Set(), {})), /format timestamp/);
});
