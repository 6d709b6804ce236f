/** Tag of a member: by it a change of the role says which state it is for, and is refused for any other. Pure. */
import { CHANGED_SINCE } from '../accounts/tags.ts';
import { type Refusal, refuse } from '../checkout/refusals.ts';
import { type Condition, isMet, tagOf } from '../lib/condition.ts';
import { roleOn, type User } from './user.ts';
import type { UserCommand } from './user-commands.ts';

/** Tag of the role alone: a member who has another name, or is seen again, is the same to who changes the role. */
export function memberTag(user: User, account: number): string | null {
  const role = roleOn(user, account);
  return role === undefined ? null : tagOf({ id: user.id, role });
}

/** The refusal of a command whose condition the member does not meet. Whoever is no member is so in any state. */
export function refusalByMember(
  user: User | null,
  command: UserCommand,
  condition: Condition | undefined,
): Refusal | null {
  if (condition === undefined || user === null || !('account' in command) || command.account === null)
    return null;
  const tag = memberTag(user, command.account);
  return tag === null || isMet(condition, tag) ? null : refuse('version_stale', CHANGED_SINCE);
}
