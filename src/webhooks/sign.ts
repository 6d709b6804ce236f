/** What proves to a receiver that a delivery is from this service and unchanged. Pure. */
import { createHmac } from 'node:crypto';

type Signed = {
  /** Id of the event, the same on every retry: receivers drop what they have seen by it. */
  readonly id: string;
  /** The raw body: what is signed are exactly the bytes that are sent. */
  readonly body: string | Uint8Array;
  /** `created_at` of the event, character for character as in the body. */
  readonly createdAt: string;
  /** As the merchant has it: `whsec_` and base64. */
  readonly secret: string;
  /** Real time of this attempt in seconds; receivers refuse what is too far from their own clock. */
  readonly timestampSeconds: number;
};

const SECRET_PREFIX = 'whsec_';

/**
 * The headers of a delivery, signed twice because two kinds of receivers are served:
 *
 * - Standard Webhooks (www.standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`; the key is what the base64
 *   of the secret stands for.
 * - `signature`, which clients of the older scheme check: HMAC-SHA256 over id, body and `created_at` without
 *   separators; the key is the whole secret as the merchant sees it, prefix included, in UTF-8. Those clients hand
 *   the secret to their HMAC function as it is, so nothing else would verify.
 *
 * Throws if the secret holds no key: with an empty key anybody could sign.
 */
export function signatureHeaders({
  id,
  body,
  createdAt,
  secret,
  timestampSeconds,
}: Signed): Record<string, string> {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  const key = Buffer.from(text, 'base64');
  if (key.length === 0) throw new Error('the webhook secret holds no key');
  const timestamp = String(timestampSeconds);
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const older = createHmac('sha256', secret).update(id).update(body).update(createdAt).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
    signature: older,
  };
}
