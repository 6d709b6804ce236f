/**
 * A stand-in for a provider of OpenID Connect: it speaks HTTP, signs ID tokens with a key of its own, and lets tests
 * change what it answers. It checks what a provider has to check: client, redirect address, PKCE, and that a code is new.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CLIENT = { id: 'opentill', secret: 'the+secret:of~the/client%' } as const;

type Claims = Readonly<Record<string, unknown>>;
type Code = { readonly request: URLSearchParams; readonly subject: string; readonly at: number };

const base64url = (value: string | Buffer): string => Buffer.from(value).toString('base64url');

function jwt(header: object, claims: Claims, key: KeyObject | null): string {
  const content = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
  return `${content}.${key === null ? '' : base64url(sign('sha256', Buffer.from(content), key))}`;
}

export type OidcProvider = Awaited<ReturnType<typeof startProvider>>;

export async function startProvider(context: { after(hook: () => Promise<void>): void }) {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...own.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' };
  const codes = new Map<string, Code>();
  const requests: Array<{ readonly path: string; readonly body: string }> = [];
  /** Parts that tests change: claims of the next ID tokens, how they are signed, and answers that are none. */
  const play = {
    claims: {} as Claims,
    without: [] as readonly string[],
    header: { alg: 'RS256', kid: 'one' } as object,
    key: own.privateKey as KeyObject | null,
    /** Status of every answer, if it is no good one. */
    status: 200,
    /** Bytes behind each answer. */
    padding: 0,
    isSilent: false,
    /** The user who is signed in at the provider: a browser that comes is sent back at once. */
    signedIn: '',
  };
  const usual = { ...play };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { pathname } = new URL(request.url ?? '/', issuer);
      requests.push({ path: pathname, body });
      if (play.isSilent) return;
      if (pathname === '/authorize' && play.signedIn !== '') {
        response.writeHead(303, { location: approve(`${issuer}${request.url}`, play.signedIn) }).end();
        return;
      }
      const [status, answer] =
        play.status === 200 ? answerTo(pathname, body, request.headers.authorization) : [play.status, {}];
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer) + ' '.repeat(play.padding));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  context.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function answerTo(path: string, body: string, authorization = ''): readonly [number, object] {
    if (path === '/.well-known/openid-configuration')
      return [
        200,
        {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
          authorization_response_iss_parameter_supported: true,
        },
      ];
    if (path === '/jwks') return [200, { keys: [jwk] }];
    if (path === '/token') return tokenFor(new URLSearchParams(body), authorization);
    return [404, {}];
  }

  function tokenFor(given: URLSearchParams, authorization: string): readonly [number, object] {
    const [id, secret] = authorization.startsWith('Basic ')
      ? Buffer.from(authorization.slice(6), 'base64')
          .toString()
          .split(':')
          .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
      : [given.get('client_id'), given.get('client_secret')];
    if (id !== CLIENT.id || secret !== CLIENT.secret) return [401, { error: 'invalid_client' }];
    const code = codes.get(given.get('code') ?? '');
    codes.delete(given.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    if (
      code === undefined ||
      code.request.get('redirect_uri') !== given.get('redirect_uri') ||
      code.request.get('code_challenge') !== challenge
    )
      return [400, { error: 'invalid_grant' }];
    const now = Math.floor(Date.now() / 1000);
    const claims: Record<string, unknown> = {
      ...{ iss: issuer, aud: CLIENT.id, sub: code.subject, iat: now, exp: now + 300 },
      ...{ nonce: code.request.get('nonce'), auth_time: Math.floor(code.at / 1000) },
      ...play.claims,
    };
    for (const name of play.without) delete claims[name];
    return [
      200,
      { access_token: 'opaque', token_type: 'Bearer', id_token: jwt(play.header, claims, play.key) },
    ];
  }

  /** The user signs in there; gives the address with which their browser comes back. */
  function approve(authorization: string, subject: string): string {
    const request = new URL(authorization).searchParams;
    const code = randomBytes(16).toString('hex');
    codes.set(code, { request, subject, at: Date.now() });
    const back = new URL(request.get('redirect_uri') ?? '');
    for (const [name, value] of [
      ['code', code],
      ['state', request.get('state') ?? ''],
      ['iss', issuer],
    ] as const)
      back.searchParams.set(name, value);
    return back.href;
  }

  return {
    issuer,
    settings: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
    play,
    requests,
    foreignKey: foreign.privateKey,
    reset(): void {
      Object.assign(play, usual);
    },
    approve,
  };
}
