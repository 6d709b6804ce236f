/** The provider of OpenID Connect, as `opentill doctor` tells of it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { examineProvider } from '../../../src/cli/doctor/provider.ts';
import { startProvider } from '../../support/oidc-provider.ts';

const provider = await startProvider({ after });
const values = { PUBLIC_URL: 'https://pay.example.com', ...provider.settings };

test('a provider that answers is good, and none at all is nothing to tell of', async () => {
  assert.deepEqual(await examineProvider({ PUBLIC_URL: 'https://pay.example.com' }), []);
  const found = await examineProvider(values);
  assert.deepEqual(
    found.map(({ status }) => status),
    ['ok'],
  );
  // To ask is no sign-in.
  assert.deepEqual(
    provider.requests.map(({ path }) => path),
    ['/.well-known/openid-configuration'],
  );
});

test('one that does not answer, or is another one, is wrong', async () => {
  provider.play.status = 503;
  const [away] = await examineProvider(values);
  assert.deepEqual([away?.status, /does not answer/.test(away?.text ?? '')], ['wrong', true]);
  provider.reset();
  const [other] = await examineProvider({ ...values, OIDC_ISSUER: `${provider.issuer}/another` });
  assert.deepEqual([other?.status, /status 404/.test(other?.text ?? '')], ['wrong', true]);
});
