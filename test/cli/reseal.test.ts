/** Credentials that are sealed anew, on each database, while somebody else sets or removes them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import type { RailCredentialsCommand } from '../../src/accounts/rail-credentials-changes.ts';
import { reseal } from '../../src/cli/reseal.ts';
import { executeOn } from '../../src/cli/with-store.ts';
import { readConfig } from '../../src/config/read.ts';
import { createVault, type Secrets } from '../../src/methods/credentials.ts';
import { openStore } from '../../src/store/open.ts';
import { ownOrigin } from '../../src/writer/command.ts';
import type { Execute } from '../../src/writer/writer.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { freshSqlite } from '../support/database-sqlite.ts';

const rail = 'stripe';
const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const [before, rotated, after] = [createVault(oldKey), createVault(newKey, oldKey), createVault(newKey)];
const own = { secret_key: 'rk_test_1', webhook_secret: 'whsec_1' };

/** An account whose credentials were set before the key was replaced. */
async function begin(t: Ends, fresh: typeof freshSqlite) {
  const database = await fresh();
  t.after(database.remove);
  const store = await openStore(readConfig({ DATABASE_URL: database.url }), { serve: true });
  t.after(() => store.close());
  const { number: account } = await createAccount(store, 'Shop', Date.now());
  const tenant = { account, mode: 'test' } as const;
  const execute = executeOn(store);
  const change = async (command: RailCredentialsCommand) => {
    await execute({ subject: 'account', origin: ownOrigin(tenant, 'operator'), command, now: Date.now() });
  };
  const set = (vault: typeof before, secrets: Secrets) =>
    change({
      ...{ type: 'set_rail_credentials', rail, form: { fields: Object.keys(own) } },
      ...{ secrets: vault.seal(secrets, { tenant, rail }), at: Date.now(), by: 'operator' },
    });
  const openedWith = async (vault: typeof before) => {
    const { [rail]: sealed } = (await store.accounts.fetch(account))?.railCredentials.test ?? {};
    return sealed && vault.open(sealed, { tenant, rail });
  };
  /** Seals anew, while somebody does this between each look and its write; with how often there was one. */
  async function resealBeside(work: (time: number) => Promise<void>) {
    let writes = 0;
    const beside: Execute = async (command, serialize) => {
      await work(writes++);
      return execute(command, serialize);
    };
    return { result: await reseal({ store, execute: beside }, rotated, tenant, rail), writes };
  }
  await set(before, own);
  const resealings = async () =>
    (await database.query("SELECT subject, actor FROM audit WHERE action = 'reseal_rail_credentials'")).map(
      ({ subject, actor }) => ({ subject, actor }),
    );
  const remove = () => change({ type: 'remove_rail_credentials', rail });
  return { set, remove, openedWith, resealBeside, resealings };
}

const nothing = async () => {};
const once = (work: () => Promise<void>) => (time: number) => (time === 0 ? work() : nothing());

for (const fresh of [freshSqlite, freshPostgres])
  suite(`credentials that are sealed anew (${fresh.name})`, () => {
    test('are opened by the current key alone, and are the same the next time', async () => {
      await using t = cleanUp();
      const { openedWith, resealBeside, resealings } = await begin(t, fresh);
      assert.equal(await openedWith(after), null);
      const done = { wasResealed: true, sealedUnder: 'current' };
      assert.deepEqual(await resealBeside(nothing), { result: done, writes: 1 });
      assert.deepEqual([await openedWith(after), await openedWith(before)], [own, null]);
      const line = { subject: rail, actor: 'operator' };
      assert.deepEqual(await resealings(), [line]);
      const again = { wasResealed: false, sealedUnder: 'current' };
      assert.deepEqual(await resealBeside(nothing), { result: again, writes: 0 });
      assert.deepEqual(await resealings(), [line]);
    });

    test('keep a secret that is set at the same moment, and the others are sealed anew behind it', async () => {
      await using t = cleanUp();
      const { set, openedWith, resealBeside } = await begin(t, fresh);
      const given = { webhook_secret: 'whsec_2' };
      const done = { wasResealed: true, sealedUnder: 'current' };
      assert.deepEqual(await resealBeside(once(() => set(rotated, given))), { result: done, writes: 2 });
      assert.deepEqual(await openedWith(after), { ...own, ...given });
    });

    test('are left alone where all of them are set at the same moment, or removed', async () => {
      await using t = cleanUp();
      const { set, remove, openedWith, resealBeside, resealings } = await begin(t, fresh);
      const given = { secret_key: 'rk_test_2', webhook_secret: 'whsec_2' };
      const left = { wasResealed: false, sealedUnder: 'current' };
      assert.deepEqual(await resealBeside(once(() => set(rotated, given))), { result: left, writes: 1 });
      assert.deepEqual(await openedWith(after), given);
      await set(before, own);
      assert.deepEqual(await resealBeside(once(remove)), { result: null, writes: 1 });
      assert.equal(await openedWith(after), undefined);
      assert.deepEqual(await resealings(), []);
    });

    test('are said to be left where a server sets them under the previous key again and again', async () => {
      await using t = cleanUp();
      const { set, openedWith, resealBeside } = await begin(t, fresh);
      const { result, writes } = await resealBeside((time) =>
        set(before, { webhook_secret: `whsec_${time}` }),
      );
      assert.deepEqual(result, { wasResealed: false, sealedUnder: 'previous' });
      assert.deepEqual(await openedWith(before), { ...own, webhook_secret: `whsec_${writes - 1}` });
    });
  });
