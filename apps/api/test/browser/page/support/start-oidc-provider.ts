import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { listen } from '../../../support/listen.js';

/** What a test changes of the provider while it runs. */
export interface OidcProvider {
  readonly issuer: string;
  /** The settings of a service on whose page people sign in. */
  readonly settings: Readonly<Record<string, string>>;
  /** How long its access tokens are valid, in seconds. */
  lifetimeSeconds: number;
  /** How often it was asked for a token, by the grant type, and with which outcome. */
  readonly grants: string[];
  /** The paths to which it returns the status 503. */
  away: RegExp | undefined;
  /** How many requests got that status. */
  readonly refused: number;
  /** Where its forms were asked for, and where they have led, the latest last. */
  readonly visited: { readonly form: string[]; readonly reply: string[] };
  stop(): void;
}

const audience = 'https://plants.example.com';

/**
 * Starts an identity provider with a public client that may be sent back to any port of this machine, where anybody signs in by any
 * name, and access tokens are JSON Web Tokens for one audience.
 */
export async function startOidcProvider(): Promise<OidcProvider> {
  const server = createServer();
  const issuer = await listen(server);
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const grants: string[] = [];
  const started: { -readonly [Name in keyof OidcProvider]: OidcProvider[Name] } = {
    issuer,
    settings: {
      JWT_ISSUER: issuer,
      JWT_AUDIENCE: audience,
      JWT_JWKS_URL: `${issuer}/jwks`,
      JWT_CLIENT_ID: 'plant-store-page',
      JWT_CLOCK_TOLERANCE_SECONDS: '0',
    },
    lifetimeSeconds: 3_600,
    grants,
    away: undefined,
    refused: 0,
    visited: { form: [], reply: [] },
    stop: () => server.close().closeAllConnections(),
  };
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'a', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a secret of this test'] },
    clients: [
      {
        client_id: 'plant-store-page',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1/'],
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    clientBasedCORS: () => true,
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    // All tokens of a sign-in become invalid when one is used twice.
    rotateRefreshToken: true,
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          audience,
          scope: 'plants:create plants:read plants:update plants:delete',
          accessTokenTTL: started.lifetimeSeconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  provider.on('grant.success', ({ oidc }) => grants.push(`${oidc.params?.['grant_type']} granted`));
  provider.on('grant.error', ({ oidc }, error) =>
    grants.push(`${oidc.params?.['grant_type']} ${error.message}`),
  );
  const answer = provider.callback();
  server.on('request', (request, reply) => {
    const { url = '' } = request;
    if (started.away?.test(url)) {
      started.refused += 1;
      reply.writeHead(503, { 'access-control-allow-origin': '*' }).end();
      return;
    }
    if (url.startsWith('/auth?')) started.visited.form.push(issuer + url);
    reply.once('finish', () => {
      const location = String(reply.getHeader('location') ?? '');
      if (/[?&]code=/.test(location)) started.visited.reply.push(location);
    });
    return answer(request, reply);
  });
  return started;
}
