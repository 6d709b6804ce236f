/** Fast path of fetches by id. */
import type { IncomingMessage } from 'node:http';
import type { CheckoutId } from '../checkout/ids.ts';
import type { Serializer } from '../checkout/serializer.ts';
import type { Tenant } from '../checkout/tenant.ts';
import type { Store } from '../store/store.ts';
import type { Admission } from './admission.ts';
import { commonHeaders, JSON_TYPE } from './answer.ts';
import { createFastPath, type FastPath, type FastPathDependencies } from './fast-path.ts';
import { isReadLoosely } from './loose.ts';
import { FETCH, fetched } from './routes/checkout.ts';

/** Path as clients write it: without a query, and without characters that are escaped. */
const PATH = /^\/v3\/checkout\/(chk_[0-9a-z]{20,40})$/;

type Dependencies = FastPathDependencies & {
  readonly admission: Admission;
  readonly store: Pick<Store, 'checkouts'>;
  readonly serializer: Serializer;
};

export function fastFetch({ admission, store, serializer, ...others }: Dependencies): FastPath {
  async function answerTo(request: IncomingMessage, tenant: Tenant, id: CheckoutId) {
    const checkout = await store.checkouts.fetch(tenant, id);
    if (checkout === null) return null;
    const { statusCode, headers, body } = fetched(checkout, serializer);
    const all = { ...commonHeaders(others.requestId(request)), ...headers, 'content-type': JSON_TYPE };
    return { statusCode, headers: all, body, encoding: 'utf8' as const };
  }

  return createFastPath('/v3/checkout/:id', others, (request) => {
    const id = PATH.exec(request.url ?? '')?.[1] as CheckoutId | undefined;
    if (id === undefined) return undefined;
    const decision = admission.ofKnown(request, FETCH);
    if (decision === undefined) return undefined;
    const { principal, refusal } = decision;
    const isUsual = !refusal && !isReadLoosely(principal, request.headers, FETCH);
    return {
      answer: isUsual ? answerTo(request, principal.tenant, id) : Promise.resolve(null),
      // The request is counted.
      handOn: () => admission.handOn(request, decision),
    };
  });
}
