import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Pool } from '@tollgate/common/postgres/pool';
import { hashOfSecret } from '@tollgate/common/secret-links';
import type { Response } from 'express';
import { readCookie } from '../http/cookies.ts';
import { insertOidcFlow, takeOidcFlow } from '../store/oidc-flows.ts';
import type { OidcChecks } from './provider.ts';

/** Time to sign in at the provider. */
const LIFE_S = 600;
const TOKEN_BYTES = 32;

/** A sign-in that a browser has begun, and where it leads. */
export interface BrowserFlow extends OidcChecks {
  returnTo: string;
}

/** Sign-ins that have left for the provider, bound to the browser by a cookie: nobody can finish one for somebody else. */
export class BrowserFlows {
  readonly #pool: Pool;
  readonly #secure: boolean;

  /** @param consoleUrl decides the cookie: browsers keep `__Host-` cookies only for https */
  constructor(pool: Pool, consoleUrl: string) {
    this.#pool = pool;
    this.#secure = consoleUrl.startsWith('https:');
  }

  /** Keeps a flow and sets its cookie. */
  async begin(response: Response, { state, nonce, codeVerifier, returnTo }: BrowserFlow): Promise<void> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    await insertOidcFlow(this.#pool, {
      flowSha256: hashOfSecret(token),
      state,
      nonce,
      code_verifier: codeVerifier,
      return_to: returnTo,
      lifeSeconds: LIFE_S,
    });
    response.cookie(this.#cookieName, token, { ...this.#cookieOptions, maxAge: LIFE_S * 1_000 });
  }

  /** The flow of this browser with this state, which can be taken once; undefined: none, or it has expired. */
  async take(req: IncomingMessage, response: Response, state: string): Promise<BrowserFlow | undefined> {
    const token = readCookie(req, this.#cookieName);
    const row = token === undefined ? undefined : await takeOidcFlow(this.#pool, hashOfSecret(token), state);
    if (row === undefined) return undefined;
    response.clearCookie(this.#cookieName, this.#cookieOptions);
    return { state: row.state, nonce: row.nonce, codeVerifier: row.code_verifier, returnTo: row.return_to };
  }

  get #cookieName(): string {
    return this.#secure ? '__Host-tollgate-oidc' : 'tollgate-oidc';
  }

  /** Lax: the provider's page leads back here. */
  get #cookieOptions() {
    return { httpOnly: true, sameSite: 'lax', secure: this.#secure, path: '/' } as const;
  }
}
