/** Routes of the dashboard: its screens, their forms, and the files that they need. */
import formbody from '@fastify/formbody';
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { formIsForeign } from '../lib/foreign-form.ts';
import { createAddressLimiter } from '../lib/rate-limit.ts';
import { DamagedRow, StoreUnavailable } from '../store/errors.ts';
import { TooManyPasswords } from '../users/passwords.ts';
import { script, stylesheet } from './assets.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { documentOf } from './document.ts';
import { declareOn } from './screen.ts';
import { accountScreens } from './screens/accounts.ts';
import { bankScreens } from './screens/bank.ts';
import { bankEntryScreens } from './screens/bank-entry.ts';
import { deliveryScreens } from './screens/delivery.ts';
import { endpointScreens } from './screens/endpoint.ts';
import { exportScreens } from './screens/exports.ts';
import { factorScreens } from './screens/factors.ts';
import { homeScreens } from './screens/home.ts';
import { keyScreens } from './screens/keys.ts';
import { linkScreens } from './screens/link.ts';
import { logScreens } from './screens/log.ts';
import { logoScreens } from './screens/logo.ts';
import { mappingScreens } from './screens/mappings.ts';
import { memberScreens } from './screens/members.ts';
import { movementScreens } from './screens/movements.ts';
import { oidcScreens } from './screens/oidc.ts';
import { overviewScreens } from './screens/overview.ts';
import { ownAccountScreens } from './screens/own-accounts.ts';
import { paymentFileScreens } from './screens/payment-files.ts';
import { peopleScreens } from './screens/people.ts';
import { profileScreens } from './screens/profile.ts';
import { providerEventScreens } from './screens/provider-events.ts';
import { credentialScreens } from './screens/rail-credentials.ts';
import { receivingAccountScreens } from './screens/receiving-account.ts';
import { refundScreens } from './screens/refund.ts';
import { reportScreens } from './screens/reports.ts';
import { requestScreens } from './screens/requests.ts';
import { resealScreens } from './screens/reseal.ts';
import { retentionScreens } from './screens/retention.ts';
import { sessionScreens } from './screens/session.ts';
import { sessionItemsScreens } from './screens/session-items.ts';
import { sessionMoneyScreens } from './screens/session-money.ts';
import { sessionsScreens } from './screens/sessions.ts';
import { settingsScreens } from './screens/settings.ts';
import { signInScreens } from './screens/sign-in.ts';
import { statementScreens } from './screens/statements.ts';
import { webhookScreens } from './screens/webhooks.ts';
import { takeUploads } from './upload.ts';

/** Content security policy: only our own files, and no page of another site around ours. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const IMMUTABLE = 'public, max-age=31536000, immutable';
const BODY_LIMIT_BYTES = 262_144;

/** Forms of one address a second that try a password, a code or a link. */
const TRIES_PER_SECOND = 1;
const TRIED = [
  '/dashboard/sign-in',
  '/dashboard/code',
  '/dashboard/passkey',
  '/dashboard/link/:token',
  '/dashboard/link/:token/oidc',
];

/** Asked for by a browser that comes back from a provider, which is asked about what it brings. */
const CALLBACK = '/dashboard/oidc/callback';
/** Lead to the provider. Their allowance is their own, so that who has begun can come back. */
const BEGINS = ['/dashboard/oidc', '/dashboard/oidc/confirm'];

