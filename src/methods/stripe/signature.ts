/** Signatures of Stripe's webhooks (https://docs.stripe.com/webhooks#verify-manually). */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Maximum age of a signature: Stripe signs each try anew, so older ones can only be replays by somebody else. */
const TOLERANCE_S = 300;

/** `header` is `t=<seconds>,v1=<hex>`, with a further `v1` while a secret is replaced; other schemes do not count. */
export function isSigned(body: Buffer, header: string, secret: string): boolean {
  const parts = header.split(',').map((part) => part.split('=', 2));
  const [timestamp = ''] = parts.flatMap(([name, value = '']) => (name === 't' ? [value] : []));
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.floor(Date.now() / 1000) - Number(timestamp) > TOLERANCE_S) return false;
  const expected = Buffer.from(
    createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex'),
  );
  return parts.some(([name, value = '']) => {
    const given = Buffer.from(value);
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
