/** Commands about users that the dashboard gives by itself: all others are operations of the API. */
import type { FastifyRequest } from 'fastify';
import { isRefusal, type Refusal } from '../checkout/refusals.ts';
import { installation, type UserId } from '../users/user.ts';
import type { UserCommand, UserDecision } from '../users/user-commands.ts';
import type { DashboardDependencies } from './dependencies.ts';

type Untimed<C> = C extends UserCommand ? Omit<C, 'now'> : never;

/** Command that the dashboard may give about a user, without the time. */
export type OwnCommand = Untimed<UserCommand>;

/** Executes a command on a user, who is its actor. */
export async function executeOnUser(
  { execute, realNow }: Pick<DashboardDependencies, 'execute' | 'realNow'>,
  request: FastifyRequest,
  id: UserId,
  command: OwnCommand,
): Promise<UserDecision | Refusal> {
  const origin = { tenant: installation, actor: id, requestId: request.id, idempotency: null };
  const timed = { ...command, now: realNow() } as UserCommand;
  const { result } = await execute({ subject: 'user', origin, id, command: timed });
  if (isRefusal(result)) return result;
  if (result.kind === 'replay') throw new Error('a command without a key was answered before');
  return result.value;
}
