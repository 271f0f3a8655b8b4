import type { TollgateRequest, TollgateResponse } from '../http/request-context.ts';
import { sendJson } from '../http/response.ts';

/** GET /health/live: the process responds. */
export function createLiveHandler() {
  return (_req: TollgateRequest, res: TollgateResponse): void => {
    sendJson(res, { status: 'live' });
  };
}
