import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen, stopListening } from '@tollgate/common/http-server';

/** What the next ID token says instead of the truth. */
export interface Lie {
  claims?: Record<string, unknown>;
  /** Signs with a key that the provider does not publish. */
  foreignKey?: boolean;
  /** Has no signature at all. */
  unsigned?: boolean;
}

export interface HostileProvider {
  /** Who signs in, and the lie about it. */
  prepare: (person: { sub: string; email: string }, lie?: Lie) => void;
  /** How many codes were exchanged. */
  exchanges: () => number;
  stop: () => Promise<void>;
}

const newKeys = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An OpenID Connect provider whose ID tokens can be wrong in one point. It takes any code and asks nobody. */
export async function runHostileProvider(port: number, clientId: string): Promise<HostileProvider> {
  const issuer = `http://localhost:${port}`;
  const own = newKeys();
  const foreign = newKeys();
  let claims: Record<string, unknown> = {};
  let lie: Lie = {};
  let nonce = '';
  let exchanged = 0;

  const idToken = () => {
    const now = Math.floor(Date.now() / 1_000);
    const truth = { iss: issuer, aud: clientId, iat: now, exp: now + 300, nonce, email_verified: true };
    const header = { alg: lie.unsigned === true ? 'none' : 'RS256', kid: 'own' };
    const signed = `${base64(header)}.${base64({ ...truth, ...claims, ...lie.claims })}`;
    if (lie.unsigned === true) return `${signed}.`;
    const { privateKey } = lie.foreignKey === true ? foreign : own;
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  const routes: Record<string, () => object> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    '/keys': () => ({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' }] }),
    '/token': () => {
      exchanged += 1;
      return { access_token: randomBytes(16).toString('hex'), token_type: 'Bearer', id_token: idToken() };
    },
  };
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    const url = new URL(req.url ?? '/', issuer);
    if (url.pathname === '/authorize') {
      nonce = url.searchParams.get('nonce') ?? '';
      const callback = new URL(url.searchParams.get('redirect_uri') ?? '');
      callback.search = String(new URLSearchParams({ code: 'a-code', state: url.searchParams.get('state') ?? '' }));
      res.writeHead(303, { location: callback.href }).end();
      return;
    }
    const route = routes[url.pathname];
    res.writeHead(route === undefined ? 404 : 200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(route?.() ?? {}));
  });
  await listen(server, '127.0.0.1', port);
  return {
    prepare: (person, nextLie = {}) => {
      claims = person;
      lie = nextLie;
    },
    exchanges: () => exchanged,
    stop: () => stopListening(server, { lingerMs: 0, graceMs: 500 }),
  };
}
