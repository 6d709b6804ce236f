/** The screen of what is kept for how long. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createSession, order } from '../api/shop.ts';
import { textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';
import { assertForbidden, visitorsOf } from './roles.ts';

const PATH = '/dashboard/1/test/settings/retention';
const DAY_MS = 86_400_000;

let now = Date.now() - 5 * DAY_MS;
const service = await startService({ after }, { realNow: () => now, env: { EVENT_RETENTION_DAYS: '90' } });

test('what other settings would remove is counted before anybody sets them', async () => {
  await createSession(service, { ...order, webhook_url: 'http://127.0.0.1:1/hook' });
  now += 5 * DAY_MS;
  const { owner, finance } = await visitorsOf(service);
  await assertForbidden(finance, { method: 'GET', path: PATH });
  const page = await owner.get(PATH);
  assert.match(
    textOf(page),
    /what receivers answered 30 days Requests 7 days, the newest 20,000 Events and history 90 days/,
  );
  assert.doesNotMatch(textOf(page), /would be removed at once/);
  assert.match(page.html, /name="webhook_log_days"[^>]* value="30"/);
  assert.ok((await owner.get('/dashboard/1/test/settings')).html.includes(`href="${PATH}"`));
  const counted = await owner.get(`${PATH}?webhook_log_days=4&event_retention_days=0`);
  assert.match(
    textOf(counted),
    /Deliveries that would be removed at once 1 Events that would be removed at once 0/,
  );
  const wrong = await owner.get(`${PATH}?webhook_log_days=100&event_retention_days=90`);
  assert.equal(wrong.status, 422);
  assert.match(wrong.html, /id="field-event_retention_days-wrong">event_retention_days must be 0 or more/);
  assert.match(wrong.html, /name="webhook_log_days"[^>]* value="100"/);
  assert.doesNotMatch(textOf(wrong), /would be removed at once/);
});
