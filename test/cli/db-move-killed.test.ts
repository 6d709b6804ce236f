/** Moves that are killed, interrupted or cut off go on where they were. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { randomFrom } from '../crash/random.ts';
import { cleanUp } from '../support/clean-up.ts';
import { isRunning, run, runToEnd } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { serveHere } from '../support/service.ts';
import { everything } from './moved-shop.ts';
import { query, SEED, STOP_NOW, says, setUp, startRefused } from './moving.ts';

suite('opentill db move', () => {
  test('goes on where it was when it is killed, while the service goes on', async () => {
    await using t = cleanUp();
    const { path, target, server, shop, money, args } = await setUp(t);
    const random = randomFrom(SEED);
    for (let round = 0; round < scaled(3); round++) {
      const moving = run(t, args, {});
      const killAt = performance.now() + random.between(150, 900);
      while (performance.now() < killAt) await shop.act();
      await moving.kill('SIGKILL');
      if (round === 1) await shop.forget(path);
      if (round === 2) await money.change();
    }
    const before = await everything(server.url, shop);
    await server.stop();
    // Kills fall into the final stop as well, however far it gets; the last may find everything done.
    for (let afterMs = 300; !existsSync(`${path}.moved`); afterMs += 150) {
      assert.ok(afterMs < 10_000, 'it never ends');
      const moving = run(t, args, {});
      await Promise.race([pause(afterMs), moving.ended]);
      await moving.kill('SIGKILL');
    }
    const last = await runToEnd(t, args, {});
    if (last.code !== 0) assert.match(last.stderr, /was moved already/);
    const onPostgres = await serveHere(t, { DATABASE_URL: target, PORT: String(server.port) });
    const after = await everything(onPostgres.url, shop);
    for (const [what, answer] of before) assert.equal(after.get(what), answer, what);
  });

  test('finishes what is left when it was killed after the source was put aside', async () => {
    await using t = cleanUp();
    const { path, target, server, args } = await setUp(t);
    await server.stop();
    // The target stands still just before its last word.
    const watcher = postgres(target, { max: 1, onnotice: () => {} });
    t.after(() => watcher.end());
    await watcher`
      CREATE FUNCTION wait() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN
        PERFORM pg_sleep(60) FROM pg_event_trigger_dropped_objects() WHERE object_name = 'move_progress';
      END$$`;
    await watcher`CREATE EVENT TRIGGER wait ON sql_drop EXECUTE FUNCTION wait()`;
    const moving = run(t, args, {});
    while (!existsSync(`${path}.moved`) || existsSync(`${path}-wal`)) {
      assert.ok(isRunning(moving), moving.output.stderr);
      await pause(5);
    }
    await moving.kill('SIGKILL');
    await watcher`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'opentill db move' AND datname = current_database()`;
    await watcher`DROP EVENT TRIGGER wait`;
    const refused = await startRefused(t, target);
    assert.match(
      refused.stderr,
      /^opentill: the database \S+ is being moved to; finish that with opentill db move\n$/,
    );
    const finished = await runToEnd(t, args, {});
    assert.deepEqual([finished.code, finished.stderr], [0, '']);
    await serveHere(t, { DATABASE_URL: target });
  });

  test('stops with one line when it is interrupted or loses the target, and goes on from there', async () => {
    await using t = cleanUp();
    const { target, server, shop, args } = await setUp(t);
    const interrupted = run(t, args, {});
    await says(interrupted, STOP_NOW);
    interrupted.child.kill('SIGINT');
    assert.equal((await interrupted.ended).code, 130);
    assert.match(
      interrupted.output.stderr,
      /^opentill: interrupted; run the same command again to continue\n$/m,
    );

    const cutOff = run(t, args, {});
    await says(cutOff, STOP_NOW);
    const { origin, database } = placeOf(target);
    await query(t, origin, `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
    await query(
      t,
      origin,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
    );
    await shop.act();
    assert.equal((await cutOff.ended).code, 1);
    assert.match(
      cutOff.output.stderr,
      /^opentill: the move has stopped: [^\n]+; run the same command again to continue\n$/m,
    );
    await query(t, origin, `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`);

    const first = run(t, args, {});
    await says(first, STOP_NOW);
    const second = run(t, args, {});
    assert.equal((await first.ended).code, 1);
    assert.match(first.output.stderr, /another move to the database \S+ has been started/);
    await server.stop();
    assert.equal((await second.ended).code, 0);
  });
});

/** The server's own database, from which others can be ruled. */
function placeOf(url: string): { readonly origin: string; readonly database: string } {
  const database = new URL(url).pathname.slice(1);
  return { origin: Object.assign(new URL(url), { pathname: 'postgres' }).href, database };
}
