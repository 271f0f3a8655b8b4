import { clientAddress } from '@tollgate/common/http/client-network';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { Request, RequestHandler, Response } from 'express';
import type { ConsoleConfig } from '../../config.ts';
import { ApiError } from '../../http/api-error.ts';
import type { BrowserFlows } from '../../oidc/browser-flows.ts';
import { ownAddress } from '../../oidc/own-address.ts';
import { type OidcProvider, ProviderUnavailable } from '../../oidc/provider.ts';
import { takeOidcAttempt } from '../../sign-in/attempt-limits.ts';
import { redirectToSignIn } from './redirects.ts';

export interface StartOidcDependencies {
  config: ConsoleConfig;
  logger: Logger;
  pool: Pool;
  oidc: OidcProvider;
  oidcFlows: BrowserFlows;
}

/** `GET /api/oidc/start?next=<address>`: leads to the provider, which leads back to `/oidc/callback`. */
export function createStartOidcHandler(deps: StartOidcDependencies): RequestHandler {
  const { config, logger, pool, oidc, oidcFlows } = deps;
  return async (req: Request, res: Response) => {
    res.locals['route'] = '/api/oidc/start';
    const returnTo = ownAddress(req.query['next']);
    try {
      await takeOidcAttempt(pool, clientAddress(req, config.TRUSTED_PROXIES));
      const { url, ...checks } = await oidc.begin();
      await oidcFlows.begin(res, { ...checks, returnTo });
      res.redirect(303, url.href);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'too_many_requests') {
        redirectToSignIn(res, config.CONSOLE_URL, 'too_many_requests', returnTo);
      } else if (error instanceof ProviderUnavailable) {
        logger.warn({ err: error }, 'a sign-in with OpenID Connect could not begin');
        redirectToSignIn(res, config.CONSOLE_URL, 'unavailable', returnTo);
      } else throw error;
    }
  };
}
