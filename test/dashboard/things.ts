/** An account with everything that screens of the dashboard are about. */
import type { TestService } from '../support/service.ts';
import type { Things } from './doors.ts';

/** Ids by the kind of the thing. */
export async function makeThings(_service: TestService): Promise<Things> {
  return {};
}
