/** JSON of sessions that lists ask for again, kept in the thread that makes it: few of them have changed meanwhile. */
import { inHundredths } from '../checkout/hundredths.ts';
import type { CheckoutId } from '../checkout/ids.ts';
import { createSerializer, type Serializer } from '../checkout/serializer.ts';
import type { Checkout } from '../checkout/session.ts';
import { createLru } from '../lib/lru.ts';
import { createSeenLately } from '../lib/seen-lately.ts';
import type { Form } from './store.ts';

/** Memory of what is kept: characters of one byte, which most texts have. */
const KEPT_BYTES = 16 * 2 ** 20;
/** Memory of an entry beside its texts. */
const ENTRY_BYTES = 300;

/** The session, by what its row says of itself: where that is the same, the session is the same, and need not be made. */
type Asked = { readonly id: CheckoutId; readonly mark: string; readonly make: () => Checkout };

/** Form in which a thread makes a page. */
export type ThreadForm = Form & { readonly checkoutUrl: string };

export function createKeptJson() {
  let serializer: Serializer | null = null;
  const kept = createLru<string, { readonly mark: string; readonly json: string }>({
    most: KEPT_BYTES,
    sizeOf: ({ mark, json }) => mark.length + json.length + ENTRY_BYTES,
  });
  const seenLately = createSeenLately();

  function serializerFor(checkoutUrl: string): Serializer {
    if (serializer?.checkoutUrl !== checkoutUrl) {
      serializer = createSerializer(checkoutUrl);
      kept.clear();
    }
    return serializer;
  }

  return ({ checkoutUrl, hundredths }: ThreadForm, { id, mark, make }: Asked) => {
    const { checkout: serialize } = serializerFor(checkoutUrl);
    const known = kept.get(id);
    const isSame = known?.mark === mark;
    const json = isSame ? known.json : serialize(make());
    // An export asks for each once, and leaves in memory what lists ask for again.
    if (!isSame && (known !== undefined || seenLately(id))) kept.set(id, { mark, json });
    return { id, json: hundredths ? inHundredths(json) : json };
  };
}
