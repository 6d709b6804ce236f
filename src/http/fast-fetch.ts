/**
 * Fast path of fetches: a usual one is answered in front of Fastify, whose life cycle is a third of what it costs. There are
 * no rules here: admission, headers and body come from where the route has them, and whatever is unusual goes on to it.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { CheckoutId } from '../checkout/ids.ts';
import type { Serializer } from '../checkout/serializer.ts';
import type { Tenant } from '../checkout/tenant.ts';
import type { Answer, Store } from '../store/store.ts';
import type { Admission } from './admission.ts';
import { commonHeaders, JSON_TYPE } from './answer.ts';
import type { Arrivals } from './arrivals.ts';
import { isReadLoosely } from './loose.ts';
import type { Metrics } from './metrics.ts';
import { isLarge } from './pieces.ts';
import { FETCH, fetched } from './routes/checkout.ts';
import type { Phase } from './routes/operations.ts';

/** As clients write it: without a query, and without characters that are escaped. */
const path = /^\/v3\/checkout\/(chk_[0-9a-z]{20,40})$/;
const ROUTE = '/v3/checkout/:id';

type Dependencies = {
  readonly admission: Admission;
  readonly store: Pick<Store, 'checkouts'>;
  readonly serializer: Serializer;
  readonly requestId: (request: IncomingMessage) => string;
  readonly phase: () => Phase;
  readonly waitedMs: Arrivals['waitedMs'];
  readonly onAnswered: Metrics['answered'];
};

/** Returns a function that is true for a request that it answers, or hands on to the route when it has looked. */
export function fastFetch({
  admission,
  store,
  serializer,
  requestId,
  phase,
  waitedMs,
  onAnswered,
}: Dependencies) {
  async function answerTo(tenant: Tenant, id: CheckoutId): Promise<Answer | null> {
    const checkout = await store.checkouts.fetch(tenant, id);
    return checkout && fetched(checkout, serializer);
  }

  function send(request: IncomingMessage, response: ServerResponse, { statusCode, headers, body }: Answer) {
    const length = Buffer.byteLength(body);
    response
      .writeHead(statusCode, {
        ...commonHeaders(requestId(request)),
        ...headers,
        'content-type': JSON_TYPE,
        'content-length': length,
      })
      .end(body);
  }

  return (request: IncomingMessage, response: ServerResponse, toRoute: RequestListener): boolean => {
    const id = idIn(request);
    if (id === undefined) return false;
    const arrivedAt = performance.now() - waitedMs(request);
    const decision = admission.ofKnown(request, FETCH);
    if (decision === undefined) return false;
    const { principal, refusal } = decision;
    const goOn = () => {
      // It is counted.
      admission.handOn(request, decision);
      toRoute(request, response);
    };
    if (refusal || isReadLoosely(principal, request.headers, FETCH)) goOn();
    else
      answerTo(principal.tenant, id).then((answer) => {
        if (answer === null || isLarge(answer.body) || phase() === 'stopping') goOn();
        else {
          response.on('finish', () =>
            onAnswered('GET', ROUTE, answer.statusCode, performance.now() - arrivedAt),
          );
          send(request, response, answer);
        }
        // The route tells of a failure.
      }, goOn);
    return true;
  };
}

/** Id of the session that a usual request is about: without a body, and for all of the session whatever its version. */
function idIn({ method, url = '', headers }: IncomingMessage): CheckoutId | undefined {
  const isPlain =
    method === 'GET' &&
    headers['if-none-match'] === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined;
  return isPlain ? (path.exec(url)?.[1] as CheckoutId | undefined) : undefined;
}
