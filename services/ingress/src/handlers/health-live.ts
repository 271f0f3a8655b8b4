import type { TollgateRequest, TollgateResponse } from '../shared/request/request-context.ts';
import { sendJson } from '../shared/request/response.ts';

/** GET /health/live: the process responds. */
export function createLiveHandler() {
  return (_req: TollgateRequest, res: TollgateResponse): void => {
    sendJson(res, { status: 'live' });
  };
}
