/** The payer's side of the service: pages, their forms, their live updates, and the files they need. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import type { RateLimiter } from '../rate-limit.ts';
import { type ActionResult, cancelAttempt, decideStep, type Form, pay } from './actions.ts';
import { type Asset, script, stylesheet } from './assets.ts';
import { createEventStreams } from './event-streams.ts';
import { pageOf } from './page.ts';
import { problemPage, type Trouble } from './problem.ts';
import { receiptOf } from './receipt.ts';
import { renderedPage } from './rendered.ts';
import { basePathOf, localeOfRequest, openVisit, type Visit } from './visit.ts';

/** Nothing but our own files, and no page of another site around ours. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const IMMUTABLE = 'public, max-age=31536000, immutable';

const PAGE = '/transaction/:token';
const hidden = { schema: { hide: true } as object };

export function pageRoutes(pages: FastifyInstance, deps: Deps, limiter: RateLimiter): void {
  const basePath = basePathOf(deps);
  const streams = createEventStreams(deps);
  pages.addHook('preClose', async () => streams.close());
  // Forms are the only bodies that belong here.
  pages.removeContentTypeParser(['application/json', 'text/plain']);

  function sendProblem(
    request: FastifyRequest,
    reply: FastifyReply,
    statusCode: number,
    trouble: Trouble,
    home?: string,
  ) {
    const back = home === undefined ? null : ({ href: home, text: 'backToPayment' } as const);
    return sendHtml(reply, statusCode, problemPage(localeOfRequest(request), basePath, trouble, back));
  }
  const sendNotFound = (request: FastifyRequest, reply: FastifyReply) =>
    sendProblem(request, reply, 404, 'notFound');

  pages.addHook('onRequest', (request, reply, done) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
    const waitMs = limiter.take(request.ip);
    if (waitMs > 0) {
      reply.header('retry-after', Math.ceil(waitMs / 1000));
      sendProblem(request, reply, 429, 'tooMany');
    } else if (request.method === 'POST' && comesFromElsewhere(request)) {
      sendProblem(request, reply, 403, 'refused');
    } else {
      done();
    }
  });

  pages.setErrorHandler((error: FastifyError, request, reply) => {
    const statusCode = error.name === 'StoreUnavailable' ? 503 : (error.statusCode ?? 500);
    if (statusCode < 500) return sendProblem(request, reply, statusCode, 'refused');
    request.log.error({ err: error, request_id: request.id }, 'request failed');
    if (statusCode === 503) reply.header('retry-after', '1');
    return sendProblem(request, reply, statusCode, 'trouble');
  });

  for (const asset of [stylesheet, script]) {
    pages.get(asset.path, hidden, (_request, reply) => sendAsset(reply, asset));
  }

  /** A route of a session's page; what no token opens does not exist. */
  function onVisit(respond: (visit: Visit, request: FastifyRequest, reply: FastifyReply) => unknown) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const visit = await openVisit(deps, request);
      return visit === null ? sendNotFound(request, reply) : respond(visit, request, reply);
    };
  }

  pages.get(
    PAGE,
    hidden,
    onVisit((visit, _request, reply) => sendHtml(reply, 200, renderedPage(visit, basePath))),
  );

  pages.get(
    `${PAGE}/receipt`,
    hidden,
    onVisit((visit, request, reply) =>
      visit.checkout.payments.length === 0
        ? sendProblem(request, reply, 404, 'noReceipt', pageAddress(visit))
        : sendHtml(reply, 200, receiptOf(visit, basePath)),
    ),
  );

  pages.get(
    `${PAGE}/events`,
    { ...hidden, exposeHeadRoute: false },
    onVisit(({ checkout }, _request, reply) => streams.answer(reply, checkout)),
  );

  for (const [name, action] of Object.entries({ pay, step: decideStep, cancel_attempt: cancelAttempt })) {
    const path = `${PAGE}/${name}`;
    pages.post(
      path,
      hidden,
      onVisit(async (visit, request, reply) => {
        const result = await action(deps, visit, formOf(request), request.id);
        if (result === null) return reply.redirect(pageAddress(visit), 303);
        return sendRefusal(request, reply, visit, result);
      }),
    );
    // Whoever reloads or shares the address of an answer to a form means the page.
    pages.get(
      path,
      hidden,
      onVisit((visit, _request, reply) => reply.redirect(pageAddress(visit), 303)),
    );
  }

  pages.get('/transaction/*', hidden, sendNotFound);

  /** The page as it is now, with the reason: what was asked for may have failed because the session had changed. */
  async function sendRefusal(
    request: FastifyRequest,
    reply: FastifyReply,
    before: Visit,
    { statusCode, alert }: NonNullable<ActionResult>,
  ) {
    const visit = (await openVisit(deps, request)) ?? before;
    return sendHtml(reply, statusCode, pageOf(visit, basePath, visit.locale.language.messages[alert]));
  }
}

function pageAddress({ path, locale }: Visit): string {
  return `${path}${locale.query}`;
}

/** A form of another site. Browsers say so; what says nothing is no browser, or one too old to be told. */
function comesFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function formOf({ body }: FastifyRequest): Form {
  return typeof body === 'object' && body !== null ? (body as Form) : {};
}

function sendHtml(reply: FastifyReply, statusCode: number, page: string): FastifyReply {
  return reply.code(statusCode).type('text/html; charset=utf-8').send(page);
}

function sendAsset(reply: FastifyReply, { type, body }: Asset): FastifyReply {
  return reply.header('cache-control', IMMUTABLE).type(type).send(body);
}
