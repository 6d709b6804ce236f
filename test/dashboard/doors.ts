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
  /** Set for what operators of the installation may, and nobody by a role. */
  readonly forOperators?: true;
  /** Set if it ends the sign-in, or changes what others of these tests need. */
  readonly isLast?: true;
};

const everybody: readonly Role[] = ['owner', 'finance', 'support', 'read_only'];
const owner: readonly Role[] = ['owner'];
const bank: readonly Role[] = ['owner', 'finance'];
const named =
  (thing: string, name = 'id') =>
  (things: Things): Fields => ({ [name]: things[thing] ?? thing });

/** By method and path as declared, below `/dashboard`. */
export const doors: Readonly<Record<string, Door>> = {
  'GET ': {},
  'GET /*': { params: () => ({ '*': 'no/such/screen' }) },
  'GET /sign-in': {},
  'POST /sign-in': { form: () => ({ email: 'nobody@example.com', password: 'wrong' }) },
  'POST /code': { form: () => ({ code: '000000' }) },
  'POST /passkey': { form: () => ({ passkey: '{}' }) },
  'GET /oidc': {},
  'GET /oidc/confirm': {},
  'GET /oidc/callback': {},
  'POST /profile/identity': {},
  'POST /profile/identity/remove': {},
  'POST /go-on': { form: () => ({ kept: '{}' }) },
  'GET /signed-in': {},
  'POST /sign-out': { isLast: true },
  'GET /link/:token': { params: () => ({ token: 'none' }) },
  'POST /link/:token': { params: () => ({ token: 'none' }) },
  'POST /link/:token/join': { params: () => ({ token: 'none' }) },
  'POST /link/:token/oidc': { params: () => ({ token: 'none' }) },
  'GET /profile': {},
  'GET /profile/accounts': {},
  'POST /profile/name': { form: () => ({ name: 'Another name', email: 'door@example.com' }) },
  'POST /profile/password': { form: () => ({ current_password: 'wrong', new_password: 'four other words' }) },
  'GET /profile/first-password': {},
  'POST /profile/first-password': { form: () => ({ new_password: 'four other words' }) },
  'POST /profile/sign-out': { form: () => ({ sign_in: 'sgn_none' }) },
  'POST /profile/sign-out-others': {},
  'GET /profile/second-factor': {},
  'POST /profile/second-factor': { form: () => ({ secret: 'none', code: '1' }) },
  'POST /profile/second-factor/remove': {},
  'POST /profile/recovery-codes': {},
  'GET /profile/passkeys': {},
  'POST /profile/passkeys': { form: () => ({ passkey: '{}', name: 'Phone' }) },
  'POST /profile/passkeys/remove': { form: () => ({ id: 'none' }) },
  'GET /:account/:mode/overview': { roles: everybody },
  'GET /:account/:mode/provider-events': { roles: everybody },
  'POST /:account/:mode/provider-events/:id/retry': {
    roles: ['owner', 'finance', 'support'],
    params: named('providerEvent'),
  },
  'GET /accounts': { forOperators: true },
  'POST /accounts': { forOperators: true, form: () => ({ name: 'Another Shop' }) },
  'GET /accounts/:id': { forOperators: true, params: () => ({ id: '2' }) },
  'POST /accounts/:id': {
    forOperators: true,
    params: () => ({ id: '2' }),
    form: () => ({ name: 'Renamed' }),
  },
  'POST /installation-credentials/reseal': { forOperators: true },
  'GET /installation-log': { forOperators: true },
  'GET /:account/:mode/members': { roles: owner },
  'POST /:account/:mode/members': { roles: owner, form: () => ({ role: 'support' }) },
  'POST /:account/:mode/members/role': {
    roles: owner,
    form: ({ member = '' }) => ({ id: member, role: 'finance' }),
  },
  'POST /:account/:mode/members/link': { roles: owner, form: ({ member = '' }) => ({ id: member }) },
  'POST /:account/:mode/members/remove': {
    roles: owner,
    form: ({ member = '' }) => ({ id: member }),
    isLast: true,
  },
  'GET /:account/:mode/keys': { roles: owner },
  'POST /:account/:mode/keys': { roles: owner, form: () => ({ name: 'Till', 'permissions.read': 'on' }) },
  'POST /:account/:mode/keys/:id/revoke': { roles: owner, params: named('key') },
  'GET /:account/:mode/bank': { roles: bank },
  'GET /:account/:mode/bank/statements': { roles: bank },
  'GET /:account/:mode/bank/statements/:id': { roles: bank, params: named('statement') },
  'POST /:account/:mode/bank/statements/preview': { roles: bank },
  'POST /:account/:mode/bank/statements/import': { roles: bank },
  'GET /:account/:mode/bank/mappings': { roles: bank },
  'POST /:account/:mode/bank/mappings/sample': { roles: owner },
  'POST /:account/:mode/bank/mappings/try': { roles: owner },
  'POST /:account/:mode/bank/mappings/save': { roles: owner },
  'POST /:account/:mode/bank/mappings/delete': { roles: owner, form: () => ({ name: 'gone' }) },
  'GET /:account/:mode/bank/entries/:id': { roles: bank, params: named('entry') },
  'POST /:account/:mode/bank/entries/:id/assign': {
    roles: bank,
    params: named('entry'),
    form: ({ session = '' }) => ({ 'parts/0/payin': session, 'parts/0/amount': '0.01' }),
  },
  'POST /:account/:mode/bank/entries/:id/ignore': {
    roles: bank,
    params: named('ignored'),
    form: () => ({ ignore_reason: 'Interest.' }),
  },
  'POST /:account/:mode/bank/entries/:id/reopen': { roles: bank, params: named('reopened') },
  'POST /:account/:mode/bank/entries/:id/send_back': { roles: bank, params: named('returned') },
  'GET /:account/:mode/webhooks': { roles: everybody },
  'POST /:account/:mode/webhooks/resend': { roles: ['owner', 'support'] },
  'GET /:account/:mode/webhooks/new-endpoint': { roles: owner },
  'POST /:account/:mode/webhooks/new-endpoint': {
    roles: owner,
    form: () => ({ url: 'http://127.0.0.1:9/new' }),
  },
  'GET /:account/:mode/webhooks/endpoints/:id': { roles: everybody, params: named('endpoint') },
  'POST /:account/:mode/webhooks/endpoints/:id': {
    roles: owner,
    params: named('endpoint'),
    form: () => ({ url: 'http://127.0.0.1:9/other' }),
  },
  'POST /:account/:mode/webhooks/endpoints/:id/status': {
    roles: owner,
    params: named('endpoint'),
    form: () => ({ status: 'enabled' }),
  },
  'POST /:account/:mode/webhooks/endpoints/:id/secret': { roles: owner, params: named('endpoint') },
  'POST /:account/:mode/webhooks/endpoints/:id/delete': {
    roles: owner,
    params: named('endpoint'),
    isLast: true,
  },
  'GET /:account/:mode/webhooks/deliveries/:id': { roles: everybody, params: named('delivery') },
  'POST /:account/:mode/webhooks/deliveries/:id/resend': {
    roles: ['owner', 'support'],
    params: named('delivery'),
  },
  'GET /:account/:mode/log': { roles: everybody },
  'GET /:account/:mode/requests': { roles: everybody },
  'GET /:account/:mode/requests/:id': { roles: everybody, params: () => ({ id: 'req_5f3a9c1b0e7d-1' }) },
  'GET /:account/:mode/settings': { roles: owner },
  'POST /:account/:mode/settings/business': { roles: owner },
  'POST /:account/:mode/settings/branding': { roles: owner },
  'POST /:account/:mode/settings/policy': { roles: owner },
  'POST /:account/:mode/settings/api': { roles: owner },
  'POST /:account/:mode/settings/webhook-secret': { roles: owner },
  'GET /:account/:mode/settings/logo': { roles: owner },
  'POST /:account/:mode/settings/logo': { roles: owner },
  'GET /:account/:mode/settings/logo/image': { roles: owner },
  'POST /:account/:mode/settings/logo/remove': { roles: owner, isLast: true },
  'GET /:account/:mode/settings/retention': { roles: owner },
  'GET /:account/:mode/settings/new-receiving-account': { roles: owner },
  'POST /:account/:mode/settings/new-receiving-account': { roles: owner },
  'GET /:account/:mode/settings/receiving-accounts/:id': { roles: owner, params: named('receiving') },
  'POST /:account/:mode/settings/receiving-accounts/:id': { roles: owner, params: named('receiving') },
  'POST /:account/:mode/settings/receiving-accounts/:id/remove': {
    roles: owner,
    params: named('receiving'),
    isLast: true,
  },
  'GET /:account/:mode/settings/credentials/:rail': { roles: owner, params: named('stripe', 'rail') },
  'POST /:account/:mode/settings/credentials/:rail': { roles: owner, params: named('stripe', 'rail') },
  'POST /:account/:mode/settings/credentials/:rail/remove': {
    roles: owner,
    params: named('stripe', 'rail'),
    isLast: true,
  },
  'GET /:account/:mode/people': { roles: everybody },
  'GET /:account/:mode/people/:id': { roles: everybody, params: named('person') },
  'GET /:account/:mode/people/:id/export': { roles: everybody, params: named('person') },
  'POST /:account/:mode/people/:id/erase': { roles: owner, params: named('person'), isLast: true },
  'POST /:account/:mode/sessions/columns': { roles: everybody, form: () => ({ 'columns.amount': 'on' }) },
  'POST /:account/:mode/sessions/views': {
    roles: everybody,
    form: () => ({ view: 'Open', query: 'status=active' }),
  },
  'POST /:account/:mode/sessions/views/remove': { roles: everybody, form: () => ({ view: 'Open' }) },
  'GET /:account/:mode/movements': { roles: everybody },
  'GET /:account/:mode/movements.csv': { roles: everybody },
  'GET /:account/:mode/movements.jsonl': { roles: everybody },
  'GET /:account/:mode/reports': { roles: everybody },
  'GET /:account/:mode/reports.csv': { roles: everybody },
  'GET /:account/:mode/reports/rails.csv': { roles: everybody },
  'GET /:account/:mode/reports/export': { roles: everybody },
  'GET /:account/:mode/refunds/:id': { roles: everybody, params: named('refund') },
  'POST /:account/:mode/refunds/:id/settle': {
    roles: ['owner', 'finance'],
    params: named('refund'),
    form: () => ({ status: 'failed' }),
  },
  'GET /:account/:mode/payment-files': { roles: ['owner', 'finance'] },
  'POST /:account/:mode/payment-files': {
    roles: ['owner', 'finance'],
    form: () => ({ receiving_account: 'none' }),
  },
  'GET /:account/:mode/payment-files/:id': { roles: everybody, params: named('paymentFile') },
  'GET /:account/:mode/payment-files/:id/content.xml': {
    roles: ['owner', 'finance'],
    params: named('paymentFile'),
  },
  'GET /:account/:mode/sessions': { roles: everybody },
  'GET /:account/:mode/sessions.csv': { roles: everybody },
  'GET /:account/:mode/sessions.jsonl': { roles: everybody },
  'GET /:account/:mode/sessions/:id': { roles: everybody, params: named('session') },
  'POST /:account/:mode/sessions/:id/expire': {
    roles: ['owner', 'support'],
    params: named('session'),
    isLast: true,
  },
  'POST /:account/:mode/sessions/:id/resend': { roles: ['owner', 'support'], params: named('session') },
  'GET /:account/:mode/sessions/new': { roles: owner },
  'POST /:account/:mode/sessions/new': { roles: owner },
  'GET /:account/:mode/sessions/:id/items': { roles: owner, params: named('session') },
  'POST /:account/:mode/sessions/:id/items': { roles: owner, params: named('session') },
  'GET /:account/:mode/sessions/:id/refund': { roles: ['owner', 'finance'], params: named('session') },
  'POST /:account/:mode/sessions/:id/refund': { roles: ['owner', 'finance'], params: named('session') },
  'GET /:account/:mode/sessions/:id/pay': { roles: owner, params: named('session') },
  'POST /:account/:mode/sessions/:id/pay': { roles: owner, params: named('session') },
};
