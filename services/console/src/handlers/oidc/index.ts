import { Router } from 'express';
import type { Dependencies } from '../../dependencies.ts';
import { createFinishOidcHandler } from './finish-oidc.ts';
import { createStartOidcHandler } from './start-oidc.ts';

/** Sign-in with OpenID Connect: pages that a browser opens, not operations of the API. Empty where it is not configured. */
export function createOidcRouter({ oidc, ...deps }: Dependencies): Router {
  const router = Router({ caseSensitive: true, strict: true });
  if (oidc === undefined) return router;
  router.get('/api/oidc/start', createStartOidcHandler({ ...deps, oidc }));
  router.get('/oidc/callback', createFinishOidcHandler({ ...deps, oidc }));
  return router;
}
