/** Routes of the payer: pages, their forms, their live updates, and the files they need. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { logoBytes, logoFacts } from '../accounts/logo.ts';
import { isCovered, openTransfer } from '../checkout/statuses.ts';
import { type Locale, localeOf } from '../i18n/locale.ts';
import type { Asset } from '../lib/asset.ts';
import { DamagedRow, StoreUnavailable } from '../store/errors.ts';
import { accentSheet } from './accent.ts';
import { type ActionResult, cancelAttempt, decideStep, type Form, pay } from './actions.ts';
import { script, stylesheet } from './assets.ts';
import type { PageDependencies } from './dependencies.ts';
import { createEventStreams } from './event-streams.ts';
import { fileNameOf, fileOf, type Kind } from './files.ts';
import { pageOf } from './page.ts';
import type { PayerPages } from './payer-pages.ts';
import { problemPage, type Trouble } from './problem.ts';
import { createProviderSteps, goingOnPage } from './provider.ts';
import { receiptOf } from './receipt.ts';
import type { PageBytes } from './rendered.ts';
import { verifiedReceipt } from './verification.ts';
import { addressOf, choiceAddress, type Look, type Visit } from './visit.ts';

/** Content security policy: only our own files, and no page of another site around ours. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Retry time after a provider did not answer; it may take longer, but payers are no machines. */
const RETRY_AFTER_SECONDS = '5';

/** Retry time while a document is being made. */
const ASK_AGAIN_SECONDS = '3';

/** Retry time while too many documents wait: a long one takes a few seconds. */
const DOCUMENTS_RETRY_AFTER_SECONDS = '5';

const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Policy of PDFs: the browser's own viewer brings styles and scripts of its own. */
const FILE_POLICY = "frame-ancestors 'none'";

export const PAGE = '/transaction/:token';
export const HTML_TYPE = 'text/html; charset=utf-8';

/** The address of a stylesheet with a color that an account has chosen. */
const ACCENT = /^accent-([0-9a-f]{6})-[0-9a-f]{16}\.css$/;

/** Decisions and findings of whoever has looked in front of the routes. */
type LookedAt = {
  /** Milliseconds until the client may ask; 0 means now, and the request is counted. */
  readonly waitOf: (request: FastifyRequest) => number;
  /** The page, or null if there is none; undefined if nobody has looked. Throws if that has failed. */
  readonly found: (request: FastifyRequest) => PageBytes | null | undefined;
};

