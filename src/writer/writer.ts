/**
 * The only writer. A command is queued; while one batch commits the next gathers, so that many commands share one
 * commit. Inside the transaction its handler decides on what was loaded, and the change, its events, deliveries, audit
 * row and stored answer are written together or not at all. A refusal writes nothing.
 */

import { isDeepStrictEqual } from 'node:util';
import { defaultSettings } from '../accounts/settings.ts';
import type { CheckoutId } from '../checkout/ids.ts';
import { isRefusal, type Refusal, refuse } from '../checkout/refusals.ts';
import type { Serializer } from '../checkout/serializer.ts';
import type { Tenant } from '../checkout/tenant.ts';
import type { RealTime } from '../lib/time.ts';
import { answerKey } from '../store/resources/answers.ts';
import type { Answer, IdempotencyKey, Loaded, Store, StoredAnswer, Unit, Writes } from '../store/store.ts';
import { type Backlog, MAX_BATCH } from './backlog.ts';
import type { Command, Committed, Context, Origin, Result, Serialize, Subject, Value } from './command.ts';
import { groupCommit, type Kind } from './group-commit.ts';
import { type Handler, handlers } from './handlers/handlers.ts';

export type Executed<T> = {
  readonly result: Result<T>;
  /** The bytes that `serialize` made of the value, or the stored answer of a replay; null without `serialize`. */
  readonly answer: Answer | null;
  /** Null if nothing was written. */
  readonly committed: Committed | null;
  /** The answer that is kept under the idempotency key, where it is one to another request. */
  readonly kept?: StoredAnswer;
};

/** Executes one command. Rejects with StoreUnavailable if it could not be written; then nothing of it was. */
export type Execute = <S extends Subject>(
  command: Command<S>,
  serialize?: Serialize<Value<S>>,
) => Promise<Executed<Value<S>>>;

type Options = {
  readonly store: Pick<Store, 'accounts' | 'commit' | 'batching'>;
  readonly serializer: Serializer;
  /** Real time in milliseconds; everything else has the time of its command. */
  readonly realNow: () => RealTime;
  readonly maxBatch?: number;
  readonly maxQueue?: number;
  readonly backlog?: Backlog;
};

export function createWriter({
  store,
  serializer,
  realNow,
  maxBatch = MAX_BATCH,
  maxQueue = 10_000,
  backlog,
}: Options): Execute {
  const enqueue = groupCommit(store, maxBatch, maxQueue, backlog);

  return async <S extends Subject>(
    command: Command<S>,
    serialize?: Serialize<Value<S>>,
  ): Promise<Executed<Value<S>>> => {
    const { needs, decide }: Handler<S> = handlers[command.subject];
    const { tenant, idempotency } = command.origin;
    const needed = needs(command);
    const account = await store.accounts.fetch(tenant.account);
    const { [tenant.mode]: settings } = account?.settings ?? noSettings;
    const context: Context = { serializer, settings };
    // Set anew at each try of the batch; the last try is the one that was committed.
    let executed: Executed<Value<S>> | null = null;
    const unit: Unit = {
      needs: idempotency === null ? needed : { ...needed, answers: [idempotency] },
      decide(loaded) {
        executed = repeated(loaded, idempotency);
        if (executed !== null) return [];
        const decided = decide(command, loaded, context);
        if (isRefusal(decided)) {
          executed = refused(decided);
          return [];
        }
        const { value, writes } = decided;
        const answer = serialize?.(value) ?? null;
        const committed = committedBy(tenant, writes);
        executed = { result: { kind: committed ? 'change' : 'unchanged', value }, answer, committed };
        if (idempotency === null) return writes;
        if (answer === null) throw new Error(`nothing to keep for a repetition of this ${command.subject}`);
        return [
          ...writes.slice(0, -1),
          { ...writes.at(-1), answer: { ...answer, ...idempotency, createdAt: realNow() } },
        ];
      },
    };
    await enqueue(unit, kindOf(command.origin));
    if (executed === null) throw new Error(`nobody has decided on this ${command.subject}`);
    return executed;
  };
}

function kindOf({ actor }: Origin): Kind {
  return actor === 'payer' || actor === 'time' || actor === 'rail' ? 'own' : 'requested';
}

/** For what the service does about an account that is being made. */
const noSettings = { test: defaultSettings, live: defaultSettings };

function refused(result: Refusal): Executed<never> {
  return { result, answer: null, committed: null };
}

/** The answer to a request that was answered before, or why it cannot be repeated; null for a new one. */
function repeated({ answers }: Loaded, idempotency: IdempotencyKey | null): Executed<never> | null {
  if (idempotency === null) return null;
  const stored = answers.get(answerKey(idempotency));
  if (stored === undefined) return null;
  const { requestHash, ...answer } = stored;
  if (requestHash === idempotency.requestHash) {
    return { result: { kind: 'replay' }, answer, committed: null };
  }
  if (idempotency.replaces && isDeepStrictEqual(stored, idempotency.replaces)) return null;
  const refusal = refuse('key_reused', 'The idempotency key was used with another request body.');
  return { ...refused(refusal), kept: stored };
}

function committedBy(tenant: Tenant, writes: readonly Writes[]): Committed | null {
  if (writes.length === 0) return null;
  const checkouts = new Set<CheckoutId>();
  for (const { checkout } of writes) if (checkout) checkouts.add(checkout.after.id);
  const some = (rows: readonly unknown[] | undefined): boolean => rows !== undefined && rows.length > 0;
  return {
    tenant,
    checkouts: [...checkouts],
    events: writes.some(({ events }) => some(events)),
    deliveries: writes.some(
      (each) =>
        some(each.deliveries) || some(each.resends) || some(each.deliveryResults) || some(each.dueNow),
    ),
  };
}
