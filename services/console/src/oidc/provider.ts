import { lowerCaseAscii } from '@tollgate/common/ascii';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { limitedFetch } from './limited-fetch.ts';

const SCOPE = 'openid email profile';
const TIMEOUT_S = 5;
/** Metadata is read again after this time. */
const METADATA_MS = 3_600_000;

export interface OidcClientSettings {
  issuer: string;
  clientId: string;
  /** Undefined: a public client. */
  clientSecret: string | undefined;
  redirectUri: string;
}

/** What the callback is checked against. */
export interface OidcChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Who the provider says has signed in. */
export interface VerifiedIdentity {
  issuer: string;
  subject: string;
  /** Empty unless the provider has verified it. */
  verifiedEmail: string;
  name: string;
}

/** The provider does not respond, or not with its metadata. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}

/** An OpenID Connect provider. Its metadata is read at the first sign-in, so that the console starts without it. */
export class OidcProvider {
  readonly #settings: OidcClientSettings;
  #discovered: { configuration: Promise<Configuration>; until: number } | undefined;

  constructor(settings: OidcClientSettings) {
    this.#settings = settings;
  }

  /** Where the browser signs in, and what to check when it comes back. @throws ProviderUnavailable */
  async begin(): Promise<OidcChecks & { url: URL }> {
    const configuration = await this.#configuration();
    const checks = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: this.#settings.redirectUri,
      scope: SCOPE,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await calculatePKCECodeChallenge(checks.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { ...checks, url };
  }

  /**
   * Exchanges the code and verifies the ID token: signature, issuer, audience, expiry and nonce.
   *
   * @param query of the address that the provider has led back to
   * @throws ProviderUnavailable; any other error when the provider or the checks refuse
   */
  async finish(query: string, { state, nonce, codeVerifier }: OidcChecks): Promise<VerifiedIdentity> {
    const configuration = await this.#configuration();
    const callback = new URL(this.#settings.redirectUri);
    callback.search = query;
    const tokens = await authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('the provider has sent no ID token');
    const isComplete = typeof claims['email'] === 'string' || !configuration.serverMetadata().userinfo_endpoint;
    const profile = isComplete ? claims : await fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return { issuer: claims.iss, subject: claims.sub, ...readProfile(profile) };
  }

  #configuration(): Promise<Configuration> {
    const now = Date.now();
    if (this.#discovered === undefined || this.#discovered.until <= now) {
      const discovered = { configuration: this.#discover(), until: now + METADATA_MS };
      this.#discovered = discovered;
      discovered.configuration.catch(() => {
        if (this.#discovered === discovered) this.#discovered = undefined;
      });
    }
    return this.#discovered.configuration;
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const isPlain = issuer.startsWith('http:');
    try {
      return await discovery(new URL(issuer), clientId, clientSecret, undefined, {
        [customFetch]: limitedFetch,
        timeout: TIMEOUT_S,
        // By default the client trusts an ID token that comes over TLS without verifying its signature.
        execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
      });
    } catch (error) {
      throw new ProviderUnavailable('the metadata of the OpenID Connect provider could not be read', { cause: error });
    }
  }
}

const MAX_NAME = 200;

function readProfile(claims: Readonly<Record<string, unknown>>): Pick<VerifiedIdentity, 'verifiedEmail' | 'name'> {
  const { email, email_verified: isVerified, name } = claims;
  return {
    verifiedEmail: typeof email === 'string' && isVerified === true ? lowerCaseAscii(email) : '',
    name:
      typeof name === 'string'
        ? name
            .replace(/\p{Cc}/gu, ' ')
            .trim()
            .slice(0, MAX_NAME)
        : '',
  };
}
