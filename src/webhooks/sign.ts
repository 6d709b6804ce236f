/** Signatures that prove to a receiver that a delivery is from this service and unchanged. Pure. */
import { createHmac } from 'node:crypto';

type Signed = {
  /** Id of the event, the same on every retry, so that receivers can drop duplicates. */
  readonly id: string;
  /** Raw body: the signature covers exactly the bytes that are sent. */
  readonly body: string | Uint8Array;
  /** `created_at` of the event, character for character as in the body. */
  readonly createdAt: string;
  /**
   * Secrets in the merchant's form, `whsec_` and base64, newest first. There are several while a replaced secret is
   * still valid.
   */
  readonly secrets: readonly [string, ...string[]];
  /** Real time of this attempt in seconds; receivers refuse a time too far from their own clock. */
  readonly timestampSeconds: number;
};

const SECRET_PREFIX = 'whsec_';

/** Key in the base64 of a secret. Throws if there is none: with an empty key anybody could sign. */
function keyOf(secret: string): Buffer {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  const key = Buffer.from(text, 'base64');
  if (key.length === 0) throw new Error('the webhook secret holds no key');
  return key;
}

/**
 * The headers of a delivery, signed twice because two kinds of receivers are served:
 *
 * - Standard Webhooks (www.standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`; the key is what the base64
 *   of the secret stands for. One signature for each secret: a receiver accepts the delivery if any of them fits.
 * - `signature`, which clients of the older scheme check: HMAC-SHA256 over id, body and `created_at` without
 *   separators; the key is the whole secret as the merchant sees it, prefix included, in UTF-8. Those clients hand
 *   the secret to their HMAC function as it is, so nothing else would verify. They know of one signature only, so it
 *   is made with the oldest secret that is still valid: who has not been given the new one goes on until that ends.
 *
 * Throws if any of the secrets holds no key.
 */
export function signatureHeaders({
  id,
  body,
  createdAt,
  secrets,
  timestampSeconds,
}: Signed): Record<string, string> {
  const timestamp = String(timestampSeconds);
  const standard = secrets.map((secret) => {
    const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body);
    return `v1,${hmac.digest('base64')}`;
  });
  const oldest = secrets.at(-1) ?? secrets[0];
  const older = createHmac('sha256', oldest).update(id).update(body).update(createdAt).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
    signature: older,
  };
}
