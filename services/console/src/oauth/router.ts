import express, { type ErrorRequestHandler, type Request, Router } from 'express';
import { ApiError } from '../http/api-error.ts';
import type { Client } from '../http/call.ts';
import { authorizeDevice, type DeviceDependencies } from './authorize-device.ts';
import type { Form } from './form.ts';
import { issueDeviceToken } from './issue-device-token.ts';
import { OAuthError } from './oauth-error.ts';

const MAX_BYTES = 10_000;

/** The device authorization grant of OAuth, for the command line: https://www.rfc-editor.org/rfc/rfc8628 */
export function createOAuthRouter(deps: DeviceDependencies, clientOf: (req: Request) => Client): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const form = express.urlencoded({ limit: MAX_BYTES, extended: false, parameterLimit: 20 });
  const serve = (path: string, handle: (deps: DeviceDependencies, form: Form, client: Client) => Promise<object>) => {
    router.post(path, form, async (req, res) => {
      res.locals['route'] = `${req.baseUrl}${path}`;
      res.json(await handle(deps, req.body ?? {}, clientOf(req)));
    });
  };
  serve('/device_authorization', authorizeDevice);
  serve('/token', issueDeviceToken);
  const sendError: ErrorRequestHandler = (error, _req, res, next) => {
    const sent = toOAuthError(error);
    if (sent === undefined) return next(error);
    res.status(sent.status).json({ error: sent.code, error_description: sent.message });
  };
  router.use(sendError);
  return router;
}

function toOAuthError(error: unknown): OAuthError | undefined {
  if (error instanceof OAuthError) return error;
  if (error instanceof ApiError && error.status === 429)
    return new OAuthError('temporarily_unavailable', error.message, error.status);
  // Errors of body-parser have a status: the form is too long or cannot be read.
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 0;
  return status >= 400 && status < 500 && !(error instanceof ApiError)
    ? new OAuthError('invalid_request', 'The form cannot be read.')
    : undefined;
}
