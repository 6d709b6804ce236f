/** Breadth-first search: every command from every state, until there is no state that has not been seen. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { CheckoutCommand } from '../../../src/checkout/commands.ts';
import { decide } from '../../../src/checkout/decide.ts';
import type { Checkout } from '../../../src/checkout/session.ts';
import { frozen } from '../build.ts';
import { type Bound, firstSessions } from './bound.ts';
import { commandsFor } from './commands.ts';
import { checkEdge } from './edges.ts';
import { checkChange, checkSession, differenceOf } from './invariants.ts';
import { expectedOf } from './oracle.ts';
import { checkOrder } from './order.ts';
import { isWithin, stateOf } from './state.ts';

/** A session with the commands that led to it, the last one first: as few as possible, since the search is by breadth. */
type Node = { readonly session: Checkout; readonly path: Path | null };
type Path = { readonly command: CheckoutCommand; readonly before: Path | null };

/** The order of facts is tried at one state of so many, because it takes hundreds of steps. */
const ORDER_EACH = 16;

export type Found = {
  readonly states: ReadonlySet<string>;
  readonly edges: number;
  /** Commands of the longest of the shortest ways to a state. */
  readonly depth: number;
  /** Edges of the table of public states that were come across, and reasons of refusals. */
  readonly seen: ReadonlySet<string>;
};

/** Searches a bound whole. */
export function search(bound: Bound): Found {
  const states = new Set<string>();
  const seen = new Set<string>();
  let edges = 0;
  let depth = 0;
  let visited = 0;
  let level: Node[] = firstSessions(bound).map((session) => ({ session, path: null }));
  for (const { session } of level) states.add(stateOf(session));
  while (level.length > 0) {
    const next: Node[] = [];
    for (const node of level) {
      visited += 1;
      if (visited % ORDER_EACH === 0) checkOrderOf(node, bound);
      for (const command of commandsFor(node.session, bound)) {
        edges += 1;
        try {
          const after = checked(node.session, command, seen);
          if (after === node.session) continue;
          if (!isWithin(after, bound)) continue;
          const state = stateOf(after);
          if (states.has(state)) continue;
          states.add(state);
          checkSession(after);
          next.push({ session: frozen(after), path: { command, before: node.path } });
        } catch (error) {
          throw told(error, node, command);
        }
      }
    }
    level = next;
    depth += next.length > 0 ? 1 : 0;
  }
  return { states, edges, depth, seen };
}

function checkOrderOf(node: Node, bound: Bound): void {
  try {
    checkOrder(node.session, bound);
  } catch (error) {
    throw told(error, node);
  }
}

/** The session after a command; fails where it is not as it has to be. */
function checked(before: Checkout, command: CheckoutCommand, seen: Set<string>): Checkout {
  const decision = decide(before, command);
  const expected = expectedOf(before, command);
  if (decision.kind === 'refusal') {
    seen.add(decision.reason);
    const wanted = typeof expected === 'string' ? `refused with ${expected}` : 'carried out';
    assert.ok(decision.reason === expected, `refused with ${decision.reason}, and not ${wanted}`);
    return before;
  }
  if (typeof expected === 'string') assert.fail(`not refused with ${expected}`);
  const { checkout: after } = decision;
  const field = differenceOf(after, expected);
  if (field !== null) assert.deepEqual(after[field], expected[field]);
  if (decision.kind === 'unchanged') {
    assert.ok(after === before, 'what is unchanged is the session itself');
    return before;
  }
  assert.ok(differenceOf(before, expected) !== null, 'a change changes something');
  checkChange(before, command, decision);
  const edge = checkEdge(before, command, after);
  if (edge !== '') seen.add(edge);
  return after;
}

/** The error with the way to where it occurred. */
function told(error: unknown, { session, path }: Node, ...last: readonly CheckoutCommand[]): Error {
  const commands = [...last];
  for (let at = path; at !== null; at = at.before) commands.unshift(at.command);
  const way = commands.map((each) => `  ${inspect(each, { breakLength: Infinity })}`).join('\n');
  const message = error instanceof Error ? error.message : String(error);
  return new Error(`${message}\nafter the last of these commands:\n${way}\nfrom ${inspect(session)}`);
}
