import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  changedRailCredentials,
  type RailCredentialsCommand,
} from '../../src/accounts/rail-credentials-changes.ts';
import { isRefusal } from '../../src/checkout/refusals.ts';
import type { CredentialsByRail } from '../../src/methods/credentials.ts';

const secret = (box: string) => ({ keyId: 'k', box, hint: '' });
const known: CredentialsByRail = {
  stripe: { secrets: { key: secret('1'), webhook: secret('2') }, setAt: 1, setBy: 'operator' },
  other: { secrets: { pin: secret('3') }, setAt: 2, setBy: 'operator' },
};
const set = (all: CredentialsByRail, rail: string, secrets: object) =>
  changedRailCredentials(all, {
    ...{ type: 'set_rail_credentials', rail, form: { fields: ['key', 'webhook'] }, at: 5, by: 'ak_1' },
    secrets: { ...secrets },
  } as RailCredentialsCommand);

suite('credentials at a rail', () => {
  test('that are new need all of their secrets', () => {
    for (const [secrets, missing] of [
      [{}, ['/key', '/webhook']],
      [{ key: secret('4') }, ['/webhook']],
      [{ webhook: secret('4') }, ['/key']],
    ] as const) {
      const refused = set({}, 'stripe', secrets);
      assert.ok(isRefusal(refused));
      assert.deepEqual(
        refused.problems.map(({ pointer }) => pointer),
        missing,
      );
    }
  });

  test('change in the given secrets alone, and those of other rails stay', () => {
    assert.deepEqual(set(known, 'stripe', { webhook: secret('4') }), {
      stripe: { secrets: { key: secret('1'), webhook: secret('4') }, setAt: 5, setBy: 'ak_1' },
      other: known.other,
    });
  });

  test('are the same where nothing is given', () => {
    assert.equal(set(known, 'stripe', {}), known);
  });

  test('that are sealed anew are still those of who set them, unless they have changed since', () => {
    const from = { key: secret('1'), webhook: secret('2') };
    const to = { key: secret('5'), webhook: secret('6') };
    const reseal = (all: CredentialsByRail) =>
      changedRailCredentials(all, { type: 'reseal_rail_credentials', rail: 'stripe', from, to });
    assert.deepEqual(reseal(known), {
      stripe: { secrets: to, setAt: 1, setBy: 'operator' },
      other: known.other,
    });
    for (const secrets of [{ webhook: secret('4') }, { key: { ...secret('1'), keyId: 'other' } }]) {
      const changed = set(known, 'stripe', secrets);
      assert.ok(!isRefusal(changed));
      assert.equal(reseal(changed), changed);
    }
    const none = {};
    assert.equal(reseal(none), none);
  });

  test('are removed as a whole, if there are any', () => {
    const remove = (rail: string) => changedRailCredentials(known, { type: 'remove_rail_credentials', rail });
    assert.deepEqual(remove('stripe'), { other: known.other });
    for (const rail of ['bank', 'constructor', '__proto__']) {
      const refused = remove(rail);
      assert.ok(isRefusal(refused) && refused.reason === 'not_found');
    }
  });
});