export function pageRoutes(
  pages: FastifyInstance,
  dependencies: PageDependencies,
  { basePath, open, visitOf, bytesOf }: PayerPages,
  { waitOf, found }: LookedAt,
): void {
  const streams = createEventStreams(dependencies);
  const provider = createProviderSteps(dependencies);
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
    const waitMs = waitOf(request);
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
    if (error.name === 'TooManyDocuments' || error.name === 'NobodyWaits') {
      // Nothing is broken, and payers who left do not concern an operator.
      if (error.name === 'TooManyDocuments') request.log.warn({ request_id: request.id }, error.message);
      reply.header('retry-after', DOCUMENTS_RETRY_AFTER_SECONDS);
      return sendProblem(request, reply, 503, 'trouble');
    }
    const isDamaged = error instanceof DamagedRow;
    const statusCode = isDamaged || error instanceof StoreUnavailable ? 503 : (error.statusCode ?? 500);
    if (statusCode < 500) return sendProblem(request, reply, statusCode, 'refused');
    request.log.error({ err: error, request_id: request.id }, 'request failed');
    if (statusCode === 503) reply.header('retry-after', isDamaged ? '60' : '1');
    return sendProblem(request, reply, statusCode, 'trouble');
  });

  for (const asset of [stylesheet, script]) {
    pages.get(asset.path, (_request, reply) => sendAsset(reply, asset));
  }

  pages.get('/assets/:name', (request, reply) => {
    const [, digits = ''] = ACCENT.exec((request.params as { name: string }).name) ?? [];
    const sheet = digits === '' ? null : accentSheet(`#${digits}`);
    return sheet?.path === request.url ? sendAsset(reply, sheet) : sendNotFound(request, reply);
  });

  /** A route of a session's page; what no token opens does not exist. */
  function onVisit(respond: (visit: Visit, request: FastifyRequest, reply: FastifyReply) => unknown) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const opened = await open(lookOf(request));
      return opened === null ? sendNotFound(request, reply) : respond(visitOf(opened), request, reply);
    };
  }

  async function pageFor(request: FastifyRequest): Promise<PageBytes | null> {
    const opened = await open(lookOf(request));
    return opened && bytesOf(opened);
  }

  pages.get(PAGE, async (request, reply) => {
    const known = found(request);
    const page = known === undefined ? await pageFor(request) : known;
    if (page === null) return sendNotFound(request, reply);
    return sendHtml(reply, 200, Buffer.from(page, 'latin1'));
  });

  pages.get(
    `${PAGE}/receipt`,
    onVisit((visit, request, reply) =>
      visit.checkout.payments.length === 0
        ? sendProblem(request, reply, 404, 'noReceipt', addressOf(visit))
        : sendHtml(reply, 200, receiptOf(visit, basePath)),
    ),
  );

  pages.get(
    `${PAGE}/events`,
    { exposeHeadRoute: false },
    onVisit(({ checkout }, _request, reply) => streams.answer(reply, checkout)),
  );

  pages.get(
    `${PAGE}/logo/:name`,
    onVisit(async ({ checkout }, request, reply) => {
      const { name } = request.params as { name: string };
      const logo = await dependencies.store.logos.fetch(checkout.tenant);
      // The account may be known here as it was a moment ago: the image says itself which one it is.
      if (logo?.name !== name) return sendNotFound(request, reply);
      return sendAsset(reply, { type: logoFacts(name).type, body: logoBytes(logo) });
    }),
  );

  for (const [name, action] of Object.entries({ pay, step: decideStep, cancel_attempt: cancelAttempt })) {
    const path = `${PAGE}/${name}`;
    pages.post(
      path,
      onVisit(async (visit, request, reply) => {
        const result = await action(dependencies, visit, formOf(request), request.id);
        if (result === null) return reply.redirect(afterForm(visit, action), 303);
        if (result === 'continue') return reply.redirect(addressOf(visit, '/go'), 303);
        return sendRefusal(request, reply, visit, result);
      }),
    );
    // A GET of the address of an answer to a form means the page.
    pages.get(
      path,
      onVisit((visit, _request, reply) => reply.redirect(addressOf(visit), 303)),
    );
  }

  // HEAD requests would do all of the work and show nothing.
  const withEffect = { exposeHeadRoute: false };

  pages.get(
    `${PAGE}/go`,
    withEffect,
    onVisit(async (visit, request, reply) => {
      const step = await provider.nextStep(visit);
      if (step === 'over') return reply.redirect(addressOf(visit), 303);
      if (step !== 'not_started') return sendHtml(reply, 200, goingOnPage(visit, basePath, step.address));
      reply.header('retry-after', RETRY_AFTER_SECONDS);
      return sendRefusal(request, reply, visit, { statusCode: 503, alert: 'notStarted' });
    }),
  );

  pages.get(
    `${PAGE}/return`,
    withEffect,
    onVisit(async (visit, _request, reply) => {
      await provider.comeBack(visit);
      return reply.redirect(addressOf(visit), 303);
    }),
  );

  for (const kind of ['receipt', 'invoice'] as const) {
    pages.get(
      `${PAGE}/${kind}.pdf`,
      withEffect,
      onVisit(async (visit, request, reply) => {
        const file = await soon(
          fileOf(visit, kind, dependencies, goneOf(reply)),
          dependencies.documentWaitMs,
        );
        if (file === 'being made') {
          // A browser asks again by itself; programs find the time where RFC 9110 has it.
          reply.headers({ 'retry-after': ASK_AGAIN_SECONDS, refresh: ASK_AGAIN_SECONDS });
          return sendProblem(request, reply, 503, 'beingMade');
        }
        if (file !== null) return sendFile(reply, visit, kind, file);
        // A payer who comes back for the invoice after paying means no other link: the page shows the state.
        if (kind === 'invoice' && isCovered(visit.checkout)) return reply.redirect(addressOf(visit), 303);
        const trouble = kind === 'receipt' ? 'noReceipt' : 'notFound';
        return sendProblem(request, reply, 404, trouble, addressOf(visit));
      }),
    );
  }

  pages.get('/receipt/:code', async (request, reply) => {
    const { code } = request.params as { code: string };
    const page = await verifiedReceipt(dependencies, code, localeOfRequest(request), basePath);
    return page === null ? sendProblem(request, reply, 404, 'unknownReceipt') : sendHtml(reply, 200, page);
  });

  pages.get('/transaction/*', sendNotFound);

  /** The current page, with the reason: the request may have failed because the session had changed. */
  async function sendRefusal(
    request: FastifyRequest,
    reply: FastifyReply,
    before: Visit,
    { statusCode, alert }: Exclude<ActionResult, 'continue' | null>,
  ) {
    const opened = await open(lookOf(request));
    const visit = opened === null ? before : visitOf(opened);
    return sendHtml(reply, statusCode, pageOf(visit, basePath, visit.locale.language.messages[alert]));
  }
}