export async function dashboardRoutes(
  app: FastifyInstance,
  dependencies: DashboardDependencies,
): Promise<void> {
  const { basePath, addresses, publicUrl } = dependencies;
  // An operator who sets no limit for addresses has none here.
  const perSecond = Math.min(TRIES_PER_SECOND, addresses.perSecond);
  const tries = createAddressLimiter(perSecond, () => performance.now());
  const begins = createAddressLimiter(perSecond, () => performance.now());
  // Forms are the only bodies that belong here.
  app.removeContentTypeParser(['application/json', 'text/plain']);
  await app.register(formbody, { bodyLimit: BODY_LIMIT_BYTES });

  function sendProblem(reply: FastifyReply, status: number, title: string, text: string): FastifyReply {
    const screen = { title, main: text, visitor: null, place: null };
    return reply.code(status).type('text/html; charset=utf-8').send(documentOf(screen, basePath));
  }

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
    const isForm = request.method === 'POST';
    const { url: route = '' } = request.routeOptions;
    const isTry = (isForm && TRIED.includes(route)) || route === CALLBACK;
    const further = isTry ? tries : BEGINS.includes(route) ? begins : null;
    const waitMs = addresses.take(request.ip) || (further?.take(request.ip) ?? 0);
    if (waitMs > 0) {
      reply.header('retry-after', Math.ceil(waitMs / 1000));
      sendProblem(reply, 429, 'Too many requests', 'Wait for a few seconds, and load the page again.');
    } else if (isForm && formIsForeign(request, publicUrl)) {
      sendProblem(reply, 403, 'This form is of another site', 'Nothing was changed.');
    } else done();
  });

  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof TooManyPasswords) {
      reply.header('retry-after', '5');
      return sendProblem(
        reply,
        503,
        'Too many people sign in at once',
        'Wait for a few seconds, and try again.',
      );
    }
    const isDamaged = error instanceof DamagedRow;
    const status = isDamaged || error instanceof StoreUnavailable ? 503 : (error.statusCode ?? 500);
    if (status < 500) return sendProblem(reply, status, 'The form cannot be read', 'Nothing was changed.');
    request.log.error({ err: error, request_id: request.id }, 'request failed');
    if (status === 503) reply.header('retry-after', isDamaged ? '60' : '1');
    const text = `Try again in a moment. If it keeps failing, the log has more about the request ${request.id}.`;
    return sendProblem(reply, status, 'Something is wrong with the service', text);
  });

  for (const { path, type, body } of [stylesheet, script]) {
    app.get(path, (_request, reply) => reply.header('cache-control', IMMUTABLE).type(type).send(body));
  }

  const declare = declareOn(app, dependencies);
  homeScreens(declare);
  overviewScreens(declare, dependencies);
  providerEventScreens(declare, dependencies);
  ownAccountScreens(declare, dependencies);
  signInScreens(declare, dependencies);
  oidcScreens(declare, dependencies);
  linkScreens(declare, dependencies);
  profileScreens(declare, dependencies);
  factorScreens(declare, dependencies);
  accountScreens(declare, dependencies);
  resealScreens(declare, dependencies);
  memberScreens(declare, basePath);
  keyScreens(declare, dependencies);
  webhookScreens(declare, dependencies);
  endpointScreens(declare, dependencies);
  deliveryScreens(declare, dependencies);
  requestScreens(declare, dependencies);
  logScreens(declare, dependencies);
  settingsScreens(declare, dependencies);
  receivingAccountScreens(declare, dependencies);
  credentialScreens(declare, dependencies);
  sessionsScreens(declare, dependencies);
  sessionScreens(declare, dependencies);
  sessionItemsScreens(declare, dependencies);
  sessionMoneyScreens(declare, dependencies);
  peopleScreens(declare, dependencies);
  retentionScreens(declare, dependencies);
  bankScreens(declare, dependencies);
  bankEntryScreens(declare, dependencies);
  await app.register(async (scoped) => {
    takeUploads(scoped);
    const declareUpload = declareOn(scoped, dependencies);
    statementScreens(declareUpload, dependencies);
    mappingScreens(declareUpload, dependencies);
    logoScreens(declareUpload, dependencies);
  });
  movementScreens(declare, dependencies);
  refundScreens(declare, dependencies);
  paymentFileScreens(declare, dependencies);
  reportScreens(declare, dependencies);
  exportScreens(declare, dependencies);
}
