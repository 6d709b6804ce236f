/** The profile: what is told of a form that has changed nothing. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { installation } from '../../src/users/user.ts';
import { formIn, signedInVisitor, textOf } from '../support/dashboard.ts';
import { startService } from '../support/service.ts';

const service = await startService({ after });
const { store } = service.service;
const PROFILE = '/dashboard/profile';
const COLUMNS = 'columns.reference_id';

suite('a form about the visitor', () => {
  test('that changes nothing is not told to have done so, and nothing of it is in the log', async () => {
    const { visitor, user } = await signedInVisitor(service, { role: 'owner', email: 'ada@example.com' });
    const { fields } = formIn(await visitor.get(PROFILE), '/profile/name');
    const logged = async () =>
      (await store.audit.list(installation, { actor: user.id }, { limit: 99 })).rows.map(
        ({ action }) => action,
      );
    const before = await logged();
    const sessions = '/dashboard/1/test/sessions';
    const forms: ReadonlyArray<[path: string, fields: Record<string, string>]> = [
      [`${PROFILE}/sign-out`, { sign_in: 'sgn_none' }],
      [`${PROFILE}/sign-out-others`, {}],
      [`${PROFILE}/passkeys/remove`, { id: 'none' }],
      [`${PROFILE}/identity/remove`, {}],
      [`${PROFILE}/second-factor/remove`, {}],
      [`${PROFILE}/name`, {}],
      [`${sessions}/views/remove`, { view: 'None' }],
      [`${sessions}/columns`, { usual: 'on' }],
    ];
    for (const [path, sent] of forms) {
      const answer = await visitor.post(path, { ...fields, ...sent });
      assert.match(answer.location ?? textOf(answer), /\?done=unchanged$/, path);
    }
    assert.deepEqual(await logged(), before);
  });

  test('that is sent twice is told to have changed something by the first answer, and that it is so by the second', async () => {
    const { visitor } = await signedInVisitor(service, { role: 'owner', email: 'grace@example.com' });
    const { fields } = formIn(await visitor.get(PROFILE), '/profile/name');
    const sessions = '/dashboard/1/test/sessions';
    for (const [path, sent, done] of [
      [`${PROFILE}/name`, { name: 'Grace Hopper' }, 'renamed'],
      [`${sessions}/columns`, { [COLUMNS]: 'on', query: 'status=expired' }, 'columns-chosen'],
      [`${sessions}/views`, { view: 'Late', query: 'status=expired' }, 'view-saved'],
      [`${sessions}/views/remove`, { view: 'Late', query: 'status=expired' }, 'view-removed'],
    ] as const)
      for (const told of [done, 'unchanged']) {
        const answer = await visitor.post(path, { ...fields, ...sent });
        assert.match(answer.location ?? textOf(answer), new RegExp(`[?&]done=${told}$`), path);
        if ('query' in sent)
          assert.match(answer.location ?? '', /\?status=expired&/, 'the list is as it was');
        assert.match(
          textOf(await visitor.follow(Promise.resolve(answer))),
          told === done ? /\./ : /Everything is as you asked\. There was nothing left to change\./,
        );
      }
  });
});
