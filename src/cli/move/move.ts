/**
 * Moves everything from SQLite to PostgreSQL while the service goes on serving, with a short stop at the end. The target
 * keeps the progress in a table that exists as long as the move is unfinished: nobody can serve the target meanwhile,
 * and an interrupted move continues where it was.
 */
import { existsSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { messageLineOf, systemFieldsOf } from '../../lib/error-message.ts';
import { UnusableDatabase } from '../../store/errors.ts';
import { openUnchanging } from '../../store/sqlite/file.ts';
import { tables as stored } from '../../store/tables.ts';
import { isAside, leaveNote, pathAside, putAside, refuseTakenName } from './aside.ts';
import { compare } from './compare.ts';
import { copyTables, type Move, type Teller } from './copy.ts';
import { beginning, follow, isSamePast } from './follow.ts';
import { brokenHistories } from './histories.ts';
import { report, sumsOf } from './report.ts';
import { openSource, type Source } from './source.ts';
import { type Stop, stopServing } from './stop.ts';
import { table } from './tables.ts';
import { insertRows, isOfPostgres, openTarget, type Target } from './target.ts';

/** Least time between two rounds of following. */
const ROUND_EVERY_MS = 1_000;
/** A longer round is followed by a pause of so many times its duration. */
const REST = 2;
const LOOK_FOR_STOP_MS = 100;
/** Bytes of the file that the comparison reads in a second, roughly: for the estimate of the stop's duration. */
const BYTES_A_SECOND = 50 * 2 ** 20;

/**
 * Returns the new path of the source once the target can be served and the source is renamed. Throws UnusableDatabase
 * where the move is impossible.
 */
export async function moveToPostgres(path: string, url: string, teller: Teller): Promise<string> {
  try {
    const fileAside = pathAside(path);
    await moveTo(path, url, teller);
    return fileAside;
  } catch (error) {
    throw inOneLine(error);
  }
}

async function moveTo(path: string, url: string, teller: Teller): Promise<void> {
  // A service on the same machine has priority.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const aside = isAside(path);
  if (!aside) refuseTakenName(path);
  const source = aside ? openSource(pathAside(path), openUnchanging) : openSource(path);
  try {
    const target = await openTarget(url);
    try {
      if (aside) await finishAside(path, source, target);
      else await moveAll({ source, target, teller });
    } finally {
      await target.close();
    }
  } finally {
    source.close();
  }
}

/** Finishes a move that was interrupted after everything was compared and the source was renamed. */
async function finishAside(path: string, source: Source, target: Target): Promise<void> {
  const isOwn = (await target.resume()) && target.reached('source') === source.identity();
  if (!isOwn || target.reached('verified') === undefined) {
    throw new UnusableDatabase(`the database ${path} was moved already; its file is now ${source.path}`);
  }
  if (!existsSync(path)) leaveNote(path, target.name);
  await target.finish();
}

async function moveAll(move: Move): Promise<void> {
  const { source, target, teller } = move;
  await beginOrResume(move);
  if (target.reached('copied') === undefined) {
    await copyTables(move);
    await target.step(async () => {}, { copied: 'yes' });
    await follow(move);
    await target.tidyUp();
  }
  const stop = await followUntilStop(move);
  try {
    teller.say('the service is stopped; copying and comparing the rest');
    await follow(move);
    await complete(move);
    await verify(move);
    await target.verified();
    putAside(source.path, target.name);
    await target.finish();
  } finally {
    stop.end();
  }
}

async function beginOrResume(move: Move): Promise<void> {
  const { source, target } = move;
  const identity = source.identity();
  if (!(await target.resume())) {
    await target.begin({ source: identity, path: source.path, ...beginning(source) });
    return;
  }
  if (target.reached('source') !== identity) {
    throw new UnusableDatabase(
      `the database ${target.name} has an unfinished move from another database, ${target.reached('path')}`,
    );
  }
  if (!isSamePast(move)) {
    throw new UnusableDatabase(
      `${source.path} is an older copy of what was being moved to ${target.name}; make a new database to move to`,
    );
  }
  await target.takeOver();
}

/** Follows for as long as a server serves the source. */
async function followUntilStop(move: Move): Promise<Stop> {
  const { teller } = move;
  const { path } = move.source;
  for (let told = false; ; ) {
    const startedAt = performance.now();
    await follow(move);
    const tookMs = performance.now() - startedAt;
    const nextAt = performance.now() + Math.max(ROUND_EVERY_MS, REST * tookMs);
    do {
      const stop = stopServing(path);
      if (stop) return stop;
      if (!told) {
        const seconds = Math.ceil(1 + statSync(path).size / BYTES_A_SECOND + tookMs / 1000);
        teller.say(`everything is copied; stop the service now, the rest takes about ${seconds} s`);
        told = true;
      }
      await pause(LOOK_FOR_STOP_MS);
    } while (performance.now() < nextAt);
  }
}

/** Tables that derive from all others or are small: copied once, at the end. */
const copiedInTheEnd = ['clock_move', 'feed_start', 'feed_end', 'delivery_claim', 'webhook_endpoint'];

async function complete({ source, target }: Move): Promise<void> {
  const version = source.number('SELECT version FROM directory');
  await target.step(async (tx) => {
    for (const name of copiedInTheEnd) {
      await tx`DELETE FROM ${tx(name)}`;
      await insertRows(tx, name, source.all(table(name).select));
    }
    // The version is above any that was seen on either side.
    await tx`UPDATE directory SET version = greatest(version, ${version}) + 1 WHERE id = 1`;
  }, {});
}

/** Estimate of the rows to compare: what a session has in one table here is in three, and an event in two. */
const rowsToCompare = `SELECT 2 * (SELECT count(*) FROM checkout) + (SELECT count(*) FROM event) + ${Object.keys(
  stored,
)
  .map((name) => `(SELECT count(*) FROM ${name})`)
  .join(' + ')}`;

/** Throws unless the target has exactly the rows that it must have. */
async function verify({ source, target, teller }: Move): Promise<void> {
  teller.begin('comparing', source.number(rowsToCompare));
  const broken = brokenHistories(source);
  const comparisons = await compare(source.path, target, teller);
  const sums = await sumsOf(source, target);
  teller.say(report(comparisons, sums));
  const differences = [
    ...broken,
    ...comparisons.flatMap(({ difference }) => difference ?? []),
    ...sums
      .filter((sum) => sum.source !== sum.target)
      .map(({ currency }) => `the sum of payments in ${currency}`),
  ];
  if (differences.length === 0) return;
  throw new UnusableDatabase(
    `the copy is not right: ${differences.join('; ')}. ${source.path} is as it was: start the service on it again. ` +
      `To try again, make a new database to move to`,
  );
}

/** Errors of databases and of the system are shown to the operator in one line; anything else is a bug. */
function inOneLine(error: unknown): unknown {
  const { errcode, syscall } = systemFieldsOf(error);
  if (errcode === undefined && syscall === undefined && !isOfPostgres(error)) return error;
  const message = messageLineOf(error);
  return new UnusableDatabase(`the move has stopped: ${message}; run the same command again to continue`);
}
