/**
 * Checks that a history is linearizable: each operation can have happened at one moment between its call and
 * its answer, in an order that a sequential model allows. One without an answer may happen at any time after
 * its call, or never. The search is that of Wing and Gong, with the states that were seen before remembered
 * (Lowe).
 */

export type Operation<Input, Output> = {
  readonly input: Input;
  /** Null if there was no answer. */
  readonly output: Output | null;
  readonly calledAt: number;
  /** Infinity if there was no answer. */
  readonly answeredAt: number;
};

export type Model<State, Input, Output> = {
  readonly initial: State;
  /** The states that the operation can lead to with this answer, or, with null, with any; none if the answer is wrong. */
  next(state: State, input: Input, output: Output | null): readonly State[];
  /** Equal for states that nobody can tell apart. */
  key(state: State): string;
};

export type Verdict = {
  readonly isLinearizable: boolean;
  /** Operations in the longest order that the model allows. */
  readonly longest: readonly number[];
};

export function checkHistory<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
): Verdict {
  const seen = new Set<string>();
  const done = new Array<boolean>(history.length).fill(false);
  const order: number[] = [];
  let longest: readonly number[] = [];

  function isPossible(state: State): boolean {
    // An operation with an answer happened before any that was called after that answer.
    let deadline = Number.POSITIVE_INFINITY;
    let isComplete = true;
    for (const [index, { answeredAt }] of history.entries()) {
      if (done[index] || answeredAt === Number.POSITIVE_INFINITY) continue;
      isComplete = false;
      deadline = Math.min(deadline, answeredAt);
    }
    if (order.length > longest.length) longest = [...order];
    if (isComplete) return true;
    const place = `${done.map(Number).join('')} ${model.key(state)}`;
    if (seen.has(place)) return false;
    seen.add(place);
    for (const [index, { input, output, calledAt }] of history.entries()) {
      if (done[index] || calledAt > deadline) continue;
      for (const after of model.next(state, input, output)) {
        // An operation without answer or effect need not have happened.
        if (output === null && model.key(after) === model.key(state)) continue;
        done[index] = true;
        order.push(index);
        if (isPossible(after)) return true;
        order.pop();
        done[index] = false;
      }
    }
    return false;
  }

  return { isLinearizable: isPossible(model.initial), longest };
}
