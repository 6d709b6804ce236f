/** Fast path of the payer's page. */
import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';
import { localeOf } from '../i18n/locale.ts';
import { createBeside } from '../lib/beside.ts';
import type { RateLimiter } from '../lib/rate-limit.ts';
import type { PayerPages } from '../pages/payer-pages.ts';
import type { PageBytes } from '../pages/rendered.ts';
import { CONTENT_SECURITY_POLICY, HTML_TYPE, PAGE } from '../pages/routes.ts';
import { commonHeaders } from './answer.ts';
import { createFastPath, type FastPath, type FastPathDependencies, type Outcome } from './fast-path.ts';

/** Path as links have it, with a language at most. */
const PATH = /^\/transaction\/([0-9a-z]{50,100})(?:\?lang=([A-Za-z-]{2,10}))?$/;

type PageAdmission = ReturnType<typeof createPageAdmission>;

/** Counts each request for the rate of its address once, and looks for its page once, wherever that is asked first. */
export function createPageAdmission(limiter: RateLimiter, proxies: readonly string[]) {
  const outcomes = createBeside<IncomingMessage, Outcome>('outcome');
  const isProxy = proxyAddress.compile([...proxies]);
  /** The address of the client as Fastify finds it. */
  const addressOf = (request: IncomingMessage): string =>
    proxies.length === 0 ? (request.socket.remoteAddress ?? '') : proxyAddress(request, isProxy);

  return {
    /** False if the client asks too much, which the route tells. */
    isInTime: (request: IncomingMessage): boolean => limiter.take(addressOf(request)) === 0,
    handOn: (request: IncomingMessage, outcome: Outcome): void => outcomes.set(request, outcome),
    /** Milliseconds until the client may ask; 0 means now. */
    waitOf: ({ raw, ip }: FastifyRequest): number => (outcomes.get(raw) ? 0 : limiter.take(ip)),
    /** The page that was found in front of the route, or null if there is none; undefined if nobody has looked. */
    found({ raw }: FastifyRequest): PageBytes | null | undefined {
      const outcome = outcomes.get(raw);
      if (outcome === undefined) return undefined;
      if ('error' in outcome) throw outcome.error;
      return outcome.answer?.body ?? null;
    },
  };
}

type Dependencies = FastPathDependencies & {
  readonly payerPages: PayerPages;
  readonly pageAdmission: PageAdmission;
};

export function fastPage({ payerPages, pageAdmission, ...others }: Dependencies): FastPath {
  async function answerTo(token: string, lang: string | undefined, request: IncomingMessage) {
    const requestId = others.requestId(request);
    const locale = localeOf(request.headers['accept-language'], lang);
    const opened = await payerPages.open({ token, locale, isChoosing: false, requestId });
    if (opened === null) return null;
    const headers = {
      ...commonHeaders(requestId),
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'content-type': HTML_TYPE,
    };
    return { statusCode: 200, headers, body: payerPages.bytesOf(opened), encoding: 'latin1' as const };
  }

  return createFastPath(PAGE, others, (request) => {
    const [, token, lang] = PATH.exec(request.url ?? '') ?? [];
    if (token === undefined || !pageAdmission.isInTime(request)) return undefined;
    return {
      answer: answerTo(token, lang, request),
      handOn: (outcome) => pageAdmission.handOn(request, outcome),
    };
  });
}
