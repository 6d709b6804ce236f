/**
 * Every screen and action of the dashboard: an address that has it, a form that does it, and the roles that may. A screen
 * without a row here fails the tests.
 */
import type { Role } from '../../src/users/roles.ts';

export type Fields = Readonly<Record<string, string>>;

/** Ids of what the account has. */
export type Things = Readonly<Record<string, string>>;

export type Door = {
  /** What stands for the parameters of the path. */
  readonly params?: (things: Things) => Fields;
  readonly form?: (things: Things) => Fields;
  /** Roles on the account that may; absent for screens that are about no account. */
  readonly roles?: readonly Role[];
  /** Set if it ends the sign-in, or changes what others of these tests need. */
  readonly isLast?: true;
};

/** By method and path as declared, below `/dashboard`. */
export const doors: Readonly<Record<string, Door>> = {
  'GET ': {},
  'GET /*': { params: () => ({ '*': 'no/such/screen' }) },
  'GET /sign-in': {},
  'POST /sign-in': { form: () => ({ email: 'nobody@example.com', password: 'wrong' }) },
  'POST /code': { form: () => ({ code: '000000' }) },
  'POST /passkey': { form: () => ({ passkey: '{}' }) },
  'POST /sign-out': { isLast: true },
  'GET /link/:token': { params: () => ({ token: 'none' }) },
  'POST /link/:token': { params: () => ({ token: 'none' }) },
  'POST /link/:token/join': { params: () => ({ token: 'none' }) },
  'GET /profile': {},
  'POST /profile/name': { form: () => ({ name: 'Another name', email: 'door@example.com' }) },
  'POST /profile/password': { form: () => ({ current_password: 'wrong', new_password: 'four other words' }) },
  'POST /profile/sign-out': { form: () => ({ sign_in: 'sgn_none' }) },
  'POST /profile/sign-out-others': {},
  'GET /profile/second-factor': {},
  'POST /profile/second-factor': { form: () => ({ secret: 'none', code: '1' }) },
  'POST /profile/second-factor/remove': {},
  'POST /profile/recovery-codes': {},
  'GET /profile/passkeys': {},
  'POST /profile/passkeys': { form: () => ({ passkey: '{}', name: 'Phone' }) },
  'POST /profile/passkeys/remove': { form: () => ({ id: 'none' }) },
  'GET /:account/:mode/members': { roles: ['owner'] },
  'POST /:account/:mode/members': { roles: ['owner'], form: () => ({ role: 'support' }) },
  'POST /:account/:mode/members/role': {
    roles: ['owner'],
    form: ({ member = '' }) => ({ id: member, role: 'finance' }),
  },
  'POST /:account/:mode/members/link': { roles: ['owner'], form: ({ member = '' }) => ({ id: member }) },
  'POST /:account/:mode/members/remove': {
    roles: ['owner'],
    form: ({ member = '' }) => ({ id: member }),
    isLast: true,
  },
};