/** Leaving a step leads back to the choice, past a transfer that still stands open. */
function afterForm(visit: Visit, action: unknown): string {
  const isPassed = action === cancelAttempt && openTransfer(visit.checkout) !== undefined;
  return isPassed ? choiceAddress(visit) : addressOf(visit);
}

/**
 * True for a form of another site. Browsers declare it; a client that declares nothing is no browser, or too old to be
 * told.
 */
function comesFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function lookOf(request: FastifyRequest): Look {
  return {
    token: (request.params as { token: string }).token,
    locale: localeOfRequest(request),
    isChoosing: (request.query as { choose?: unknown }).choose !== undefined,
    requestId: request.id,
  };
}

function localeOfRequest({ headers, query }: FastifyRequest): Locale {
  return localeOf(headers['accept-language'], (query as { lang?: unknown }).lang);
}

function formOf({ body }: FastifyRequest): Form {
  return typeof body === 'object' && body !== null ? (body as Form) : {};
}

function sendHtml(reply: FastifyReply, statusCode: number, page: string | Buffer): FastifyReply {
  return reply.code(statusCode).type(HTML_TYPE).send(page);
}

/** Signal that aborts when the client has left, which may be so already; one that is to ask again has time to. */
function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else {
    raw.once('close', () => {
      if (raw.writableFinished) setTimeout(() => gone.abort(), 5_000 * Number(ASK_AGAIN_SECONDS)).unref();
      else gone.abort();
    });
  }
  return gone.signal;
}

/** The file, or what to say to a reader who has waited for long enough. */
async function soon(file: Promise<Buffer | null>, waitMs: number): Promise<Buffer | null | 'being made'> {
  const waiting = new AbortController();
  const late = sleep(waitMs, 'being made' as const, { signal: waiting.signal, ref: false });
  late.catch(() => {});
  try {
    return await Promise.race([file, late]);
  } finally {
    waiting.abort();
    // What fails later is told to whoever asks again.
    file.catch(() => {});
  }
}

function sendFile(reply: FastifyReply, visit: Visit, kind: Kind, file: Buffer): FastifyReply {
  return reply
    .header('content-security-policy', FILE_POLICY)
    .header('content-disposition', `inline; filename="${fileNameOf(visit, kind)}"`)
    .header('x-robots-tag', 'noindex')
    .type('application/pdf')
    .send(file);
}

function sendAsset(reply: FastifyReply, { type, body }: Omit<Asset, 'path'>): FastifyReply {
  return reply.header('cache-control', IMMUTABLE).type(type).send(body);
}
