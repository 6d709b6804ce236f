/** An account with everything that screens of the dashboard are about. */
import type { TestService } from '../support/service.ts';
import { inviteUser } from '../support/users.ts';
import type { Things } from './doors.ts';

/** Ids by the kind of the thing. */
export async function makeThings({ service: { store }, account }: TestService): Promise<Things> {
  const member = await inviteUser(store, { account: account.number, role: 'support', email: '' });
  return { member: member.id };
}
