/** A new webhook secret and the fate of those before it, in words and as JSON. Times are ISO 8601. */

import { withDefault } from './declare/parameter.ts';
import { span } from './declare/values.ts';

export const overlapOption = withDefault(
  span,
  '1d',
  'Time for which the previous secret also signs, such as 2h or 7d; 0 ends it now.',
);

export const secretKeys = {
  secret: 'The new secret; it is shown only now.',
  previous_secret_expires_at: 'Time at which the previous secret stops signing, or null if it already has.',
  dropped_secret_expires_at:
    'Time until which the secret before that was valid; it no longer signs. Null if there is none.',
} as const;

type Fate = { readonly [key in keyof typeof secretKeys]: string | null };

export function linesOfSecrets(fate: Fate): readonly string[] {
  const { secret, previous_secret_expires_at: previous, dropped_secret_expires_at: dropped } = fate;
  return [
    `Webhook secret  ${secret}`,
    'It is shown only now.',
    previous === null
      ? 'The previous secret no longer signs.'
      : `The previous secret signs too until ${previous}.`,
    ...(dropped === null ? [] : [`The one before that, valid until ${dropped}, no longer signs.`]),
  ];
}
