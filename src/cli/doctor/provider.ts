/** The provider of OpenID Connect: whether it answers as the settings say. */

import { createProvider } from '../../dashboard/oidc.ts';
import { messageLineOf } from '../../lib/error-message.ts';
import { type Finding, good, wrong } from '../../lib/finding.ts';
import type { Values } from './settings.ts';

export async function examineProvider(values: Values): Promise<readonly Finding[]> {
  const {
    OIDC_ISSUER: issuer = '',
    OIDC_CLIENT_ID: clientId = '',
    OIDC_CLIENT_SECRET: clientSecret = '',
  } = values;
  if (issuer === '') return [];
  const callback = `${values.PUBLIC_URL ?? ''}/dashboard/oidc/callback`;
  try {
    await createProvider({ issuer, clientId, clientSecret, callback, realNow: Date.now }).begin({
      isProof: false,
    });
    return [good('The provider of OpenID Connect answers.')];
  } catch (error) {
    return [
      wrong(
        `The provider of OpenID Connect cannot be used: ${messageLineOf(error)}.`,
        'Check OIDC_ISSUER, and that this machine reaches it. Until then users sign in in other ways.',
      ),
    ];
  }
}
